/** Statement 13. */
import { U, apart, compare, dot } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const experiment = {
  number: 13,
  run({ theory, seed }) {
    const runs = [4, 64, 256].map((headDim) =>
      theory.scaleExperiment({ headDim, samples: 400, keys: 16, seed: (seed + headDim) >>> 0 }),
    );
    // of the mean of ⟨q, k⟩² over 400 queries with 16 keys each: sensitivity.h. The figure of the
    // library is compared with this one
    const deviation = (/** @type {number} */ d) =>
      Math.sqrt((2 * d + (2 * (d * d + 2 * d)) / 16) / 400);
    // the experiment again, from the same numbers
    const d = 4;
    const samples = 20;
    const keys = 16;
    const own = theory.scaleExperiment({ headDim: d, samples, keys, seed });
    const x = theory.normal(samples * (keys + 1) * d, { seed });
    const logits = Array.from({ length: samples }, (_, i) => {
      const [q, ...k] = Array.from({ length: keys + 1 }, (_, j) =>
        x.subarray((i * (keys + 1) + j) * d, (i * (keys + 1) + j + 1) * d),
      );
      return {
        z: k.map((y) => dot(q, y)),
        size: Math.max(...k.map((y) => dot(q.map(Math.abs), y.map(Math.abs)))),
      };
    });
    const size = Math.max(...logits.map((row) => row.size));
    const average = (/** @type {number} */ scale, /** @type {(p: number[]) => number} */ f) =>
      logits.reduce((sum, { z }) => {
        const e = z.map((y) => Math.exp(y / scale));
        const total = e.reduce((a, b) => a + b);
        return sum + f(e.map((y) => y / total)) / samples;
      }, 0);
    const budget = (/** @type {number[]} */ p) =>
      1 + p.reduce((sum, y) => sum + (y > 0 ? y * Math.log(y) : 0), 0) / Math.log(keys);
    const gradient = (/** @type {number[]} */ p) => 1 - dot(p, p);
    return [
      compare(
        'standard error = √((2d + 2(d² + 2d)/keys)/samples)',
        runs.map(({ standardError, expected }) => [
          standardError,
          deviation(expected),
          U * standardError,
          8,
        ]),
      ),
      compare('trace and budget = those of the same numbers', [
        [own.unscaled.gradient, average(1, gradient), U, 2 * apart(size) + keys + samples],
        [own.scaled.gradient, average(2, gradient), U, 2 * apart(size) + keys + samples],
        [
          own.unscaled.budget,
          average(1, budget),
          U,
          2 * apart(size) * (1 + Math.log(keys)) + keys + samples,
        ],
        [
          own.scaled.budget,
          average(2, budget),
          U,
          2 * apart(size) * (1 + Math.log(keys)) + keys + samples,
        ],
      ]),
      // five standard errors: a seed in two million falls outside
      compare(
        'variance of ⟨q, k⟩ = d',
        runs.map(({ variance, expected }) => [variance, expected, deviation(expected), 5]),
        'σ',
      ),
      compare(
        'variance of ⟨q, k⟩/√d = 1',
        runs.map(({ scaledVariance, expected }) => [
          scaledVariance,
          1,
          deviation(expected) / expected,
          5,
        ]),
        'σ',
      ),
    ];
  },
};
