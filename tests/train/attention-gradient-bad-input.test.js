/** The gradient of attention refuses what it cannot take, by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { good, shape } from '../support/faults.js';
import { ch, numbers, refuses, wrong } from '../support/layers/bad-layers.js';

const { q, k, v } = good;
const dOutput = numbers(2 * 4 * 3 * 6);
const lse = numbers(2 * 4 * 3);
const gradient = (options, args = [q, k, v, dOutput]) =>
  ch.attentionGradient(...args, { ...shape, ...options });

test('arrays of another type, gone or of another engine are refused by name', () => {
  ['q', 'k', 'v', 'dOutput'].forEach((name, at) => {
    for (const [fault, [bad, code]] of wrong.entries()) {
      if (name === 'q' && (bad instanceof Float64Array || bad?.dtype === 'float64')) continue;
      refuses(`fault ${fault} as ${name}`, code, name, () =>
        gradient({}, [q, k, v, dOutput].with(at, bad)),
      );
    }
  });
  for (const [fault, [bad, code]] of wrong.slice(1).entries()) {
    refuses(`fault ${fault} as output`, code, 'output', () => gradient({ output: bad, lse }));
    refuses(`fault ${fault} as lse`, code, 'lse', () => gradient({ output: dOutput, lse: bad }));
    for (const name of ['dq', 'dk', 'dv'])
      refuses(`fault ${fault} as out.${name}`, code, `out.${name}`, () =>
        gradient({ out: { [name]: bad } }),
      );
  }
});

test('a gradient of the output that is left out is named, not an option', () => {
  assert.throws(() => ch.attentionGradient(q, k, v, shape), {
    code: 'ARG',
    message: /^dOutput is of type object; expected Float32Array/,
  });
});

test('lengths that do not fit are refused', () => {
  refuses('a short dOutput', 'SHAPE', 'dOutput', () => gradient({}, [q, k, v, numbers(5)]));
  refuses('a short k', 'SHAPE', 'k', () => gradient({}, [q, numbers(5), v, dOutput]));
  refuses('a short v', 'SHAPE', 'v', () => gradient({}, [q, k, numbers(12), dOutput]));
  refuses('a short output', 'SHAPE', 'output', () => gradient({ output: numbers(5), lse }));
  refuses('a short lse', 'SHAPE', 'lse', () => gradient({ output: dOutput, lse: numbers(5) }));
  refuses('a short dk', 'SHAPE', 'out.dk', () => gradient({ out: { dk: numbers(5) } }));
  const other = ch.tensor([2, 3, 4, 6]);
  refuses('a tensor with axes of the other layout', 'SHAPE', 'dOutput', () =>
    gradient({}, [q, k, v, other]),
  );
  other.dispose();
});

test('output without lse, and lse without output, are refused', () => {
  refuses('output alone', 'ARG', 'lse', () => gradient({ output: dOutput }));
  refuses('lse alone', 'ARG', 'output', () => gradient({ lse }));
});

test('a limit of the temperature and bytes have no gradient, and are refused', () => {
  for (const temperature of [0, Infinity])
    refuses(`T = ${temperature}`, 'RANGE', 'temperature', () => gradient({ temperature }));
  refuses('T < 0', 'RANGE', 'temperature', () => gradient({ temperature: -1 }));
  refuses('int8', 'RANGE', 'precision', () => gradient({ precision: 'int8' }));
  assert.ok(gradient({ precision: 'float', temperature: 2 }).dq.length);
});

test('a gradient of an option that the call has not is refused', () => {
  for (const name of ['dKeyScale', 'dSinks', 'dBias'])
    refuses(name, 'RANGE', `want.${name}`, () => gradient({ want: { [name]: true } }));
  const mask = { data: new Uint8Array(15).fill(1), shape: [3, 5] };
  refuses('of a boolean mask', 'RANGE', 'want.dBias', () =>
    gradient({ mask, want: { dBias: true } }),
  );
  refuses('a word', 'ARG', 'want.dScale', () => gradient({ want: { dScale: 'yes' } }));
});

test('unknown options, wants and results are refused', () => {
  refuses('an option', 'ARG', 'causl', () => gradient({ causl: true }));
  refuses('a result of attention', 'ARG', 'lse', () => gradient({ want: { lse: true } }));
  refuses('a result', 'ARG', 'dx', () => gradient({ out: { dx: q } }));
  refuses('an array', 'ARG', 'out', () => gradient({ out: q }));
});

test('results that would lie in memory that is read or written are refused', () => {
  refuses('dq in q', 'ALIAS', 'out.dq', () => gradient({ out: { dq: q } }));
  const keys = numbers(k.length);
  refuses('dk in an input', 'ALIAS', 'out.dk', () =>
    gradient({ out: { dk: keys } }, [q, keys, v, dOutput]),
  );
  const both = numbers(q.length + k.length);
  const out = { dq: both.subarray(0, q.length), dk: both.subarray(8, 8 + k.length) };
  refuses('dk in dq', 'ALIAS', 'out.dk', () => gradient({ out }));
  const mask = { data: numbers(v.length), shape: [2, 4, 3, 5] };
  refuses('dv in a mask', 'ALIAS SHAPE', 'out.dv', () =>
    gradient({ mask: { ...mask, data: mask.data.subarray(0, 120) }, out: { dv: mask.data } }),
  );
});

test('an engine without layers has no gradients, and says so', async () => {
  const small = /** @type {any} */ (await init());
  assert.throws(() => small.attentionGradient(q, k, v, dOutput, shape), {
    code: 'ENV',
    message: /^attentionGradient is not loaded/,
  });
});
