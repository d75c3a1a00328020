/** Multi-head attention with its projections. */
import { checkDivides } from '../attention/attention.js';
import { KVCache } from '../attention/cache.js';
import { readOptions } from '../attention/options.js';
import { integer, read, rows, sizesOf, yes } from '../check.js';
import { DISPOSE, F32, placeOf } from '../engine/tensor.js';
import { describe, refuse } from '../errors.js';
import { shaped } from '../engine/shapes.js';
import { floats, matrix } from './call.js';
import {
  checkFree,
  layerCall,
  OF_FORWARD,
  readEpsilon,
  readPlaces,
  scratchFor,
  storeTable,
  tableOf,
} from './layer-call.js';
import { LayerStorage } from './storage.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 * @typedef {import('./types.d.ts').ForwardOptions} ForwardOptions
 */

const MATRICES = /** @type {const} */ (['q', 'k', 'v', 'o']);
const VECTORS = /** @type {const} */ (['qBias', 'kBias', 'vBias', 'oBias', 'qNorm', 'kNorm']);

/** The shapes of the matrices in words. */
const SHAPES = {
  q: 'heads*headDim*modelDim',
  k: 'kvHeads*headDim*modelDim',
  v: 'kvHeads*valueDim*modelDim',
  o: 'outputs*heads*valueDim',
};

/** See types.d.ts. */
export class MultiHead {
  #memory;
  #storage;
  /** @type {Record<string, number>} places */
  #at = {};
  #table;
  #options;

