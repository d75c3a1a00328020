/** Statement 24. */
import { U, apart, compare, nearestBound } from '../lab.js';

/** @typedef {import('../statements.js').Comparison} Comparison */

/** @type {Comparison} */
export const draws = {
  number: 24,
  shows: 1,
  run({ theory, T, n, seed, rows }) {
    const tried = [0.05, 1e-6].flatMap((epsilon) =>
      rows.slice(0, 8).map(({ z, p, kl, size }, i) => ({
        epsilon,
        p,
        kl,
        size,
        ...theory.drawsToReject(z, {
          temperature: T,
          epsilon,
          samples: 400,
          seed: (seed + i) >>> 0,
        }),
      })),
    );
    return [
      compare(
        'log(1/ε)/ρ ≤ mean draws ≤ (log(1/ε) + max log n·p)/ρ',
        tried.map(({ draws: mean, expected, upper, standardError }) => [
          mean,
          Math.min(Math.max(mean, expected), upper),
          standardError,
          5,
        ]),
        'σ',
      ),
      compare(
        'ρ × mean draws − mean evidence = 0',
        tried.map(({ residual, residualError }) => [residual, 0, residualError, 5]),
        'σ',
      ),
      nearestBound(
        'how often uniform draws are rejected ≤ ε',
        tried.map(({ falseAlarms, epsilon }) => [falseAlarms, epsilon]),
        64 * U,
      ),
      compare(
        'ρ = attention’s',
        tried.map(({ rho, kl, size }) => [rho, kl, U * (1 + Math.log(n)), 2 * apart(size) + n]),
      ),
      compare(
        'expected and upper = those of attention’s weights',
        tried.flatMap(({ expected, upper, epsilon, p, kl, size }) => [
          [
            expected * kl,
            Math.log(1 / epsilon),
            U * Math.log(1 / epsilon),
            (4 * apart(size) * (1 + Math.log(n))) / Math.min(1, kl),
          ],
          [
            upper * kl,
            Math.log(1 / epsilon) + Math.log(n * Math.max(...p)),
            U * (Math.log(1 / epsilon) + Math.log(n)),
            (4 * apart(size) * (1 + Math.log(n))) / Math.min(1, kl),
          ],
        ]),
      ),
    ];
  },
};
