/**
 * The parameters that training begins with. They know no word. Each head of the first layer looks
 * back by a number of tokens: the first of each group by one, the others by two to five. The heads
 * of later layers look a little more at tokens like their own. Each head of the model passes on a
 * share of the tokens it looks at. Training finds all three late, and copying needs them. An
 * induction head compares a token with the one before each key, and copies the key. A question
 * about a thing needs the name that stood some words before it.
 *
 * Only sums, products and square roots are taken, which are the same on every engine.
 */
import { createRandom, mixed } from './random.js';

/** Standard deviations. */
const EMBEDDING = 0.1;
const VALUE = 0.088;
const KEY = 0.088;
/** A part of every embedding. The heads that look back find it at any token. */
const SHARED = 0.25;
/** The share of a token that comes out of a head which looks at it. */
const PASSED_ON = 0.15;
/** A query begins as this share of the key of its own token, and a random part. */
const ALIKE = 0.5;

/**
 * For the pairs of channels that positions turn fastest: the strength of a pair, and the cosine and
 * sine of its rotation from one position to the next, 10000^(−p/8) for pair p of 8.
 */
const ROTATIONS = [
  [24, 0.5403, 0.8415],
  [24, 0.9504, 0.311],
  [16, 0.995, 0.0998],
  [8, 0.9995, 0.0316],
];

/**
 * How many tokens a head of the first layer looks back.
 * @param {number} member of its group, from 0
 * @param {number} group
 * @param {number} groups
 */
export const backOf = (member, group, groups) =>
  member === 0 ? 1 : 2 + (member - 1) * groups + group;

/** A rotation, taken some times. @param {[cosine: number, sine: number]} turn @param {number} n */
function power([cosine, sine], n) {
  let [x, y] = [1, 0];
  for (let i = 0; i < n; i++) [x, y] = [x * cosine - y * sine, x * sine + y * cosine];
  return [x, y];
}

/** About a normal draw: twelve uniform ones. @param {import('./random.js').Random} random */
function normal(random) {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random.below(2 ** 20) / 2 ** 20;
  return sum;
}

/**
 * Overwrites some of a trainer's first parameters.
 * @param {import('../../src/js/train/types.d.ts').Parameter[]} parameters
 * @param {object} config
 * @param {number} config.modelDim
 * @param {number} config.layers
 * @param {number} config.heads
 * @param {number} config.kvHeads
 * @param {number} config.headDim
 * @param {number} seed
 */
export function prepare(parameters, { modelDim, layers, heads, kvHeads, headDim }, seed) {
  const random = createRandom(mixed(seed, 5));
  const named = new Map(parameters.map(({ name, data }) => [name, data]));
  const matrix = (/** @type {string} */ name) => named.get(`${name}.weight`) ?? new Float32Array(0);
  const perGroup = heads / kvHeads;

  const embedding = matrix('model.embed_tokens');
  for (let i = 0; i < embedding.length; i++)
    embedding[i] = i % modelDim ? EMBEDDING * normal(random) : SHARED;

  /** The heads of a layer look for tokens like their own: a query is a share of the key. */
  function alike(/** @type {number} */ layer) {
    const query = matrix(`model.layers.${layer}.self_attn.q_proj`);
    const key = matrix(`model.layers.${layer}.self_attn.k_proj`);
    for (let i = 0; i < key.length; i++) key[i] = KEY * normal(random);
    const size = headDim * modelDim;
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < size; i++)
        query[head * size + i] += ALIKE * key[Math.floor(head / perGroup) * size + i];
  }

  for (let layer = 0; layer < layers; layer++) {
    const value = matrix(`model.layers.${layer}.self_attn.v_proj`);
    const output = matrix(`model.layers.${layer}.self_attn.o_proj`);
    for (let i = 0; i < value.length; i++) value[i] = VALUE * normal(random);
    if (layer) alike(layer);
    for (let head = 0; head < heads; head++)
      for (let channel = 0; channel < headDim; channel++)
        for (let i = 0; i < modelDim; i++)
          output[(i * heads + head) * headDim + channel] +=
            PASSED_ON * value[(Math.floor(head / perGroup) * headDim + channel) * modelDim + i];
  }

  // the norm brings an embedding to a mean square of 1, and the shared part to this
  const shared = SHARED / Math.sqrt((SHARED ** 2 + (modelDim - 1) * EMBEDDING ** 2) / modelDim);
  const query = matrix('model.layers.0.self_attn.q_proj');
  const key = matrix('model.layers.0.self_attn.k_proj');
  for (let head = 0; head < heads; head++) {
    const group = Math.floor(head / perGroup);
    const back = backOf(head % perGroup, group, kvHeads);
    ROTATIONS.forEach(([strength, cosine, sine], pair) => {
      const length = Math.sqrt(strength) / shared;
      const [first, second] = [pair, pair + headDim / 2];
      const [x, y] = power([cosine, sine], back);
      query[(head * headDim + first) * modelDim] = length * x;
      query[(head * headDim + second) * modelDim] = -length * y;
      key[(group * headDim + first) * modelDim] = length;
      key[(group * headDim + second) * modelDim] = 0;
    });
  }
}

/**
 * Gives a trainer that begins its first parameters.
 * @param {import('../../src/js/train/types.d.ts').Trainer} trainer
 * @param {number} seed
 */
export function begin(trainer, seed) {
  const parameters = trainer.parameters();
  prepare(parameters, trainer.config, seed);
  trainer.setParameters(parameters);
}
