/** Operations whose memory overlaps or changes during the call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sameArray } from '../support/bits.js';
import { ch, w, x } from '../support/layers/bad-layers.js';

/** A call whose result would lie in the memory of one of its inputs is refused with both names. */
const overlaps = (result, input, call) =>
  assert.throws(
    call,
    (error) =>
      error.code === 'ALIAS' && error.message.startsWith(`${result} is in the memory of ${input};`),
    String(call),
  );
const buffer = new ArrayBuffer(48);
const whole = new Float32Array(buffer);
const middle = new Float32Array(buffer, 8, 3);
const other = new Float32Array(buffer, 16, 3);

test('results of a norm that would overlap each other are refused by name', () => {
  const X = ch.tensor([12]);
  const Y = ch.tensor([3]);
  const norm = (results) => () => ch.layerNorm(x, w, w, results);
  const columns = (results) => () => ch.layerNorm(x, undefined, undefined, { size: 1, ...results });
  overlaps('inverseDeviation', 'mean', norm({ mean: Y, inverseDeviation: Y }));
  overlaps('inverseDeviation', 'mean', norm({ mean: middle, inverseDeviation: other }));
  overlaps('mean', 'out', norm({ mean: middle, out: whole }));
  overlaps('inverseDeviation', 'out', norm({ inverseDeviation: middle, out: whole }));
  overlaps('mean', 'out', columns({ mean: X, out: X }));
  for (const each of [X, Y]) each.dispose();
});

test('results of a norm that would overlap its inputs are refused by name', () => {
  const X = ch.tensor([12]);
  const Y = ch.tensor([3]);
  for (const [result, input, call] of [
    ['mean', 'x', () => ch.layerNorm(X, undefined, undefined, { size: 1, mean: X })],
    ['mean', 'x', () => ch.layerNorm(whole, w, w, { mean: middle })],
    ['inverseDeviation', 'x', () => ch.layerNorm(whole, w, w, { inverseDeviation: middle })],
    ['mean', 'scale', () => ch.layerNorm(x, whole.subarray(0, 4), w, { mean: middle })],
    [
      'inverseDeviation',
      'bias',
      () => ch.layerNorm(x, w, whole.subarray(4, 8), { inverseDeviation: other }),
    ],
    ['mean', 'scale', () => ch.layerNorm(x.subarray(0, 9), Y, undefined, { mean: Y })],
  ])
    overlaps(result, input, call);
  for (const each of [X, Y]) each.dispose();
});

test('a rotation in the memory of its table or positions is refused, and writes no table', () => {
  const { cos, sin } = ch.ropeTable({ dim: 2, positions: 12 });
  const [X, C, S] = [1, 2, 3].map(() => ch.tensor([12]));
  C.data.set(cos);
  S.data.set(sin);
  const rotate = (table, options) =>
    ch.rope(x, { cos, sin, dim: 2, ...table }, { headDim: 2, ...options });
  const positions = new Int32Array(buffer, 0, 6);
  overlaps('out', 'table.cos', () => rotate({ cos: C }, { out: C }));
  overlaps('out', 'table.sin', () => rotate({ sin: S }, { out: S }));
  overlaps('out', 'table.sin', () => rotate({ sin: whole }, { out: whole }));
  overlaps('out', 'positions', () => rotate({}, { positions, out: whole }));
  sameArray(rotate({}, { out: X }), rotate({ cos: C, sin: S }), 'the table is as it was');
  for (const each of [X, C, S]) each.dispose();
});

test('a getter of a scaling runs before anything is taken', () => {
  const made = [];
  const options = {
    dim: 4,
    positions: 64,
    scaling: {
      type: 'linear',
      get factor() {
        return made.push(ch.tensor([4096])) && 2;
      },
    },
  };
  const table = ch.ropeTable(options);
  const [tensor] = made;
  tensor.data.fill(7);
  sameArray(
    table.cos,
    ch.ropeTable({ ...options, scaling: { type: 'linear', factor: 2 } }).cos,
    'the table',
  );
  assert.ok(
    made.length === 1 && tensor.data.every((x) => x === 7),
    'what the getter made is its own',
  );
  tensor.dispose();
});

/** Calls of each kind, while another thread writes. */
const CALLS = 1000;

test('positions that another thread changes during a call are used as checked', async (t) => {
  const table = ch.ropeTable({ dim: 4, positions: 8 });
  const positions = new Int32Array(new SharedArrayBuffer(4 * 64));
  const worker = new Worker(
    'const { workerData: a } = require("worker_threads"); for (let x = 0; ; x++) a[63] = x ' +
      '& 1 ? 1 << 27 : 0;',
    { eval: true, workerData: positions },
  );
  t.after(() => worker.terminate());
  await new Promise((done) => worker.once('online', done));
  let accepted = 0;
  let refused = 0;
  const y = new Float32Array(64 * 4).fill(1);
  while (accepted < CALLS || refused < CALLS)
    try {
      assert.ok(ch.rope(y, table, { headDim: 4, positions }).every((x) => Math.abs(x) < 2));
      accepted++;
    } catch (error) {
      assert.equal(error.code, 'RANGE', error.message);
      refused++;
    }
});
