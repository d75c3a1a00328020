/** Statement 3. */
import { U, apart, compare, dot, elements, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const entropy = {
  number: 3,
  run({ ch, theory, k, v, d, dv, T, make, rows }) {
    const lambda = make(k.length / d).map((x) => (1 + 0.2 * x) / (T * Math.sqrt(d)));
    const scaled = rows.map(({ q }) => ({
      ours: theory.maximumEntropy(q, k, { multipliers: lambda }).weights,
      theirs: ch.attention(q, k, v, {
        headDim: d,
        valueDim: dv,
        scale: 1,
        keyScale: lambda,
        want: { weights: true },
      }).weights,
    }));
    const solved = rows.map(({ q, p }) => {
      const { features } = theory.maximumEntropy(q, k, { multipliers: 1 });
      const target = dot(p, features);
      return { ...theory.maximumEntropy(q, k, { target }), target };
    });
    return [
      compare(
        'attention with keyScale = multipliers',
        rows.flatMap(({ size }, i) =>
          elements(
            scaled[i].ours,
            /** @type {Float64Array} */ (scaled[i].theirs),
            (j) => scaled[i].ours[j],
            apart(2 * size),
          ),
        ),
      ),
      // ⟨f⟩ moves by Var_p(f) for each unit of λ
      compare(
        'multiplier that meets attention’s ⟨f⟩ = 1/(T√d)',
        rows.map(({ p, size }, i) => {
          const { features, target, multiplier, identity } = solved[i];
          const variance = dot(
            p,
            features.map((f) => (f - target) ** 2),
          );
          const alpha = 1 / (T * Math.sqrt(d));
          return [
            multiplier,
            alpha,
            U * alpha,
            (identity.allowed / U + apart(size) * dot(p, features.map(Math.abs))) /
              (variance * alpha),
          ];
        }),
      ),
      stated('⟨f⟩ of the solution = target', ...solved.map(({ identity }) => identity)),
    ];
  },
};
