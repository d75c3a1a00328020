/** Statement 18. */
import { U, apart, bounded, compare, norm, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

const EXPONENTS = Float64Array.of(1, 1.5, 2, 4, Infinity);

/** @type {Comparison} */
export const norms = {
  number: 18,
  shows: 0,
  run({ ch, theory, q, k, v, n, d, dv, T, make, rows }) {
    const change = make(n).map((x) => x / 4);
    const options = { temperature: T, exponents: EXPONENTS };
    const found = rows.map(({ z }) => theory.everyNorm(z, { ...options, change }));
    const moved = /** @type {Float64Array} */ (
      ch.attention(q, k, v, {
        headDim: d,
        valueDim: dv,
        temperature: T,
        mask: { data: change, shape: [n] },
        want: { weights: true },
      }).weights
    );
    const one = (/** @type {Float64Array} */ x) => x.reduce((sum, y) => sum + Math.abs(y), 0);
    const largest = (/** @type {Float64Array} */ x) => Math.max(...x.map(Math.abs));

    // a weight of ½ against n − 1 equal ones: its log-odds move by the whole change, or by twice it
    // where the others move the other way
    const half = new Float64Array(n);
    half[0] = T * Math.log(n - 1);
    const step = T / 64;
    const single = half.map((_, j) => (j === 0 ? step : 0));
    const apartFrom = half.map((_, j) => (j === 0 ? step : -step));
    const attained = [
      { r: 1, ...theory.everyNorm(half, { ...options, change: single }), at: step },
      { r: Infinity, ...theory.everyNorm(half, { ...options, change: apartFrom }), at: 2 * step },
    ].map(({ r, ratios, local, at }) => ({
      local,
      ratio: ratios[EXPONENTS.indexOf(r)],
      // both are Δp₀/Δ(log-odds), and Δp₀ is ½·tanh of half of the change
      expected: Math.tanh(at / (2 * T)) / at,
    }));
    const rounding = U * (32 + 32 * Math.log(n));
    return [
      bounded(
        '‖Δp‖_r ≤ ‖Δz‖_r/(2T), r = 1, 3/2, 2, 4, ∞',
        Math.max(...found.map(({ maxRatio }) => maxRatio)),
        0.5 / T,
        { rounding: rounding / T },
      ),
      stated('2·max p(1 − p)/T = a column of the Jacobian', ...found.map((x) => x.identity)),
      compare(
        'ratios = those of attention’s weights, r = 1, 2, ∞',
        rows.flatMap(({ p, size }, i) => {
          const dp = p.map((x, j) => moved[i * n + j] - x);
          return [
            [one(dp) / one(change), 0],
            [norm(dp) / norm(change), 2],
            [largest(dp) / largest(change), 4],
          ].map(
            ([ratio, at]) =>
              /** @type {Element} */ ([
                found[i].ratios[at],
                ratio,
                U / largest(change) + U / T,
                2 * apart(size + largest(change) / T) + n,
              ]),
          );
        }),
      ),
      compare(
        '1/(2T) is reached at a weight of ½, in ℓ₁ and ℓ_∞',
        attained.flatMap(({ local, ratio, expected }) => [
          [local, 0.5 / T, U / T, 16 + 8 * Math.log(n)],
          [ratio, expected, U / T, 32 + 32 * Math.log(n)],
        ]),
      ),
    ];
  },
};
