/** Positions, windows and heads that cannot be, or just can. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../support/engines.js';
import { bench, good, shape } from '../../support/faults.js';

const { ch } = engines[0];
const { tensor, refuses } = bench(ch);
const call = (change) => ch.attention(good.q, good.k, good.v, { ...shape, ...change });

test('a causal query before all keys has zeros, also with an offset far below 0', () => {
  for (const offset of [-1, -2, -3, -100, -(2 ** 29)]) {
    const { output, stats } = call({ causal: true, offset, want: { stats: true } });
    output.forEach((x, at) => assert.equal(x !== 0, (Math.floor(at / 6) % 3) + offset >= 0));
    assert.deepEqual(
      [...stats.n.subarray(0, 3)],
      [0, 1, 2].map((i) => Math.max(0, i + offset + 1)),
    );
  }
});

test('offsets, key lengths, windows and heads beyond their limits are refused', () => {
  for (const x of [NaN, 2 ** 40, -(2 ** 31) - 1])
    refuses(`offset ${x}`, 'RANGE', 'offset', () => call({ causal: true, offset: x }));
  for (const x of [-1, 6, 2 ** 31 - 1])
    refuses(`key length ${x}`, 'RANGE', 'keyLengths[1]', () =>
      call({ keyLengths: Int32Array.of(5, x) }),
    );
  for (const window of [[0], [0, 0, 0], [-1, 0], [0, NaN], 'ab', { 0: 1, 1: 1, length: 2 }])
    refuses(`window ${window}`, 'ARG RANGE SHAPE', 'window', () => call({ window }));
  for (const window of [2, 'ab', null])
    refuses(`window ${window}`, 'ARG', 'window', () => call({ window }), '[left, right]');
  for (const window of [[], [0], [0, 0, 0]])
    refuses(`window ${window}`, 'SHAPE', 'window', () => call({ window }), '2 = [left, right]');
  for (const heads of [[0, 0], [4], [-1], '01', new Set([0])])
    refuses('chosen heads', 'ARG RANGE', 'heads', () => call({ want: { weights: { heads } } }));
  assert.equal(tensor.data.length, 36);
});
