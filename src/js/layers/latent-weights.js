/** The weights of a latent layer: their names, their shapes and their places in its memory. */
import { read } from '../check.js';
import { refuse } from '../errors.js';
import { matrix } from './call.js';

/** @param {import('./types.d.ts').LatentWeights} weights */
export const readWeights = (weights) =>
  read('weights', weights, ['q', 'qA', 'qANorm', 'qB', 'kvA', 'kvANorm', 'kvB', 'o']);

/** @typedef {ReturnType<typeof readWeights>} Weights */

/**
 * Refuses the weights of queries with a latent in a layer without one, and the other way round.
 * @param {Weights} w
 * @param {number} queryLatent
 */
function checkQueries(w, queryLatent) {
  /** @type {(keyof Weights)[]} */
  const others = queryLatent ? ['q'] : ['qA', 'qANorm', 'qB'];
  const expected = queryLatent
    ? 'qA, qANorm and qB, with queryLatent'
    : 'q alone, without queryLatent';
  for (const name of others)
    if (w[name] !== undefined) refuse('ARG', `weights.${name}`, 'given', expected);
}

/**
 * Checks all weights, and stores them but for kvB, which C packs for each head. Returns the places
 * by name, −1 for none.
 * @param {import('../engine/memory.js').Memory} memory
 * @param {import('./storage.js').LayerStorage} storage
 * @param {Weights} w
 * @param {import('./latent-sizes.js').LatentModel} model
 */
export function storeWeights(memory, storage, w, model) {
  const { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim, outputs } = model;
  /**
   * @param {keyof Weights} name
   * @param {number} rows
   * @param {number} columns
   * @param {string} shape in words
   */
  const check = (name, rows, columns, shape) =>
    matrix(memory, `weights.${name}`, w[name], rows, columns, shape);
  checkQueries(w, queryLatent);
  check('kvA', kvLatent + ropeDim, modelDim, '(kvLatent+ropeDim)*modelDim');
  check('kvB', heads * (nopeDim + valueDim), kvLatent, 'heads*(nopeDim+valueDim)*kvLatent');
  check('o', outputs, heads * valueDim, 'outputs*heads*valueDim');
  /** @type {Record<string, number>} */
  const at = {};
  at.down = storage.matrix('weights.kvA', w.kvA, kvLatent, modelDim);
  at.key = ropeDim ? storage.matrix('weights.kvA', w.kvA, ropeDim, modelDim, kvLatent) : -1;
  at.o = storage.matrix('weights.o', w.o, outputs, heads * valueDim);
  const name = queryLatent ? 'qB' : 'q';
  const rows = heads * (nopeDim + ropeDim);
  const columns = queryLatent || modelDim;
  const words = queryLatent ? 'queryLatent' : 'modelDim';
  const q = check(name, rows, columns, `heads*(nopeDim+ropeDim)*${words}`);
  at.q = storage.matrix(`weights.${name}`, q, rows, columns);
  const down = queryLatent && check('qA', queryLatent, modelDim, 'queryLatent*modelDim');
  at.qDown = down ? storage.matrix('weights.qA', down, queryLatent, modelDim) : -1;
  if (w.qANorm !== undefined) check('qANorm', queryLatent, 1, 'queryLatent');
  at.qANorm = storage.vector(w.qANorm);
  if (w.kvANorm !== undefined) check('kvANorm', kvLatent, 1, 'kvLatent');
  at.kvANorm = storage.vector(w.kvANorm);
  return at;
}
