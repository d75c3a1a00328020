/** One row at any temperature, by the kernel and by plain sums. */

/** @typedef {import('../../page/engine.js').Engine} Engine */

/** Rounding of float64. */
const U = 2 ** -53;

/**
 * softmax(z/T) by the kernel. With one channel a query of 1 has the scores themselves as its keys.
 * @param {Engine} engine @param {ArrayLike<number>} z @param {number} T
 * @returns {Float64Array}
 */
export function atTemperature(engine, z, T) {
  const { weights } = engine.attention(
    Float64Array.of(1),
    Float64Array.from(z),
    new Float64Array(z.length),
    {
      headDim: 1,
      valueDim: 1,
      scale: 1,
      temperature: T,
      want: { weights: true },
    },
  );
  if (!weights) throw new Error('the engine returned no weights');
  return weights;
}

/**
 * The ends, which need no exponential: T = 0 shares everything among the largest scores, T = ∞
 * among all.
 * @param {ArrayLike<number>} z @param {0 | typeof Infinity} T
 */
export function atAnEnd(z, T) {
  const all = Array.from(z);
  const chosen = T === 0 ? all.filter((x) => all.every((y) => y <= x)) : all;
  return all.map((x) => (chosen.includes(x) ? 1 / chosen.length : 0));
}

/**
 * Between the ends: e^(z/T), divided by their sum.
 * @param {ArrayLike<number>} z @param {number} T
 */
export function between(z, T) {
  const all = Array.from(z);
  const top = all.reduce((a, b) => Math.max(a, b));
  const e = all.map((x) => Math.exp((x - top) / T));
  const sum = e.reduce((a, b) => a + b);
  return e.map((x) => x / sum);
}

/**
 * How far the weights are from the plain ones, and how far rounding may move them. An end allows
 * nothing. Between them a logit z/T is rounded twice, which the exponential multiplies; and a sum
 * of n terms is rounded n times.
 * @param {ArrayLike<number>} weights @param {ArrayLike<number>} z @param {number} T
 */
export function compare(weights, z, T) {
  const end = T === 0 || T === Infinity;
  const expected = end ? atAnEnd(z, T) : between(z, T);
  const all = Array.from(z);
  const top = all.reduce((a, b) => Math.max(a, b));
  let measured = 0;
  let ratio = 0;
  let allowed = 0;
  expected.forEach((p, j) => {
    const difference = Math.abs(weights[j] - p);
    const may = end ? 0 : U * p * (z.length + 8 + (4 * (top - all[j])) / T) + 2 ** -1074;
    measured = Math.max(measured, difference);
    allowed = Math.max(allowed, may);
    if (difference) ratio = Math.max(ratio, difference / may);
  });
  return { measured, allowed, ratio };
}
