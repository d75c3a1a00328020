/** Statement 15. */
import { bounded, exact, nearestBound } from '../lab.js';

/** @typedef {import('../statements.js').Comparison} Comparison */

const PAGE = 65536;

/** @type {Comparison} */
export const cost = {
  number: 15,
  shows: 1,
  run({ ch, theory, d, dv }) {
    const at = (/** @type {number} */ m, /** @type {number} */ n) =>
      theory.cost({ m, n, headDim: d, valueDim: dv });
    const sizes = [1, 31, 1024, 2 ** 17];
    const pairs = sizes.flatMap((m) => sizes.map((n) => ({ m, n, ...at(m, n) })));
    const largestScratch = at(1, 2 ** 18).scratchBytes.float32;
    // a call of 1024 queries and keys, whose weights would be 4 MB, where memory is full before it
    const length = 1024;
    const size = 8;
    const x = new Float32Array(length * size);
    const probe = ch.tensor([1]);
    const memory = () => probe.data.buffer.byteLength;
    const full = ch.tensor([(memory() - probe.data.byteOffset) / 4]);
    const before = memory();
    ch.attention(x, x, x, { headDim: size });
    const grown = memory() - before;
    const scratch = theory.cost({ m: length, n: length, headDim: size }).scratchBytes.float32;
    full.dispose();
    probe.dispose();
    const long = pairs.filter(({ n }) => n >= length);
    const short = pairs.filter(({ n }) => n < length);
    return [
      exact(
        'multiply-adds = m·n·(d + dv)',
        pairs.map(({ multiplyAdds }) => multiplyAdds),
        pairs.map(({ m, n }) => m * n * (d + dv)),
      ),
      exact(
        'float32: the same memory for 2¹⁰ and 2¹⁷ queries and keys',
        long.map(({ scratchBytes }) => scratchBytes.float32),
        long.map(() => largestScratch),
      ),
      nearestBound(
        'float32: less memory for fewer keys',
        short.map(({ scratchBytes }) => [scratchBytes.float32, largestScratch - 1]),
      ),
      exact(
        'float64: a row of n numbers, whatever m',
        pairs.map(({ scratchBytes }) => scratchBytes.float64),
        pairs.map(({ n }) => at(1, 0).scratchBytes.float64 + 8 * n),
      ),
      // memory comes in pages
      bounded(
        'bytes that a call took ≤ inputs, output and scratch',
        grown,
        4 * x.byteLength + scratch + PAGE,
      ),
    ];
  },
};
