/** Statements 7 and 9. */
import { U, apart, compare, elements, exact, nearestBound, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const gibbs = {
  number: 7,
  run({ theory, n, T, make, rows }) {
    const candidates = rows.map(() => make(n).map((x) => x * x));
    const measured = rows.map(({ z }, i) =>
      theory.gibbs(z, { temperature: T, candidate: candidates[i] }),
    );
    const merged = rows.map(({ z }, i) =>
      theory.simplexMerge(z, { temperature: T, keep: [i % n, (i + 7) % n] }),
    );
    return [
      stated('shortfall of any p′ = T·KL(p′‖p)', ...measured.map(({ identity }) => identity)),
      compare(
        'optimum = T·lse of attention',
        rows.map(({ lse, size }, i) => [
          measured[i].optimum,
          T * lse,
          U * T,
          apart(size) + 8 * Math.abs(lse),
        ]),
      ),
      compare(
        'objective at attention’s weights = T·lse',
        rows.map(({ z, p, lse, size }) => [
          theory.gibbs(z, { temperature: T, candidate: p }).objective,
          T * lse,
          U * T,
          apart(size) * (1 + Math.log(n)),
        ]),
      ),
      stated(
        'optimum of two keys and the rest = of all',
        ...merged.map(({ identity }) => identity),
      ),
      compare(
        'weights of two keys and the rest = attention',
        rows.flatMap(({ p, size }, i) =>
          elements(
            merged[i].weights,
            Float64Array.of(
              p[i % n],
              p[(i + 7) % n],
              p.reduce((sum, x, j) => (j === i % n || j === (i + 7) % n ? sum : sum + x), 0),
            ),
            (j) => merged[i].weights[j],
            apart(size) + n,
          ),
        ),
      ),
    ];
  },
};

/** @type {Comparison} */
export const limits = {
  number: 9,
  run({ ch, theory, k, v, d, dv, T, rows }) {
    const at = (/** @type {Float64Array} */ q, /** @type {number} */ temperature) =>
      /** @type {Float64Array} */ (
        ch.attention(q, k, v, { headDim: d, valueDim: dv, temperature, want: { weights: true } })
          .weights
      );
    const found = rows.map(({ z }) => theory.limits(z, { temperature: T }));
    return [
      exact(
        'attention at T = 0 = the largest alone, bit for bit',
        rows.flatMap(({ q }) => [...at(q, 0)]),
        found.flatMap(({ hard }) => [...hard]),
      ),
      exact(
        'attention at T = ∞ = 1/n, bit for bit',
        rows.flatMap(({ q }) => [...at(q, Infinity)]),
        found.flatMap(({ uniform }) => [...uniform]),
      ),
      compare(
        'T·lse − max z of limits = of attention',
        rows.map(({ z, lse, size }, i) => [
          found[i].excess,
          T * lse - Math.max(...z),
          U * T,
          apart(size) + 8 * Math.abs(lse),
        ]),
      ),
      exact(
        'ties share: (1, 1, 0) gives (½, ½, 0)',
        theory.limits(Float64Array.of(1, 1, 0)).hard,
        Float64Array.of(0.5, 0.5, 0),
      ),
      nearestBound(
        '‖p − argmax‖₁ ≤ 2(n/ties − 1)·e^(−gap/T)',
        found.map(({ toHard }) => [toHard.distance, toHard.bound]),
        64 * U,
      ),
      nearestBound(
        'KL(p‖u) ≤ (width/T)²/8',
        found.map(({ toUniform }) => [toUniform.kl, toUniform.bound]),
        64 * U,
      ),
    ];
  },
};
