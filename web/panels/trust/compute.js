/** Witnesses: the mean that attention makes of their reports, and the peak of their bells. */
import { shares, uniforms } from '../../math/example.js';
import { mostLikely } from '../../math/roads.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof testify>} Testimony */

const U = 2 ** -53;
/** The precision of a witness whose score is 0, at which the bells have the size of the figure. */
const BETA = 4;
const FLAT = 16;
const STEEP = 8;
const TRIALS = 500;

/** H(p) in nats. @param {ArrayLike<number>} p */
const entropy = (p) => Array.from(p).reduce((h, x) => (x > 0 ? h - x * Math.log(x) : h), 0);

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const dot = (a, b) => Array.from(a).reduce((sum, x, j) => sum + x * b[j], 0);

/**
 * Weights with the same sum and the same average score as p, at random.
 * @param {Float64Array} p @param {Float64Array} scores @param {() => number} next
 */
export function neighbour(p, scores, next) {
  const n = p.length;
  const mean = dot(scores, new Float64Array(n).fill(1 / n));
  const centred = scores.map((z) => z - mean);
  const length = dot(centred, centred);
  const step = p.map(() => next() - 0.5);
  // out of it comes the part that would change the sum, and the part along the scores
  const drift = step.reduce((sum, x) => sum + x, 0) / n;
  const along = length > 0 ? dot(step, centred) / length : 0;
  const free = step.map((x, j) => x - drift - along * centred[j]);
  // as far as all weights stay positive, times a number below 1
  let reach = Infinity;
  free.forEach((x, j) => {
    if (x < 0) reach = Math.min(reach, -p[j] / x);
  });
  const far = 0.9 * next() * (reach < Infinity ? reach : 0);
  return p.map((x, j) => x + far * free[j]);
}

/**
 * How much more entropy a random neighbour of p has, at best.
 * @param {Float64Array} p @param {Float64Array} scores
 */
export function challenge(p, scores) {
  const next = uniforms(5);
  const here = entropy(p);
  let gain = -Infinity;
  for (let trial = 0; trial < TRIALS; trial++)
    gain = Math.max(gain, entropy(neighbour(p, scores, next)) - here);
  return { gain, trials: TRIALS };
}

/**
 * @param {Engine} engine
 * @param {{ scores: Float64Array, reports: readonly number[], T: number }} setting
 */
export function testify(engine, { scores, reports, T }) {
  const n = scores.length;
  const top = Math.max(...scores);
  // scores below the best: the best witness has the same bell at every temperature
  const z = scores.map((x) => x - top);
  const v = Float64Array.from(reports);
  const one = Float64Array.of(1);
  const { output, lse } = engine.attention(one, z, v, {
    headDim: 1,
    valueDim: 1,
    temperature: T,
    want: { lse: true },
  });
  if (!lse) throw new Error('the engine returned no log-sum-exp');
  const theory = engine.theory.maximumLikelihood(one, z, v, { alpha: 1 / T, beta: BETA });
  const variances = z.map((x) => Math.exp(-x / T) / BETA);
  const weights = theory.weights;
  const likely = mostLikely(v, variances);

  const size = FLAT + (STEEP * -Math.min(...z)) / T;
  const mass = v.reduce((sum, x, j) => sum + weights[j] * Math.abs(x), 0);
  const spread = shares(variances.map((s) => 1 / s));
  const entropies = engine.theory.maximumEntropy(one, z, { target: dot(spread, z) });
  return {
    n,
    z,
    v,
    T,
    variances,
    weights,
    output: output[0],
    lse: lse[0],
    estimate: theory.estimate[0],
    likely,
    value: {
      measured: Math.max(
        Math.abs(likely.value - output[0]),
        Math.abs(theory.estimate[0] - output[0]),
      ),
      allowed: U * size * mass,
    },
    curvature: {
      measured: Math.abs(Math.log(-likely.curvature) - Math.log(BETA) - lse[0]),
      allowed: U * (size + Math.abs(lse[0]) + Math.log(n)),
    },
    entropy: {
      ...challenge(Float64Array.from(entropies.weights), z),
      allowed: U * 4 * n,
      // the solution of the library has to be the weights of attention, too
      ratio: Math.max(
        ...weights.map((p, j) => Math.abs(p - entropies.weights[j]) / (U * size * 4 * p)),
      ),
      multiplier: entropies.multiplier,
    },
  };
}

/**
 * log of the product of all bells at x, up to a constant.
 * @param {Pick<Testimony, 'v' | 'variances'>} reports
 * @param {number} x
 */
export const logProduct = ({ v, variances }, x) =>
  v.reduce((sum, report, j) => sum - (x - report) ** 2 / (2 * variances[j]), 0);
