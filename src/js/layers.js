/** What stands around attention: the operations of a transformer and two whole attention layers. Loaded by init when asked for. */
import { ClearheadError } from './errors.js';
import { Latent } from './latent.js';
import { MultiHead } from './multihead.js';
import { Linear, geglu, gelu, layerNorm, matmul, rmsNorm, silu, swiglu } from './operations.js';
import { rope, ropeTable } from './rope.js';

/** The larger files, which hold these and models; as that of load.js. @param {boolean} relaxed */
export const fileOf = (relaxed) => (relaxed ? new URL('./model.relaxed.wasm', import.meta.url) : new URL('./model.simd.wasm', import.meta.url));
/** For threads. @param {boolean} relaxed */
export const sharedFileOf = (relaxed) => (relaxed ? new URL('./model.relaxed.shared.wasm', import.meta.url) : new URL('./model.simd.shared.wasm', import.meta.url));

/** @param {import('./memory.js').Memory} memory @returns {import('./types.layers.d.ts').Layers} */
export function layers(memory) {
  if (!memory.c.attn_matmul) throw new ClearheadError('ARG', 'wasm has no layers: expected one of the model.*.wasm files');
  /** @param {(memory: import('./memory.js').Memory, ...values: any[]) => any} f @returns {(...values: any[]) => any} */
  const on = (f) => f.bind(null, memory);
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
    multiHead: (weights, config) => new MultiHead(memory, weights, config),
    latent: (weights, config) => new Latent(memory, weights, config),
  };
}
