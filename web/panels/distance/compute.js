/**
 * Both sides of the kernel equivalence, from the kernels and from the oracle, and the difference
 * that rounding allows between them.
 */
import { gaussianInputs, unitRows } from '../../math/data.js';
import { attentionRow, bareRow, gaussianRow } from '../../math/oracle.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {import('../../../src/js/types.d.ts').FloatArray} FloatArray */
/**
 * @typedef {{ seed: number, T: number, unitQueries: boolean, unitKeys: boolean, restore: boolean }}
 *   Setting
 */
/** @typedef {ReturnType<typeof compare>} Comparison */

/** The sizes of the note's run. */
export const N = 32;
export const D = 64;
export const DV = 16;
export const UNITS = { float64: 2 ** -53, float32: 2 ** -24 };
/** Of the allowance u·(FLAT + STEEP·B), derived at attn_gaussian_compare in theory.h. */
export const FLAT = 16;
export const STEEP = 8;

/** @param {Setting} setting @param {'float64' | 'float32'} precision */
export function inputs({ seed, unitQueries, unitKeys }, precision) {
  const { q, k, v } = gaussianInputs({ seed, n: N, d: D, dv: DV });
  const cast = (/** @type {Float64Array} */ x) =>
    precision === 'float32' ? Float32Array.from(x) : x;
  return {
    q: cast(unitQueries ? unitRows(q, D) : q),
    k: cast(unitKeys ? unitRows(k, D) : k),
    v: cast(v),
  };
}

/**
 * Softmax attention and Gaussian smoothing on the same inputs, both from the kernels.
 * @param {Engine} engine @param {Setting} setting @param {'float64' | 'float32'} precision
 */
export function compare(engine, setting, precision) {
  const { T, restore } = setting;
  const { q, k, v } = inputs(setting, precision);
  const { weights: softmax, output } = engine.attention(q, k, v, {
    headDim: D,
    valueDim: DV,
    temperature: T,
    want: { weights: true },
  });
  const gaussian = engine.theory.gaussianWeights(q, k, v, {
    headDim: D,
    valueDim: DV,
    temperature: T,
    restoreKeyNorm: restore,
  });
  const engineSays = engine.theory.kernelEquivalence(q, k, v, {
    headDim: D,
    valueDim: DV,
    temperature: T,
    restoreKeyNorm: restore,
  });
  if (!softmax || !gaussian.output) throw new Error('the engine did not return what was asked for');
  const found = differences({
    q,
    k,
    v,
    softmax,
    output,
    gaussian: gaussian.weights,
    smoothed: gaussian.output,
    T,
    u: UNITS[precision],
  });
  return {
    q,
    k,
    v,
    softmax,
    output,
    gaussian: gaussian.weights,
    smoothed: gaussian.output,
    sigma2: gaussian.sigma2,
    engineSays,
    ...found,
  };
}

/**
 * The Gaussian rows without a shift by the largest exponent, and how many of them are lost: the
 * rows that are NaN, and those whose largest exponential is 0 to the format.
 * @param {Comparison} found @param {Setting} setting @param {'float64' | 'float32'} precision
 */
export function bare({ q, k, sigma2 }, { restore }, precision) {
  const single = precision === 'float32';
  const weights = new Float64Array(N * N);
  // exp(x) rounds to 0 below half of the smallest number
  const smallest = (single ? -150 : -1075) * Math.LN2;
  let nan = 0;
  let predicted = 0;
  for (let i = 0; i < N; i++) {
    const row = bareRow(q.subarray(i * D, (i + 1) * D), k, { n: N, d: D, sigma2, restore, single });
    weights.set(row.weights, i * N);
    if (Number.isNaN(row.weights[0])) nan++;
    if (row.largest <= smallest || row.largest > (single ? 128 : 1024) * Math.LN2) predicted++;
  }
  return { weights, nan, predicted };
}

const NORMALISED = /** @type {const} */ ([
  ['both', true, true],
  ['only k', false, true],
  ['only q', true, false],
  ['neither', false, false],
]);

