/**
 * Four ways to the same weights, and how far apart rounding may leave them. The output is the mean
 * of the values with these weights.
 */
import { meanOf } from '../../math/oracle.js';
import { bestUseOf, compromise, spending } from '../../math/roads.js';
import { FLAT, STEEP, UNITS } from '../distance/compute.js';
import { COLDEST, HOTTEST } from './state.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

const D = 2;
const U = UNITS.float64;

/** n rows that have a 1 each, at their own place. @param {number} n */
const oneHot = (n) => Float64Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? 1 : 0));

/** A point of the unit circle. @param {number} degrees @returns {[number, number]} */
const onCircle = (degrees) => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];

/**
 * The weights at T = 0 and T = ∞: the best keys share all, or all keys share alike.
 * @param {ArrayLike<number>} scores
 * @param {number} T 0 or Infinity
 */
export function atTheLimit(scores, T) {
  const best = Math.max(...Array.from(scores));
  const shares = Array.from(scores, (z) => Number(!(T === 0 && z < best)));
  const count = shares.reduce((a, b) => a + b, 0);
  return Float64Array.from(shares, (x) => x / count);
}

/**
 * The largest spread of a weight over some routes, against what rounding allows.
 * @param {ArrayLike<number>[]} routes
 * @param {number} rounding relative to a weight
 */
function spreadOf(routes, rounding) {
  const worst = { measured: 0, allowed: 0, ratio: 0, size: 0 };
  for (let j = 0; j < routes[0].length; j++) {
    const values = routes.map((route) => route[j]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const apart = high - low;
    worst.measured = Math.max(worst.measured, apart);
    worst.allowed = Math.max(worst.allowed, rounding * high);
    worst.ratio = Math.max(worst.ratio, apart === 0 ? 0 : apart / (rounding * high));
    worst.size = Math.max(worst.size, high);
    if (Number.isNaN(apart)) worst.measured = worst.ratio = NaN;
  }
  return worst;
}

/**
 * An output of the kernel against the mean of the values with its weights. Each weight may carry
 * the rounding of a weight, and either side rounds n products and their sum.
 * @param {ArrayLike<number>} output @param {ArrayLike<number>} weights
 * @param {ArrayLike<number>} values @param {number} rounding relative to a weight
 */
function againstMean(output, weights, values, rounding) {
  const { mean, mass } = meanOf(weights, values);
  const found = { measured: 0, allowed: 0, ratio: 0 };
  mean.forEach((x, c) => {
    const apart = Math.abs(output[c] - x);
    const allowed = (rounding + 2 * U * weights.length) * mass[c];
    found.measured = Math.max(found.measured, apart);
    found.allowed = Math.max(found.allowed, allowed);
    found.ratio = Math.max(found.ratio, apart === 0 ? 0 : apart / allowed);
  });
  return found;
}

/**
 * The routes and their differences, and the output.
 * @param {Engine} engine
 * @param {{ T: number, q: number, k: readonly number[], values: Float64Array }} state values (n, 2)
 */
export function derive(engine, { T, q: degrees, k: keyDegrees, values }) {
  const q = Float64Array.from(onCircle(degrees));
  const k = Float64Array.from(keyDegrees.flatMap(onCircle));
  const n = keyDegrees.length;
  const scores = Float64Array.from(
    { length: n },
    (_, j) => (q[0] * k[2 * j] + q[1] * k[2 * j + 1]) / Math.sqrt(D),
  );
  // Reading one-hot values, attention's output is its weights.
  const {
    output: softmax,
    stats,
    lse,
  } = engine.attention(q, k, oneHot(n), {
    headDim: D,
    valueDim: n,
    temperature: T,
    want: { stats: true, lse: true },
  });
  const { output } = engine.attention(q, k, values, {
    headDim: D,
    valueDim: D,
    temperature: T,
  });
  if (!stats || !lse) throw new Error('the engine returned no statistics');
  const rho = stats.kl[0];
  const entropy = stats.entropy[0];
  const finite = T > 0 && T < Infinity;
  const limits = finite ? undefined : engine.theory.limits(scores);
  const gaussian = limits
    ? T === 0
      ? limits.hard
      : limits.uniform
    : engine.theory.gaussianWeights(q, k, null, { headDim: D, temperature: T }).weights;
  const balance = finite ? compromise(scores, T) : atTheLimit(scores, T);
  const spent = finite ? bestUseOf(scores, rho).weights : balance;
  const win = (/** @type {ArrayLike<number>} */ p) =>
    scores.reduce((sum, z, j) => sum + p[j] * z, 0);
  // A logit is at most B = 1/T here, and carries u·B on either side.
  const rounding = U * (FLAT + STEEP * (T > 0 ? 1 / T : 0));
  const forms = [rho, Math.log(n) - entropy, spending(softmax)];
  if (T > 0) forms.push(stats.expectedScore[0] / T - lse[0] + Math.log(n));
  return {
    q,
    k,
    scores,
    sigma2: T * Math.sqrt(D),
    values,
    output,
    routes: [softmax, gaussian, balance, spent],
    rho,
    entropy,
    lse: lse[0],
    finite,
    agree: spreadOf([softmax, gaussian, balance], rounding),
    budget: {
      measured: Math.max(
        Math.abs(spending(spent) - rho),
        finite ? Math.abs(win(spent) - win(softmax)) / T : 0,
      ),
      allowed: rounding,
    },
    mean: againstMean(output, softmax, values, rounding),
    spent: {
      measured: Math.max(...forms) - Math.min(...forms),
      allowed: rounding,
    },
  };
}

/**
 * The circle that shows a row: the query at the top, the best key right at it, and worse ones
 * farther away. Its temperature makes the weights those of the row. A key too far below the best
 * lies on the other side: its weight is below e⁻²⁸.
 * @param {ArrayLike<number>} scores
 * @param {number} temperature of the row
 */
export function circleOf(scores, temperature) {
  const best = Math.max(...Array.from(scores));
  const below = Array.from(scores, (z) => best - z);
  const range = Math.max(...below);
  const finite = temperature > 0 && temperature < Infinity;
  const scale = finite ? 1 / temperature : 1;
  const even = range > 0 ? Math.SQRT2 / (range * scale) : HOTTEST;
  const T = Number(Math.min(HOTTEST, Math.max(COLDEST, even)).toPrecision(9));
  const k = below.map((gap, j) => {
    const cosine = Math.max(-1, 1 - Math.SQRT2 * T * scale * gap);
    const degrees = (Math.acos(cosine) * 180) / Math.PI;
    return Number((j % 2 ? 90 + degrees : (450 - degrees) % 360).toFixed(7));
  });
  return { q: [90], k, T: finite ? T : temperature };
}
