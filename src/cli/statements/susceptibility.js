/** Statement 17. */
import { U, apart, compare, dot, exact, nearestBound, stated } from '../lab.js';

/** @typedef {import('../statements.js').Comparison} Comparison */

/** The step of β, relatively. */
const STEP = 1e-5;

/** @type {Comparison} */
export const susceptibility = {
  number: 17,
  run({ ch, theory, q, k, v, d, dv, n, T, rows }) {
    const found = rows.map(({ z }) => theory.susceptibility(z, { temperature: T }));
    const spentAt = (/** @type {number} */ temperature) =>
      /** @type {Required<import('../../js/types.d.ts').AttentionResult<Float64Array>>} */ (
        ch.attention(q, k, v, { headDim: d, valueDim: dv, temperature, want: { stats: true } })
      ).stats.kl;
    const more = spentAt(T / (1 + STEP));
    const less = spentAt(T / (1 - STEP));
    // β·dρ/dβ against a difference: its third derivative is 2κ₃ + βκ₄ of z/T, and cumulants over a
    // width w are at most w³/6√3 and w⁴/8. ρ itself is known to 16 units of its terms
    const missed = rows.map(({ z, size }, i) => {
      const w = (Math.max(...z) - Math.min(...z)) / T;
      const third = (2 * w ** 3) / (6 * Math.sqrt(3)) + ((1 + STEP) * w ** 4) / 8;
      const allowed =
        (STEP ** 2 * third) / 6 + (U * apart(size) * (16 + 8 * Math.log(n) ** 2)) / STEP;
      const rise = (more[i] - less[i]) / (2 * STEP);
      return [Math.abs(rise - found[i].slope / T), allowed];
    });
    return [
      stated('rise of ρ = ∫ β·Var_p(z) dβ', ...found.map(({ identity }) => identity)),
      nearestBound('slope − that of attention’s ρ ≤ error of a step', missed),
      compare(
        'β²·Var_p(z) = Var(log p) of attention’s weights',
        rows.flatMap(({ p, size }, i) => {
          const { share, slope, variance } = found[i];
          const logs = p.map(Math.log);
          const mean = dot(p, logs);
          const spread = dot(
            p,
            logs.map((x) => (x - mean) ** 2),
          );
          const units = (2 * Math.sqrt(spread) + spread) * (apart(size) + n) + 16 * (1 + spread);
          return [share * Math.log(n) ** 2, slope / T, variance / T ** 2].map(
            (x) => /** @type {import('../lab.js').Element} */ ([x, spread, U, units]),
          );
        }),
      ),
      exact(
        'equal logits do not respond',
        [theory.susceptibility(new Float64Array(n).fill(2)).slope],
        [0],
      ),
    ];
  },
};
