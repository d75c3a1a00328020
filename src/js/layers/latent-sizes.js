/** The sizes of a latent layer: its cache, the attention in it and its other work. */
import { integer, read } from '../check.js';

/**
 * @typedef {object} LatentModel
 * @property {number} modelDim
 * @property {number} heads
 * @property {number} kvLatent
 * @property {number} queryLatent 0 for none
 * @property {number} nopeDim
 * @property {number} ropeDim
 * @property {number} valueDim
 * @property {number} outputs
 */

/**
 * The sizes of a layer, and the other members of its configuration as they were given.
 * @param {import('./types.d.ts').LatentConfig} config
 */
export function readLatentConfig(config) {
  const {
    modelDim,
    heads,
    kvLatent,
    queryLatent = 0,
    nopeDim,
    ropeDim = 0,
    valueDim,
    outputs = modelDim,
    ...others
  } = read('config', config, [
    'modelDim',
    'heads',
    'kvLatent',
    'queryLatent',
    'nopeDim',
    'ropeDim',
    'valueDim',
    'outputs',
    'rope',
    'normEpsilon',
    'residual',
  ]);
  const required = { modelDim, heads, kvLatent, nopeDim, valueDim, outputs };
  for (const [name, x] of Object.entries(required)) integer(name, x, 1);
  for (const [name, x] of Object.entries({ queryLatent, ropeDim })) integer(name, x, 0);
  /** @type {LatentModel} */
  const model = { ...required, queryLatent, ropeDim };
  return { model, ...others };
}

/**
 * Bytes of cache for a position, in float32: latents, and keys and values of all heads or of one.
 * @param {LatentModel} model
 */
export function bytesPerPosition({ heads, kvLatent, nopeDim, ropeDim, valueDim }) {
  const head = 4 * (nopeDim + ropeDim + valueDim);
  return Object.freeze({
    latent: 4 * (kvLatent + ropeDim),
    multiHead: heads * head,
    multiQuery: head,
  });
}

/**
 * The shape of attention. Absorbed: the latents are the keys and values of all heads.
 * @param {LatentModel} model
 * @param {boolean | number} absorbed
 * @param {number} batch
 * @param {number} m
 * @param {number} n
 * @returns {import('../attention/options.js').Shape}
 */
export function shapeOfCall(model, absorbed, batch, m, n) {
  const { heads, kvLatent, nopeDim, ropeDim, valueDim } = model;
  const kept = kvLatent + ropeDim;
  return absorbed
    ? { batch, heads, kvHeads: 1, m, n, headDim: kept, valueDim: kept }
    : { batch, heads, kvHeads: heads, m, n, headDim: nopeDim + ropeDim, valueDim };
}

/**
 * Multiply-adds beside those of attention.
 * @param {LatentModel} model
 * @param {boolean | number} absorbed
 * @param {number} batch
 * @param {number} m
 * @param {number} n
 */
export function multiplyAdds(model, absorbed, batch, m, n) {
  const { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim, outputs } = model;
  const kept = kvLatent + ropeDim;
  const query = queryLatent
    ? queryLatent * (modelDim + heads * (nopeDim + ropeDim))
    : modelDim * heads * (nopeDim + ropeDim);
  return (
    batch *
    (m * (kept * modelDim + query + heads * valueDim * outputs) +
      (absorbed ? m : n) * heads * kvLatent * (nopeDim + valueDim))
  );
}
