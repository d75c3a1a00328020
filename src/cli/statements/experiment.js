/** Statement 13. */
import { compare } from '../lab.js';

/** @typedef {import('../statements.js').Statement} Statement @typedef {import('../lab.js').Element} Element */

/** @type {Statement} */
export const experiment = {
  number: 13,
  name: 'scale',
  formula: 'Var⟨q, k⟩ = d, so Var(⟨q, k⟩/√d) = 1',
  run({ theory, seed }) {
    const runs = [4, 64, 256].map((headDim) => theory.scaleExperiment({ headDim, samples: 400, keys: 16, seed: (seed + headDim) >>> 0 }));
    return [
      // five standard errors: a seed in two million falls outside
      compare(
        'variance of ⟨q, k⟩ = d',
        runs.map(({ variance, expected, standardError }) => [Math.abs(variance - expected), standardError, 5]),
        'σ',
      ),
      compare(
        'variance of ⟨q, k⟩/√d = 1',
        runs.map(({ scaledVariance, expected, standardError }) => [Math.abs(scaledVariance - 1), standardError / expected, 5]),
        'σ',
      ),
    ];
  },
};
