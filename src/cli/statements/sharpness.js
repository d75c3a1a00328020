/** Statements 19 and 20. */
import { U, apart, bounded, compare, nearestBound, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 * @typedef {import('../lab.js').Engine} Engine
 */

/** A bound on a sum of n terms, as theory.h allows it. @param {number} n */
const allowedOf = (n) => 32 + 32 * Math.log(n);

/**
 * The largest weight that attention gives to these logits: one query 1 over keys z.
 * @param {Engine} ch
 * @param {Float64Array} z
 * @param {number} temperature
 */
const largestWeight = (ch, z, temperature) =>
  Math.max(
    .../** @type {Float64Array} */ (
      ch.attention(Float64Array.of(1), z, z, { headDim: 1, temperature, want: { weights: true } })
        .weights
    ),
  );

/** @type {Comparison} */
export const dispersion = {
  number: 19,
  shows: 0,
  run({ ch, theory, n, T, rows }) {
    const found = rows.map(({ z }) => theory.dispersion(z, { temperature: T }));
    const largest = rows.map(({ p }) => Math.max(...p));
    // one logit above n − 1 equal ones, for as many keys as the row has, and for many more
    const peaks = [n, 50 * n].map((keys) => {
      const z = new Float64Array(keys);
      z[1] = 3 * T;
      return { keys, z, ...theory.dispersion(z, { temperature: T }) };
    });
    return [
      nearestBound(
        'attention’s largest weight ≤ the bound',
        found.map(({ bound }, i) => [largest[i], bound]),
        U * allowedOf(n),
      ),
      nearestBound(
        'the same with the mean gap',
        found.map(({ meanBound }, i) => [largest[i], meanBound]),
        U * allowedOf(n),
      ),
      stated(
        'log-odds of the largest = gap/T − log(n − 1) − KL',
        ...found.map(({ identity }) => identity),
      ),
      compare(
        'largest weight = attention’s',
        rows.map(({ size }, i) => [found[i].max, largest[i], U * found[i].max, apart(size) + n]),
      ),
      compare(
        'both bounds are reached by one logit above equal ones',
        peaks.flatMap(({ keys, z, bound, meanBound }) =>
          [bound, meanBound].map(
            (limit) =>
              /** @type {Element} */ ([largestWeight(ch, z, T), limit, U * limit, allowedOf(keys)]),
          ),
        ),
      ),
      compare(
        'at a width of T·log(n − 1) the bound = ½',
        peaks.map(({ keys, z, halfWidth }) => {
          z[1] = halfWidth;
          const { bound } = theory.dispersion(z, { temperature: T });
          return [bound, 0.5, U / 2, allowedOf(keys)];
        }),
      ),
    ];
  },
};

/** @type {Comparison} */
export const critical = {
  number: 20,
  shows: 0,
  run({ ch, theory, n, rows }) {
    const found = rows.map(({ z }) => theory.criticalTemperature(z).critical);
    // below, at and above the critical temperature of each row
    const tried = rows.flatMap(({ z }, i) =>
      [0.5, 1, 2].map((times) => {
        const temperature = times * found[i];
        const { lower, upper } = theory.criticalTemperature(z, { temperature });
        return { times, lower, upper, max: largestWeight(ch, z, temperature) };
      }),
    );
    const zipf = Float64Array.from({ length: n }, (_, j) => -Math.log(j + 1));
    const plateau = Float64Array.from({ length: n }, (_, j) => (j === 0 ? 2 : j < 5 ? 0 : -1e4));
    const attained = [0.3, 1, 4].flatMap((temperature) => [
      [
        theory.criticalTemperature(zipf, { temperature }).lower,
        largestWeight(ch, zipf, temperature),
      ],
      [
        theory.criticalTemperature(plateau, { temperature }).upper,
        largestWeight(ch, plateau, temperature),
      ],
    ]);
    return [
      nearestBound(
        '1/Σ j^(−T_c/T) ≤ attention’s largest weight',
        tried.map(({ lower, max }) => [lower, max]),
        U * allowedOf(n),
      ),
      nearestBound(
        'attention’s largest weight ≤ 1/(1 + (r − 1)·r^(−T_c/T))',
        tried.map(({ max, upper }) => [max, upper]),
        U * allowedOf(n),
      ),
      compare(
        'T_c = min gap/log rank, ranks counted one by one',
        rows.map(({ z }, i) => {
          const top = Math.max(...z);
          const others = z.filter((x) => x < top);
          const each = others.map((x) => (top - x) / Math.log(z.filter((y) => y >= x).length));
          const min = Math.min(...each);
          return [found[i], min, U * min, 8];
        }),
      ),
      compare(
        'logits −log j reach the lower bound, r − 1 equal ones the upper',
        attained.map(([limit, max]) => [limit, max, U * limit, 2 * allowedOf(n)]),
      ),
      bounded(
        '6/π² ≤ the lower bound at T_c/2',
        6 / Math.PI ** 2,
        Math.min(...tried.filter(({ times }) => times === 0.5).map(({ lower }) => lower)),
      ),
    ];
  },
};
