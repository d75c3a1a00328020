/** Statements 4 and 5. */
import { U, apart, compare, dot, elements, nearestBound, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const budget = {
  number: 4,
  run({ theory, n, T, rows }) {
    const solved = rows.map(({ z, kl }) => theory.klBudget(z, kl));
    const { rho, beta, expectedScore } = theory.klFrontier(rows[0].z, { points: 33 });
    // a chord of the concave frontier lies between the tangents at its ends, whose slopes are 1/β,
    // and strictly so
    const chords = Array.from({ length: 31 }, (_, x) => [
      (expectedScore[x + 2] - expectedScore[x + 1]) / (rho[x + 2] - rho[x + 1]),
      1 / beta[x + 1],
      1 / beta[x + 2],
    ]);
    return [
      // ρ is known to the units of its weights, times 1 + log n. β moves by 1/(β Var z) for each
      // unit of ρ.
      compare(
        'β of the budget that attention spends = 1/T',
        rows.map(({ size }, i) => {
          const { beta, variance } = solved[i];
          return [beta, 1 / T, U / T, (apart(size) * (1 + Math.log(n))) / (variance * beta ** 2)];
        }),
      ),
      compare(
        'attention = the weights that the budget buys',
        rows.flatMap(({ p, size }, i) =>
          elements(
            solved[i].weights,
            p,
            (j) => p[j],
            apart(size) +
              (apart(size) * (1 + Math.log(n)) * 2 * size) /
                (solved[i].variance * solved[i].beta ** 2),
          ),
        ),
      ),
      stated('⟨p, z⟩ − ρ/β = (lse(βz) − log n)/β', ...solved.map(({ identity }) => identity)),
      nearestBound(
        'slope of the frontier ≤ 1/β at its start',
        chords.map(([chord, upper]) => [chord, upper]),
      ),
      nearestBound(
        '1/β at its end ≤ slope of the frontier',
        chords.map(([chord, , lower]) => [lower, chord]),
      ),
    ];
  },
};

/** @type {Comparison} */
export const spent = {
  number: 5,
  run({ ch, theory, q, k, v, d, dv, n, T, rows }) {
    const single = ch.attention(Float32Array.from(q), Float32Array.from(k), Float32Array.from(v), {
      headDim: d,
      valueDim: dv,
      temperature: T,
      want: { stats: true },
    }).stats.variance;
    // of squares of the terms of the logits
    const variances = (
      /** @type {string} */ sides,
      /** @type {(row: number) => number} */ f,
      /** @type {number} */ unit,
    ) =>
      compare(
        sides,
        rows.map(({ p, z, size }, i) => {
          const mean = dot(p, z);
          const want = dot(
            p,
            z.map((x) => (x - mean) ** 2),
          );
          return [f(i), want, unit * (T * (1 + size)) ** 2, apart(size)];
        }),
      );
    const spent = rows.map(({ z }) => theory.rhoEffective(z, { temperature: T }));
    const log = Math.log(n);
    // the kernel's sums and ours: each form is made of terms of log n, of |z|/T where they are not
    // relative to the largest
    const kernel = (
      /** @type {string} */ sides,
      /** @type {(row: typeof rows[0]) => number} */ f,
    ) =>
      compare(
        sides,
        rows.map((row, i) => [f(row), spent[i].rho, U, apart(row.size) * (1 + log)]),
      );
    return [
      stated('log n − H = ⟨z⟩/T − lse + log n', ...spent.map(({ identity }) => identity)),
      kernel('fused kl = ρ', ({ kl }) => kl),
      kernel('log n − fused entropy = ρ', ({ entropy }) => log - entropy),
      kernel(
        'fused ⟨z⟩/T − lse + log n = ρ',
        ({ expectedScore, lse }) => expectedScore / T - lse + log,
      ),
      variances('fused variance = Σp(z − ⟨z⟩)²', (i) => rows[i].variance, U),
      variances('the same in float32', (i) => single[i], 2 ** -24),
    ];
  },
};