/**
 * All eight settings of the three switches, in float64.
 * @param {Engine} engine @param {Setting} setting
 */
export const truths = (engine, setting) =>
  NORMALISED.flatMap(([name, unitQueries, unitKeys]) =>
    [false, true].map((restore) => {
      const found = compare(engine, { ...setting, unitQueries, unitKeys, restore }, 'float64');
      const { weights, holds } = found;
      return { name, unitQueries, unitKeys, restore, weights, holds };
    }),
  );

/**
 * Element by element: |ΔW| ≤ u·(FLAT + STEEP·B)·W and |ΔO| ≤ u·(FLAT + STEEP·B)·Σ W|v|, with B =
 * (‖q_i‖ + max‖k_j‖)²/4T.
 * @param {{ q: FloatArray, k: FloatArray, v: FloatArray, softmax: FloatArray, output: FloatArray,
 *   gaussian: FloatArray, smoothed: FloatArray, T: number, u: number }} sides
 */
export function differences({ q, k, v, softmax, output, gaussian, smoothed, T, u }) {
  // below it a weight loses its relative accuracy
  const smallest = u > 2 ** -30 ? 2 ** -126 : 2 ** -1022;
  const length = (/** @type {FloatArray} */ rows, /** @type {number} */ r) =>
    Math.hypot(...rows.subarray(r * D, (r + 1) * D));
  let longest = 0;
  for (let j = 0; j < N; j++) longest = Math.max(longest, length(k, j));
  const W = { max: 0, square: 0, measured: 0, allowed: 0, ratio: 0 };
  const O = { ...W };
  const note = (
    /** @type {typeof W} */ side,
    /** @type {number} */ delta,
    /** @type {number} */ allowed,
  ) => {
    side.max = Math.max(side.max, delta);
    side.square += delta * delta;
    if (delta / allowed > side.ratio || Number.isNaN(delta) || side.allowed === 0)
      Object.assign(side, { measured: delta, allowed, ratio: delta / allowed });
  };
  const units = (/** @type {number} */ i) =>
    FLAT + (STEEP * (length(q, i) + longest) ** 2) / (4 * T);
  for (let i = 0; i < N; i++) {
    const factor = units(i);
    for (let j = 0; j < N; j++) {
      const at = i * N + j;
      note(
        W,
        Math.abs(softmax[at] - gaussian[at]),
        u * factor * Math.max(softmax[at], gaussian[at]) + smallest,
      );
    }
    for (let c = 0; c < DV; c++) {
      let mass = 0;
      for (let j = 0; j < N; j++)
        mass += Math.max(softmax[i * N + j], gaussian[i * N + j]) * Math.abs(v[j * DV + c]);
      note(O, Math.abs(output[i * DV + c] - smoothed[i * DV + c]), u * factor * mass + smallest);
    }
  }
  return {
    weights: { ...W, frobenius: Math.sqrt(W.square) },
    outputs: { ...O, frobenius: Math.sqrt(O.square) },
    holds: W.ratio <= 1 && O.ratio <= 1,
    units: units(0),
  };
}

/**
 * The two sides as the oracle computes them, and the row constants the bell needs.
 * @param {Comparison} found @param {Setting} setting
 */
export function oracleSides({ q, k, v, softmax, gaussian }, { T, restore }) {
  let softmaxOff = 0;
  let gaussianOff = 0;
  const rowConstants = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    const query = q.subarray(i * D, (i + 1) * D);
    const one = attentionRow(query, k, v, { n: N, d: D, dv: DV, scale: 1 / Math.sqrt(D), T });
    const other = gaussianRow(query, k, v, { n: N, d: D, dv: DV, T, restoreKeyNorm: restore });
    rowConstants[i] = other.rowConstant;
    for (let j = 0; j < N; j++) {
      softmaxOff = Math.max(softmaxOff, Math.abs(softmax[i * N + j] - one.weights[j]));
      gaussianOff = Math.max(gaussianOff, Math.abs(gaussian[i * N + j] - other.weights[j]));
    }
  }
  return { softmaxOff, gaussianOff, rowConstants };
}