  /**
   * @param {Memory} memory
   * @param {import('./types.d.ts').MultiHeadWeights} weights
   * @param {import('./types.d.ts').MultiHeadConfig} config
   */
  constructor(memory, weights, config) {
    const c = read('config', config, [
      'modelDim',
      'heads',
      'kvHeads',
      'headDim',
      'valueDim',
      'outputs',
      'rope',
      'normEpsilon',
      'onePlus',
      'residual',
    ]);
    const [modelDim, heads] = sizesOf(memory, { modelDim: c.modelDim, heads: c.heads });
    const {
      kvHeads = heads,
      headDim = modelDim / heads,
      valueDim = headDim,
      outputs,
      rope,
      normEpsilon,
      onePlus,
      residual,
    } = c;
    if (c.headDim === undefined && modelDim % heads > 0)
      refuse('SHAPE', 'modelDim', modelDim, `a multiple of heads = ${heads}, or a headDim`);
    sizesOf(memory, { kvHeads, headDim, valueDim });
    checkDivides(heads, kvHeads);
    const w = read('weights', weights, [...MATRICES, ...VECTORS]);
    const table = tableOf(memory, rope, headDim, 'headDim');
    const sizes = {
      q: heads * headDim,
      k: kvHeads * headDim,
      v: kvHeads * valueDim,
      o: integer('outputs', outputs ?? modelDim, 1),
    };
    const storage = new LayerStorage(memory, this);
    for (const name of MATRICES) {
      const size = sizes[name];
      const columns = name === 'o' ? heads * valueDim : modelDim;
      matrix(memory, `weights.${name}`, w[name], size, columns, SHAPES[name]);
      this.#at[name] = storage.matrix(`weights.${name}`, w[name], size, columns);
    }
    /** @type {[typeof VECTORS[number], Record<string, number>][]} */
    const vectors = [
      ['qBias', { heads, headDim }],
      ['kBias', { kvHeads, headDim }],
      ['vBias', { kvHeads, valueDim }],
      ['oBias', { outputs: sizes.o }],
      ['qNorm', { headDim }],
      ['kNorm', { headDim }],
    ];
    for (const [name, axes] of vectors) {
      const x = w[name];
      const size = Object.values(axes).reduce((a, b) => a * b);
      if (x !== undefined) floats(memory, `weights.${name}`, x, size, Object.keys(axes).join('*'));
      shaped(`weights.${name}`, x, axes);
      this.#at[name] = storage.vector(x);
    }
    this.#table = storeTable(storage, table);
    this.#options = {
      epsilon: readEpsilon(normEpsilon),
      onePlus: yes('onePlus', onePlus),
      residual: yes('residual', residual),
    };
    if (residual && sizes.o !== modelDim)
      refuse('SHAPE', 'outputs', sizes.o, `${modelDim} = modelDim, for a residual`);
    this.modelDim = modelDim;
    this.outputs = sizes.o;
    this.heads = heads;
    this.kvHeads = kvHeads;
    this.headDim = headDim;
    this.valueDim = valueDim;
    this.#memory = memory;
    this.#storage = storage;
    this.bytes = storage.bytes;
    storage.allocate();
    Object.freeze(this);
  }

  /**
   * @param {Floats} x
   * @param {ForwardOptions & { cache?: import('../types.d.ts').KVCache }} [options]
   * @returns {import('../types.d.ts').AttentionResult<Float32Array>}
   */
  forward(x, options) {
    const o = readOptions(options, OF_FORWARD);
    const memory = this.#memory;
    const { modelDim, outputs, heads, kvHeads, headDim, valueDim } = this;
    const { cache } = o;
    const batch = integer('batch', o.batch ?? 1, 1);
    const m = rows('x', memory.floats('x', x, F32), batch * modelDim, 'batch*modelDim');
    shaped('x', x, { batch, m, modelDim });
    let past = 0;
    let cacheAt = 0;
    if (cache !== undefined) {
      if (!KVCache.is(cache)) refuse('ARG', 'cache', describe(cache), 'a KV cache');
      cacheAt = placeOf(cache, memory);
      past = cache.length;
      const sizes = [cache.kvHeads, cache.headDim, cache.valueDim];
      if (`${sizes}` !== `${[kvHeads, headDim, valueDim]}`)
        refuse(
          'SHAPE',
          'cache',
          `of (${sizes})`,
          `(${[kvHeads, headDim, valueDim]}) = (kvHeads, headDim, valueDim)`,
        );
      checkFree(cache, batch, m);
      o.offset ??= past;
    }
    const positions = readPlaces(o, batch, m, past, this.#table?.positions);
    const shape = { batch, heads, kvHeads, m, n: past + m, headDim, valueDim };
    const result = layerCall(
      memory,
      x,
      o,
      batch * m * outputs,
      shape,
      batch *
        m *
        (heads * headDim * modelDim +
          kvHeads * (headDim + valueDim) * modelDim +
          heads * valueDim * outputs),
      (team, p, out, at) => {
        const layer = this.#set();
        const rowsAt = positions ? memory.put(positions, 'int32') : 0;
        const { c } = memory;
        const scratch = scratchFor(memory, c.attn_multi_head_scratch_bytes(layer, team, p));
        return c.attn_multi_head_forward(layer, team, p, out, at, rowsAt, cacheAt, scratch);
      },
    );
    if (result) return result;
    if (cache) cache.truncate(past);
    return this.forward(x, options);
  }

  /** The layer as C reads it. */
  #set() {
    const memory = this.#memory;
    const layer = memory.push(memory.c.attn_multi_head_bytes());
    const { epsilon, onePlus, residual } = this.#options;
    /** @param {string} name */
    const at = (name) => this.#storage.at(this.#at[name]);
    const { c } = memory;
    c.attn_multi_head_init(layer, at('q'), at('k'), at('v'), at('o'));
    c.attn_multi_head_set_biases(layer, at('qBias'), at('kBias'), at('vBias'), at('oBias'));
    c.attn_multi_head_set_qk_norm(layer, at('qNorm'), at('kNorm'), onePlus, epsilon);
    const t = this.#table;
    if (t)
      memory.c.attn_multi_head_set_rope(
        layer,
        this.#storage.at(t.cos),
        this.#storage.at(t.sin),
        t.dim,
        t.interleaved,
      );
    memory.c.attn_multi_head_set_residual(layer, residual);
    return layer;
  }

  dispose() {
    this.#storage.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
