/** Statement 2. */
import { U, apart, compare, elements, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const likelihood = {
  number: 2,
  run({ theory, k, v, d, dv, T, make, rows }) {
    const alpha = 1 / (T * Math.sqrt(d));
    const beta = 3;
    const at = make(dv);
    const found = rows.map(({ q, output }) => ({
      here: theory.maximumLikelihood(q, k, v, { alpha, beta, at: output }),
      there: theory.maximumLikelihood(q, k, v, { alpha, beta, at }),
    }));
    const each = (/** @type {(x: typeof found[0], row: typeof rows[0]) => Element[]} */ f) =>
      rows.flatMap((row, i) => f(found[i], row));
    return [
      compare(
        'attention = precision-weighted mean',
        each(({ here }, { output, magnitude, size }) =>
          elements(here.estimate, output, (c) => magnitude[c], apart(size)),
        ),
      ),
      compare(
        'gradient at the output = 0',
        each(({ here }, { magnitude, size }) =>
          elements(here.step, new Float64Array(dv), (c) => magnitude[c], apart(size)),
        ),
      ),
      compare(
        'one Newton step from anywhere = attention',
        each(({ there }, { output, magnitude, size }) =>
          elements(
            there.step.map((x, c) => at[c] + x),
            output,
            (c) => magnitude[c] + Math.abs(at[c]),
            apart(size),
          ),
        ),
      ),
      compare(
        'gradient = step / variance',
        each(({ there }) =>
          elements(
            there.gradient.map((x) => x * there.variance),
            there.step,
            (c) => Math.abs(there.step[c]),
            16 + 8 * Math.abs(there.logPrecision),
          ),
        ),
      ),
      // both logarithms of sums of e^z, whose exponents are known to A units
      compare(
        'log-precision = lse + log β',
        each(({ here }, { lse, size }) => [
          [here.logPrecision, lse + Math.log(beta), U, apart(size) + 8 * Math.abs(lse)],
        ]),
      ),
      compare(
        'second derivative · variance = −1',
        each(({ here }) => [
          [here.secondDerivative * here.variance, -1, U, 16 + 8 * Math.abs(here.logPrecision)],
        ]),
      ),
      // the densities one by one, each with the error of its precision's exponent, summed plainly
      compare(
        'log-likelihood = Σ log densities',
        each(({ there }, { z, size }) => {
          let sum = 0;
          let magnitude = 0;
          z.forEach((x, j) => {
            const precision = beta * Math.exp(x / T);
            for (let c = 0; c < dv; c++) {
              const constant = (x / T + Math.log(beta / (2 * Math.PI))) / 2;
              const square = (precision * (at[c] - v[j * dv + c]) ** 2) / 2;
              sum += constant - square;
              magnitude +=
                Math.abs(x / T) + Math.abs(Math.log(beta)) + Math.log(2 * Math.PI) + square;
            }
          });
          return [
            [
              there.logLikelihood,
              sum,
              U * magnitude,
              apart(size) + 8 * Math.abs(there.logPrecision) + z.length * dv,
            ],
          ];
        }),
      ),
      stated('Σ p‖at − v‖² = Σ p‖o − v‖² + ‖at − o‖²', ...found.map(({ there }) => there.identity)),
    ];
  },
};
