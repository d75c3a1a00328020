/**
 * The parts around attention: the operations of a transformer and two whole attention layers.
 * Loaded by init when asked for.
 */
import { ClearheadError } from '../errors.js';
import { Latent } from './latent.js';
import { Linear, matmul } from './linear.js';
import { MultiHead } from './multi-head.js';
import { geglu, gelu, layerNorm, rmsNorm, silu, swiglu } from './operations.js';
import { rope, ropeTable } from './rope.js';

/** @param {import('../engine/memory.js').Memory} memory @returns {import('./types.d.ts').Layers} */
export function layers(memory) {
  if (!memory.c.attn_matmul)
    throw new ClearheadError('ARG', 'wasm has no layers: expected one of the model.*.wasm files');
  /**
   * @template {unknown[]} V
   * @template R
   * @param {(memory: import('../engine/memory.js').Memory, ...values: V) => R} f
   * @returns {(...values: V) => R}
   */
  const on =
    (f) =>
    (...values) =>
      f(memory, ...values);
  return {
    matmul: on(matmul),
    linear: (weights, options) => new Linear(memory, weights, options),
    rmsNorm: on(rmsNorm),
    layerNorm: on(layerNorm),
    silu: on(silu),
    gelu: on(gelu),
    swiglu: on(swiglu),
    geglu: on(geglu),
    ropeTable: on(ropeTable),
    rope: on(rope),
    multiHead: (weights, config) =>
      /** @type {import('./types.d.ts').MultiHead} */ (
        /** @type {unknown} */ (new MultiHead(memory, weights, config))
      ),
    latent: (weights, config) =>
      /** @type {import('./types.d.ts').Latent} */ (
        /** @type {unknown} */ (new Latent(memory, weights, config))
      ),
  };
}
