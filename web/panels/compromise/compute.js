/** Three keys, every way to share out 1 among them, and the best of all compromises. */
import { compromise } from '../../math/roads.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

const U = 2 ** -53;
const FLAT = 16;
const STEEP = 8;

/** ⟨p, z⟩ + T·H(p). @param {ArrayLike<number>} p @param {ArrayLike<number>} z @param {number} T */
export function objective(p, z, T) {
  let sum = 0;
  for (let j = 0; j < z.length; j++)
    sum += p[j] * z[j] - (p[j] > 0 ? T * p[j] * Math.log(p[j]) : 0);
  return sum;
}

/** KL(p‖q) in nats. @param {ArrayLike<number>} p @param {ArrayLike<number>} q */
export function divergence(p, q) {
  let kl = 0;
  for (let j = 0; j < p.length; j++) if (p[j] > 0) kl += p[j] * Math.log(p[j] / q[j]);
  return kl;
}

/** log Σ exp(z/T). @param {Float64Array} z @param {number} T */
export function lse(z, T) {
  const top = Math.max(...z);
  return top / T + Math.log(z.reduce((sum, x) => sum + Math.exp((x - top) / T), 0));
}

/** The keys, the best first. @param {Float64Array} scores */
const ranked = (scores) => Array.from(scores, (_, j) => j).sort((a, b) => scores[b] - scores[a]);

/** In the order of the row. @param {readonly number[]} order the best first */
const twoBest = (order) => order.slice(0, 2).sort((a, b) => a - b);

/**
 * The two best keys of a row, and all others as one.
 * @param {Engine} engine
 * @param {{ words: readonly string[], scores: Float64Array }} example
 * @param {number} T
 */
export function threeOf(engine, { words, scores }, T) {
  const order = ranked(scores);
  const keep = twoBest(order);
  const merged = engine.theory.simplexMerge(scores, { temperature: T, keep });
  return {
    names: [
      ...keep.map((j) => words[j]),
      scores.length === 3 ? words[order[2]] : `the rest (${scores.length - 2} words)`,
    ],
    z: merged.logits,
    merged: {
      measured: Math.abs(T * lse(scores, T) - T * lse(merged.logits, T)),
      allowed: merged.identity.allowed,
    },
  };
}

/**
 * @param {Engine} engine
 * @param {{ z: Float64Array, T: number, p: readonly number[] }} setting p: the point of the reader
 */
export function fallShort(engine, { z, T, p }) {
  const candidate = Float64Array.from(p);
  const found = engine.theory.gibbs(z, { temperature: T, candidate });
  const { output: top } = engine.attention(
    Float64Array.of(1),
    z,
    Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    { headDim: 1, valueDim: 3, temperature: T },
  );
  const climbed = compromise(z, T);
  const largest = Math.max(...z.map(Math.abs));
  const B = largest / T;
  const rounding = U * (FLAT + STEEP * B);
  // both sides without an exponential: the best compromise was found by climbing
  const gap = objective(climbed, z, T) - objective(candidate, z, T);
  const price = T * divergence(candidate, climbed);
  const size = largest + T * Math.log(3) + price;
  return {
    top,
    climbed,
    objective: found.objective,
    optimum: found.optimum,
    gap: found.gap,
    kl: found.kl,
    sides: { gap, price },
    short: {
      measured: Math.max(
        Math.abs(gap - price),
        Math.abs(found.gap - gap),
        Math.abs(T * found.kl - price),
      ),
      allowed: rounding * size,
    },
    climb: {
      measured: Math.max(...top.map((x, j) => Math.abs(x - climbed[j]))),
      ratio: Math.max(...top.map((x, j) => Math.abs(x - climbed[j]) / (rounding * x))),
      allowed: rounding * Math.max(...top),
    },
  };
}

/**
 * At T = 0 the best key has all. Equal ones share it.
 * @param {Float64Array} scores
 */
function coldest(scores) {
  const order = ranked(scores);
  const best = order.filter((j) => scores[j] === scores[order[0]]);
  const two = twoBest(order).map((j) => (best.includes(j) ? 1 / best.length : 0));
  return Float64Array.of(...two, best.length > 2 ? (best.length - 2) / best.length : 0);
}

/**
 * The best compromise at many temperatures, from T = 0 to ∞.
 * @param {Engine} engine @param {{ words: readonly string[], scores: Float64Array }} example
 * @param {readonly number[]} temperatures
 */
export function path(engine, example, temperatures) {
  const way = temperatures.map((T) => {
    const { z } = threeOf(engine, example, T);
    return { T, p: engine.theory.gibbs(z, { temperature: T }).weights };
  });
  // at T = ∞ all keys of the row are alike, and the third of the triangle stands for n − 2 of them
  const n = example.scores.length;
  return [
    { T: 0, p: coldest(example.scores) },
    ...way,
    { T: Infinity, p: Float64Array.of(1 / n, 1 / n, (n - 2) / n) },
  ];
}
