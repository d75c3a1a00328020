/** Calls of attention to spoil, and values that are no numbers. */
import assert from 'node:assert/strict';
import { engines } from '../engines.js';
import { bench, good, shape } from '../faults.js';

export const { ch } = engines[0];
export const { cache, refuses, leaksNothing, memoryUse } = bench(ch);
export const call = (change = {}, inputs = {}) => {
  const { q, k, v } = { ...good, ...inputs };
  return ch.attention(q, k, v, { ...shape, ...change });
};
export const longer = (a, by) => {
  const b = new a.constructor(a.length + by);
  b.set(a.subarray(0, b.length));
  return b;
};
export const numbers = [
  ['NaN', NaN],
  ['∞', Infinity],
  ['−∞', -Infinity],
  ['−0', -0],
  ['−1', -1],
  ['1.5', 1.5],
  ['2^31', 2 ** 31],
  ['2^32', 2 ** 32],
  ['2^53', 2 ** 53],
  ['2^32 + 1', 2 ** 32 + 1],
];

/** Things that are no numbers; reading one as a number would be noticed. */
export function impostors() {
  const tripped = () => assert.fail('coerced to a primitive');
  return [
    ['"8"', '8'],
    ['[8]', [8]],
    ['valueOf', { valueOf: tripped, [Symbol.toPrimitive]: tripped }],
    ['a bigint', 8n],
    ['null', null],
    ['a symbol', Symbol('8')],
    [
      'a proxy',
      new Proxy(
        {},
        {
          get: (_, key) =>
            key === Symbol.toPrimitive || key === 'valueOf' ? tripped() : undefined,
        },
      ),
    ],
    ['a date', new Date(8)],
    ['true', true],
    ['a function', () => 8],
  ];
}
