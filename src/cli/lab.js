import { normal } from './textbook.js';

/**
 * @typedef {import('../js/types.d.ts').Engine & import('../js/types.d.ts').Layers} Engine with
 *   layers
 * @typedef {import('../js/types.d.ts').Identity} Identity
 */
/**
 * @typedef {[left: number, right: number, unit: number, units: number]} Element two numbers that
 *   should be equal, the unit of rounding at their size, and how many units they may differ by
 */
/**
 * `left` and `right` are the two numbers that come nearest to the limit.
 * @typedef {{ sides: string, kind: 'identity' | 'bound', left: number, right: number, measured:
 *   number, allowed: number, unit: string, ratio: number, verdict: 'holds' | 'bound' | 'vacuous' |
 *   'violated', cap?: number }} Part
 */

/** The unit of rounding in float64. */
export const U = 2 ** -53;

/**
 * The sizes of the run in the note that states the identity (see README, Sources); the other
 * statements at another temperature, so that it cannot drop out.
 */
export const SIZES = { m: 32, n: 32, d: 64, dv: 16, T: 1 };
export const TEMPERATURE = 0.7;

export const dot = (/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) =>
  Array.from(a).reduce((sum, x, j) => sum + x * b[j], 0);
export const norm = (/** @type {Float64Array} */ a) => Math.sqrt(dot(a, a));

/**
 * The elements of two arrays.
 * @param {Float64Array} a
 * @param {Float64Array} b
 * @param {(j: number) => number} size
 * @param {number} units
 * @returns {Element[]}
 */
export const elements = (a, b, size, units) =>
  Array.from(a, (x, j) => [x, b[j], U * size(j), units]);

/**
 * Compares two sides element by element, and keeps the element that comes nearest to its limit.
 * @param {string} sides @param {Iterable<Element>} elements @param {string} [unit] @returns {Part}
 */
export function compare(sides, elements, unit = 'u') {
  const worst = { left: NaN, right: NaN, measured: 0, allowed: 0, ratio: -1 };
  for (const [left, right, size, units] of elements) {
    const difference = left === right ? 0 : Math.abs(left - right);
    // NaN is as bad as can be, and so is an allowance without end
    const ratio =
      difference === 0 ? 0 : size * units < Infinity ? difference / (size * units) : Infinity;
    if (!(ratio <= worst.ratio))
      Object.assign(worst, {
        left,
        right,
        measured: difference === 0 ? 0 : difference / size,
        allowed: units,
        ratio: Number.isNaN(ratio) ? Infinity : ratio,
      });
  }
  const holds = worst.ratio <= 1 && worst.ratio >= 0;
  return { sides, kind: 'identity', ...worst, unit, verdict: holds ? 'holds' : 'violated' };
}

/**
 * An identity that the library states, or several.
 * @param {string} sides
 * @param {Identity[]} identities
 */
export const stated = (sides, ...identities) =>
  compare(
    sides,
    identities.map(({ left, right, unit, allowed }) => [
      left,
      right,
      unit,
      unit ? allowed / unit : 0,
    ]),
  );

/**
 * A measurement that must not exceed a bound, beyond rounding. `cap` holds without any bound.
 * @param {string} sides
 * @param {number} measured
 * @param {number} bound
 * @param {{ rounding?: number, cap?: number }} [more]
 * @returns {Part}
 */
export function bounded(sides, measured, bound, { rounding = 0, cap = Infinity } = {}) {
  const holds = measured <= bound + rounding;
  return {
    sides,
    kind: 'bound',
    left: measured,
    right: bound,
    measured,
    allowed: bound,
    unit: '',
    ratio: measured / bound,
    ...(cap < Infinity && { cap }),
    verdict: !holds ? 'violated' : bound >= cap ? 'vacuous' : 'bound',
  };
}

/**
 * Several measurements, each with its bound. The one that comes nearest to its bound is kept.
 * @param {string} sides
 * @param {number[][]} pairs of a measurement and its bound
 * @param {number} [rounding] relative to the bound
 */
export function nearestBound(sides, pairs, rounding = 0) {
  // NaN comes before every number
  const nearness = (/** @type {number[]} */ [measured, bound]) =>
    Number.isNaN(measured / bound) ? Infinity : measured / bound;
  const [measured, bound] = pairs.reduce((a, b) => (nearness(b) > nearness(a) ? b : a));
  return bounded(sides, measured, bound, { rounding: rounding * bound });
}

/**
 * Numbers that are equal bit for bit. The first two that are not are kept, or the largest two.
 * @param {string} sides
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @returns {Part}
 */
export function exact(sides, a, b) {
  const left = Array.from(a);
  const right = Array.from(b);
  const wrong = left.findIndex((x, j) => !Object.is(x, right[j]));
  const same = left.length > 0 && left.length === right.length && wrong < 0;
  const largest = left.reduce((best, x, j) => (Math.abs(x) > Math.abs(left[best]) ? j : best), 0);
  const at = wrong < 0 ? largest : wrong;
  return {
    sides,
    kind: 'identity',
    left: left[at] ?? NaN,
    right: right[at] ?? NaN,
    measured: same ? 0 : Infinity,
    allowed: 0,
    ratio: same ? 0 : Infinity,
    unit: 'u',
    verdict: same ? 'holds' : 'violated',
  };
}

/** Something that could not be computed. @param {string} sides */
export const refused = (sides) => exact(sides, [], []);

/**
 * How far two computations of a weight or of a weighted mean may be apart, in units of Σ p|v|: each
 * is within ε·Σp|v|·(4 + 2A), as random data are (docs/numerics.md), ε = 2u, A the size of the
 * terms of the logits.
 * @param {number} size A
 */
export const apart = (size) => 16 + 8 * size;

/**
 * One head of attention in float64, as the statements see it: for each query its logits, weights,
 * output and statistics.
 * @param {Engine} ch
 * @param {number} seed
 */
export async function lab(ch, seed) {
  const { m, n, d, dv } = SIZES;
  const T = TEMPERATURE;
  const next = normal(seed);
  const make = (/** @type {number} */ length) => Float64Array.from({ length }, next);
  const q = make(m * d);
  const k = make(n * d);
  const v = make(n * dv);
  const { output, weights, scores, lse, stats } =
    /** @type {Required<import('../js/types.d.ts').AttentionResult<Float64Array>>} */ (
      ch.attention(q, k, v, {
        headDim: d,
        valueDim: dv,
        temperature: T,
        want: { weights: true, scores: 'raw', lse: true, stats: true },
      })
    );
  const rows = Array.from({ length: m }, (_, i) => {
    const query = q.subarray(i * d, i * d + d);
    const p = weights.subarray(i * n, i * n + n);
    const z = scores.subarray(i * n, i * n + n);
    let size = 0;
    for (let j = 0; j < n; j++)
      size = Math.max(
        size,
        query.reduce((sum, x, c) => sum + Math.abs(x * k[j * d + c]), 0) / (Math.sqrt(d) * T),
      );
    const magnitude = Float64Array.from({ length: dv }, (_, c) =>
      p.reduce((sum, x, j) => sum + x * Math.abs(v[j * dv + c]), 0),
    );
    return {
      q: query,
      p,
      z,
      size,
      magnitude,
      output: output.subarray(i * dv, i * dv + dv),
      lse: lse[i],
      entropy: stats.entropy[i],
      kl: stats.kl[i],
      expectedScore: stats.expectedScore[i],
      variance: stats.variance[i],
    };
  });
  return { ch, theory: await ch.theory, ...SIZES, T, seed, make, q, k, v, rows };
}

/** @typedef {Awaited<ReturnType<typeof lab>>} Lab */
