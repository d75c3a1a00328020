/** Statement 8. */
import { U, apart, bounded, compare, dot, elements, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const differential = {
  number: 8,
  run({ theory, n, T, make, rows }) {
    const h = make(n);
    const x = make(n);
    const risen = rows.map(({ z }) => theory.logSumExp(z, { temperature: T, change: h }));
    const jacobians = rows.map(({ z }) => theory.softmaxJacobian(z, { temperature: T }));
    const spectra = jacobians.map((J) => J.spectrum().eigenvalues);
    const size = Math.max(...x.map(Math.abs)) / T;
    const hessian = (/** @type {Float64Array} */ p) =>
      p.map((y, i) => p.reduce((sum, w, j) => sum + ((i === j ? y : 0) - y * w) * x[j], 0) / T);
    // pairs of logits: rows against each other, and two equal keys pushed apart, which comes
    // nearest to 1/(2T)
    const from = Float64Array.from([
      ...rows[0].z,
      ...rows[1].z,
      0,
      0,
      ...new Float64Array(n - 2).fill(-1e3 * T),
    ]);
    const to = Float64Array.from([
      ...rows[1].z,
      ...rows[2].z,
      T / 100,
      -T / 100,
      ...new Float64Array(n - 2).fill(-1e3 * T),
    ]);
    const pairs = theory.lipschitz(from, to, { keys: n, temperature: T });
    return [
      compare(
        'gradient of lse = attention’s weights',
        rows.flatMap(({ p, size }, i) => elements(risen[i].gradient, p, (j) => p[j], apart(size))),
      ),
      compare(
        'lse = attention’s lse',
        rows.map(({ lse, size }, i) => [
          risen[i].value,
          T * lse,
          U * T,
          apart(size) + 8 * Math.abs(lse),
        ]),
      ),
      stated('rise of lse above its tangent = T·KL', ...risen.map(({ identity }) => identity)),
      compare(
        'Hessian × vector = the matrix written out',
        rows.flatMap(({ p, size: z }, i) =>
          elements(jacobians[i].apply(x), hessian(p), () => size, apart(z) + n),
        ),
      ),
      compare(
        'Σ eigenvalues = (1 − Σp²)/T',
        rows.map(({ p, size }, i) => [
          spectra[i].reduce((a, b) => a + b),
          (1 - dot(p, p)) / T,
          U / T,
          64 + apart(size),
        ]),
      ),
      compare(
        'Σ eigenvalues² = ‖Hessian‖²',
        rows.map(({ p, size }, i) => {
          const squares = dot(p, p);
          const cubes = dot(
            p,
            p.map((y) => y * y),
          );
          return [
            dot(spectra[i], spectra[i]),
            (squares - 2 * cubes + squares ** 2) / T ** 2,
            U / T ** 2,
            64 + 4 * apart(size),
          ];
        }),
      ),
      bounded('largest ‖Δp‖/‖Δz‖ ≤ 1/(2T)', pairs.maxRatio, 0.5 / T, {
        rounding: pairs.bounds.allowed,
      }),
      bounded('2T ≤ least cocoercivity', 2 * T, pairs.minCocoercivity, {
        rounding: pairs.bounds.allowed * 8 * T ** 2,
      }),
      compare('bounds = 1/(2T) and 2T', [
        [pairs.bounds.sharp, 0.5 / T, U / T, 2],
        [pairs.cocoercivityBounds.sharp, 2 * T, U * T, 2],
      ]),
      // each within 4 units of the root for its weights, which are divided by their sum in one of
      // them
      compare(
        'top eigenvalue = the first of all',
        rows.map((_, i) => [jacobians[i].top(), spectra[i][0], U * spectra[i][0], 16]),
      ),
      compare('top eigenvalue of two equal keys = 1/(2T)', [
        [
          theory.softmaxJacobian(Float64Array.of(1, 1), { temperature: T }).top(),
          0.5 / T,
          U / T,
          2,
        ],
      ]),
    ];
  },
};
