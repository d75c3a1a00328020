/** Calls for threads to share, and engines of which a worker is lost. */
import { init } from '../../../src/js/index.js';
import { lostWorkers } from '../../engines/lost-workers.js';
import { random } from '../random.js';

/** Uniform in [−2, 2): there are millions of them, and none needs a distribution. */
export function numbers(seed, length) {
  const { next } = random(seed);
  const list = new Float32Array(length);
  for (let at = 0; at < length; at++) list[at] = next() / 2 ** 30 - 2;
  return list;
}

/**
 * The object with properties that are made when they are first read. Most files need a few calls of
 * the table, whose largest have millions of numbers.
 * @param {Record<string, any>} object
 * @param {Record<string, () => any>} makers by the name of the property
 */
function madeWhenRead(object, makers) {
  for (const [name, make] of Object.entries(makers)) {
    let value;
    Object.defineProperty(object, name, { enumerable: true, get: () => (value ??= make()) });
  }
  return object;
}

/**
 * Calls large enough to be shared out, prefill and decode, with options that change the path
 * through the kernels.
 */
export const calls = [
  ['12 heads', { heads: 12, headDim: 64 }, 300, 300],
  ['causal, grouped', { heads: 9, kvHeads: 3, headDim: 64, causal: true }, 400, 400],
  [
    'a window over several spans',
    { heads: 2, headDim: 32, causal: true, window: [200, 0] },
    1300,
    1300,
  ],
  ['one head', { heads: 1, headDim: 64 }, 600, 600],
  [
    'positions first, odd sizes',
    { heads: 6, kvHeads: 2, headDim: 33, valueDim: 21, layout: 'bshd' },
    250,
    700,
  ],
  ['few queries over many keys', { heads: 8, kvHeads: 2, headDim: 64 }, 3, 5000],
  [
    'one query, softcap and sinks',
    { heads: 4, kvHeads: 4, headDim: 64, softcap: 5, sinks: Float32Array.of(0, 1, -2, 3) },
    1,
    20000,
  ],
  ['in integers', { heads: 6, kvHeads: 3, headDim: 64, causal: true, precision: 'int8' }, 700, 700],
  ['in integers, few queries', { heads: 4, kvHeads: 2, headDim: 40, precision: 'int8' }, 2, 4000],
  [
    'a mask that empties rows',
    {
      heads: 4,
      headDim: 32,
      mask: {
        data: Uint8Array.from({ length: 500 * 300 }, (_, x) => +((x / 300) % 7 > 1 && x % 5 > 0)),
        shape: [500, 300],
      },
    },
    500,
    300,
  ],
  [
    'few queries, most keys beyond their length',
    { heads: 6, kvHeads: 2, headDim: 4, keyLengths: Int32Array.of(1) },
    2,
    200000,
  ],
  [
    'one query at the beginning of many keys',
    { heads: 4, headDim: 4, causal: true, offset: 0 },
    1,
    300000,
  ],
  [
    'one query and a window far from the last key',
    { heads: 4, headDim: 4, causal: true, offset: 100000, window: [40, 0] },
    1,
    300000,
  ],
].map(([name, options, m, n], seed) => {
  const { heads, kvHeads = heads, headDim, valueDim = headDim } = options;
  return madeWhenRead(
    { name, options },
    {
      q: () => numbers(seed, heads * m * headDim),
      k: () => numbers(seed + 100, kvHeads * n * headDim),
      v: () => numbers(seed + 200, kvHeads * n * valueDim),
    },
  );
});
export const wants = [
  {},
  { lse: true, stats: true },
  { weights: { rows: [0] }, scores: 'masked', stats: true },
];
export const run = (ch, { q, k, v, options }, want = {}) =>
  ch.attention(q, k, v, { ...options, want });

/** An engine whose first worker has this fault from its call number `after` on. */
export const withFault = (fault, after = 0, count = 2) =>
  lostWorkers(fault, after, () => init({ layers: true, variant: 'simd', threads: count }));

/** Calls within which a worker takes part: one that comes late, on a busy machine, does not. */
export const CALLS = 1000;

export const nextTurn = () => new Promise((done) => setTimeout(done, 5));

export const one = await init({ layers: true, variant: 'simd' });
export const pages = (ch) => ch.tensor([1]).data.buffer.byteLength;
