/**
 * The fused pass of one row, span by span: the sums that a kernel carries, and the results that
 * follow from them. All in float64, at T = 1. It shares no code with the kernel.
 */
import { gaussianInputs } from '../../math/data.js';
import { STEPS } from './state.js';
import { D } from './ways.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof spanOf>} Sums of a span, or of all spans so far */

/** Keys under one maximum, as in the kernel (src/c/attention/tiles.h). */
export const SPAN = 512;
/** Keys of the row. */
export const N = STEPS * SPAN;

const SEED = 7;
const UNITS = { float64: 2 ** -53, float32: 2 ** -24 };

/**
 * The sums of the keys [from, to), with weights e = exp(z − max).
 * @param {ArrayLike<number>} z (n) scores
 * @param {ArrayLike<number>} v (n, dv)
 * @param {number} from @param {number} to
 */
export function spanOf(z, v, from, to) {
  const dv = v.length / z.length;
  let max = -Infinity;
  for (let j = from; j < to; j++) max = Math.max(max, z[j]);
  let sum = 0;
  let moment = 0; // Σ e·(z − max)
  const values = new Float64Array(dv); // Σ e·v
  for (let j = from; j < to; j++) {
    const e = Math.exp(z[j] - max);
    sum += e;
    moment += e * (z[j] - max);
    for (let c = 0; c < dv; c++) values[c] += e * v[j * dv + c];
  }
  let spread = 0; // Σ e·(z − mean)²
  for (let j = from; j < to; j++) spread += Math.exp(z[j] - max) * (z[j] - max - moment / sum) ** 2;
  return { max, sum, moment, spread, values, old: 0, own: 1 };
}

/**
 * The sums so far and those of the next span, under the larger maximum of the two.
 * @param {Sums} before @param {Sums} span
 * @returns {Sums}
 */
export function merge(before, span) {
  const max = Math.max(before.max, span.max);
  const old = Math.exp(before.max - max);
  const own = Math.exp(span.max - max);
  const [a, b] = [old * before.sum, own * span.sum];
  const apart = before.max - span.max + before.moment / before.sum - span.moment / span.sum;
  return {
    max,
    old,
    own,
    sum: a + b,
    moment:
      old * (before.moment + (before.max - max) * before.sum) +
      own * (span.moment + (span.max - max) * span.sum),
    spread: old * before.spread + own * span.spread + apart ** 2 * ((a * b) / (a + b)),
    values: before.values.map((x, c) => old * x + own * span.values[c]),
  };
}

/**
 * The results, from the sums alone.
 * @param {Sums} sums @param {number} n keys
 */
export function resultsOf({ max, sum, moment, spread, values }, n) {
  const mean = moment / sum;
  return {
    lse: max + Math.log(sum),
    entropy: Math.log(sum) - mean,
    kl: mean - Math.log(sum / n),
    expectedScore: max + mean,
    variance: spread / sum,
    output: values.map((x) => x / sum),
  };
}

/** One query, and the keys and values of a row, in floats. */
export function inputs() {
  const { q, k, v } = gaussianInputs({ seed: SEED, m: 1, n: N, d: D, dv: D });
  return {
    // twice as long as a drawn one, so that some keys stand out
    q: Float32Array.from(q, (x) => 2 * x),
    k: new Float32Array(k),
    v: new Float32Array(v),
  };
}

/** @param {Float32Array} q (D) @param {Float32Array} k (n, D) */
function scoresOf(q, k) {
  let size = 0;
  const z = Float64Array.from({ length: k.length / D }, (_, j) => {
    let dot = 0;
    let terms = 0;
    for (let c = 0; c < D; c++) {
      dot += q[c] * k[j * D + c];
      terms += Math.abs(q[c] * k[j * D + c]);
    }
    size = Math.max(size, terms / Math.sqrt(D));
    return dot / Math.sqrt(D);
  });
  return { z, size };
}

/** Each span, and the sums of all spans up to it. @param {ArrayLike<number>} z */
export function stepsOf(z, /** @type {ArrayLike<number>} */ v) {
  /** @type {{ span: Sums, sums: Sums }[]} */
  const steps = [];
  for (let from = 0; from < z.length; from += SPAN) {
    const span = spanOf(z, v, from, Math.min(z.length, from + SPAN));
    const before = steps.at(-1)?.sums;
    steps.push({ span, sums: before ? merge(before, span) : span });
  }
  return steps;
}

/**
 * The same of the library.
 * @param {Engine} engine @param {Float32Array | Float64Array} q @param {typeof q} k
 * @param {typeof q} v
 */
function library(engine, q, k, v) {
  const { output, lse, stats } = engine.attention(q, k, v, {
    headDim: D,
    want: { lse: true, stats: true },
  });
  if (!lse || !stats) throw new Error('the engine returned no statistics');
  return {
    lse: lse[0],
    entropy: stats.entropy[0],
    kl: stats.kl[0],
    expectedScore: stats.expectedScore[0],
    variance: stats.variance[0],
    output: Float64Array.from(output),
  };
}

/** @typedef {ReturnType<typeof resultsOf>} Results */

/**
 * The worst of all results. A score of d products is wrong by u·(d + 4)·A, with A the largest sum
 * of |terms|. It moves weights by twice that, and means by twice that times the range S of scores.
 * A sum of n terms is wrong by n·u.
 * @param {Results} here @param {Results} there
 * @param {{ u: number, A: number, S: number, mass: Float64Array }} sizes mass: Σ p|v|
 */
function compare(here, there, { u, A, S, mass }) {
  const unit = u * (N + 8 + 4 * (D + 4) * A);
  const found = { measured: 0, allowed: 0, ratio: 0, size: Infinity };
  const note = (
    /** @type {number} */ measured,
    /** @type {number} */ allowed,
    /** @type {number} */ size,
  ) => {
    found.size = Math.min(found.size, size);
    // NaN is worse than anything
    if (!(measured / allowed <= found.ratio) || !found.allowed)
      Object.assign(found, { measured, allowed, ratio: measured / allowed });
  };
  for (const name of /** @type {const} */ (['lse', 'entropy', 'kl', 'expectedScore']))
    note(Math.abs(here[name] - there[name]), unit * S, S);
  note(Math.abs(here.variance - there.variance), unit * S * S, S * S);
  here.output.forEach((x, c) => note(Math.abs(x - there.output[c]), unit * mass[c], mass[c]));
  return found;
}

/**
 * The row, its steps, and the results of the spans and of the library.
 * @param {Engine} engine
 */
export function follow(engine) {
  const { q, k, v } = inputs();
  const { z, size: A } = scoresOf(q, k);
  const steps = stepsOf(z, v);
  const { sums } = steps[steps.length - 1];
  const here = resultsOf(sums, N);
  const double = library(engine, ...doubles(q, k, v));
  const single = library(engine, q, k, v);
  const absolute = stepsOf(
    z,
    v.map((x) => Math.abs(x)),
  );
  const { output: mass } = resultsOf(absolute[absolute.length - 1].sums, N);
  const S = 1 + sums.max - z.reduce((a, b) => Math.min(a, b));
  const sizes = { A, S, mass };
  return {
    z,
    steps,
    here,
    double,
    single,
    float64: compare(here, double, { ...sizes, u: UNITS.float64 }),
    float32: compare(here, single, { ...sizes, u: UNITS.float32 }),
  };
}

/** @param {Float32Array[]} arrays @returns {[Float64Array, Float64Array, Float64Array]} */
function doubles(...arrays) {
  const [q, k, v] = arrays.map((each) => Float64Array.from(each));
  return [q, k, v];
}
