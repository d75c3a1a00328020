/** What stands around attention: the operations of a transformer and two whole attention layers. Loaded by init beside the kernels. */
import { Latent } from './latent.js';
import { memories } from './memory.js';
import { MultiHead } from './multihead.js';
import { Linear, gelu, layerNorm, matmul, rmsNorm, silu } from './operations.js';
import { rope, ropeTable } from './rope.js';

/** @param {import('./memory.js').Memory} memory @returns {import('./types.layers.d.ts').Layers} */
export function layers(memory) {
  /** @param {(memory: import('./memory.js').Memory, ...values: any[]) => any} f @returns {(...values: any[]) => any} */
  const on = (f) => f.bind(null, memory);
  return {
    matmul: on(matmul),
    linear: (weights, options) => new Linear(memory, weights, options),
    rmsNorm: on(rmsNorm),
    layerNorm: on(layerNorm),
    silu: (x, options) => silu(memory, x, undefined, options),
    gelu: (x, options) => gelu(memory, x, undefined, options),
    swiglu: on(silu),
    geglu: on(gelu),
    ropeTable: on(ropeTable),
    rope: on(rope),
    multiHead: (weights, config) => new MultiHead(memory, weights, config),
    latent: (weights, config) => new Latent(memory, weights, config),
  };
}

/** Notes what an engine computes with. @template {object} E @param {E} engine @param {import('./memory.js').Memory} memory @returns {E} */
export function known(engine, memory) {
  memories.set(engine, memory);
  return engine;
}
