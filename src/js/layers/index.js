/**
 * The parts around attention: the operations of a transformer and two whole attention layers.
 * Loaded by init when asked for.
 */
import { ClearheadError } from '../errors.js';
import { attentionGradient } from './attention-gradient.js';
import { Latent } from './latent.js';
import { LatentCache } from './latent-cache.js';
import { Linear, matmul } from './linear.js';
import { MultiHead } from './multi-head.js';
import { bound, guard } from '../names.js';
import { add, geglu, gelu, layerNorm, rmsNorm, silu, swiglu } from './operations.js';
import { rope, ropeTable } from './rope.js';
import { known } from './storage.js';
import { softmax } from './softmax.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

for (const [Layer, what] of /** @type {const} */ ([
  [Linear, 'a linear layer'],
  [MultiHead, 'a multi-head layer'],
  [Latent, 'a latent layer'],
]))
  guard(Layer.prototype, (x) => x instanceof Layer && known.has(x), what);
guard(LatentCache.prototype, LatentCache.is, 'a latent cache');

/**
 * All of Layers, each with the memory before its arguments.
 * @type {Record<string, (memory: Memory, ...values: any[]) => unknown>}
 */
const FUNCTIONS = {
  attentionGradient,
  matmul,
  linear: (
    /** @type {Memory} */ memory,
    /** @type {import('./types.d.ts').Floats} */ weights,
    /** @type {import('./types.d.ts').LinearOptions} */ options,
  ) => new Linear(memory, weights, options),
  rmsNorm,
  layerNorm,
  silu,
  gelu,
  swiglu,
  geglu,
  softmax,
  add,
  ropeTable,
  rope,
  multiHead: (
    /** @type {Memory} */ memory,
    /** @type {import('./types.d.ts').MultiHeadWeights} */ weights,
    /** @type {import('./types.d.ts').MultiHeadConfig} */ config,
  ) => new MultiHead(memory, weights, config),
  latent: (
    /** @type {Memory} */ memory,
    /** @type {import('./types.d.ts').LatentWeights} */ weights,
    /** @type {import('./types.d.ts').LatentConfig} */ config,
  ) => new Latent(memory, weights, config),
};

/** @param {Memory} memory @returns {import('./types.d.ts').Layers} */
export function layers(memory) {
  if (!memory.c.attn_matmul)
    throw new ClearheadError('ARG', 'wasm has no layers: expected one of the model.*.wasm files');
  const functions = Object.entries(FUNCTIONS).map(([name, f]) => [name, bound(name, f, memory)]);
  return Object.fromEntries(functions);
}
