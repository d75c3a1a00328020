/** Latent attention: keys and values come from a short vector of each position. */
import { readOptions } from '../attention/options.js';
import { choice, integer, rows, yes } from '../check.js';
import { DISPOSE, F32, placeOf } from '../engine/tensor.js';
import { checkStatus } from '../engine/status.js';
import { describe, refuse } from '../errors.js';
import { shaped } from '../engine/shapes.js';
import { grow, LatentCache } from './latent-cache.js';
import { bytesPerPosition, multiplyAdds, readLatentConfig, shapeOfCall } from './latent-sizes.js';
import { readWeights, storeWeights } from './latent-weights.js';
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

/** @typedef {import('../engine/memory.js').Memory} Memory */

/** See latent-types.d.ts. */
export class Latent {
  #memory;
  #storage;
  /** @type {Record<string, number>} places */
  #at;
  #table;
  #options;
  #model;

  /**
   * @param {Memory} memory
   * @param {import('./types.d.ts').LatentWeights} weights
   * @param {import('./types.d.ts').LatentConfig} config
   */
  constructor(memory, weights, config) {
    const { model, rope, normEpsilon, residual } = readLatentConfig(config);
    const w = readWeights(weights);
    const storage = new LayerStorage(memory, this);
    const table = tableOf(memory, rope, model.ropeDim, 'ropeDim');
    this.#at = storeWeights(memory, storage, w, model);
    if (table && table.dim !== model.ropeDim)
      refuse('SHAPE', 'rope.dim', table.dim, `${model.ropeDim} = ropeDim`);
    this.#table = storeTable(storage, table);
    if (residual && model.outputs !== model.modelDim)
      refuse('SHAPE', 'outputs', model.outputs, `${model.modelDim} = modelDim, for a residual`);
    this.#options = { epsilon: readEpsilon(normEpsilon), residual: yes('residual', residual) };
    this.#model = model;
    this.#memory = memory;
    this.#storage = storage;
    this.#at.up = memory.scope(() => {
      const bytes = memory.c.attn_latent_up_bytes(this.#init()) >>> 0;
      if (!bytes) refuse('LIMIT', 'weights.kvB', 'too large', 'below 2 GiB for each head');
      return storage.add(bytes, (at) =>
        memory.c.attn_latent_pack_up(this.#init(), at, memory.put(w.kvB, F32)),
      );
    });
    this.bytes = storage.bytes;
    storage.allocate();
    Object.freeze(this);
  }

  #init() {
    const memory = this.#memory;
    const { heads, kvLatent, nopeDim, ropeDim, valueDim } = this.#model;
    const layer = memory.push(memory.c.attn_latent_bytes());
    checkStatus(
      memory.c.attn_latent_init(layer, heads, kvLatent, nopeDim, ropeDim, valueDim),
      'config',
      `kvLatent ${kvLatent}, nopeDim ${nopeDim}, ropeDim ${ropeDim}, valueDim ${valueDim}`,
      `kvLatent+ropeDim, nopeDim+ropeDim and valueDim up to ${memory.c.attn_max_dim()}`,
    );
    return layer;
  }

  /**
   * Bytes of cache for each position, in float32: those of this layer, and those of attention with
   * its heads.
   */
  get bytesPerPosition() {
    return bytesPerPosition(this.#model);
  }

  /** @param {{ capacity: number }} options */
  cache(options) {
    this.#storage.at(0);
    const { kvLatent, ropeDim } = this.#model;
    return new LatentCache(this.#memory, kvLatent + ropeDim, options);
  }

  /**
   * @param {import('../engine/tensor.js').Floats} x
   * @param {import('./types.d.ts').ForwardOptions & { form?: 'expanded' | 'absorbed',
   *   cache?: import('./types.d.ts').LatentCache }} [options]
   * @returns {import('../types.d.ts').AttentionResult<Float32Array>}
   */
  forward(x, options) {
    const o = readOptions(options, ['form', ...OF_FORWARD]);
    const memory = this.#memory;
    const model = this.#model;
    const { modelDim, kvLatent, nopeDim, ropeDim, outputs } = model;
    const { cache } = o;
    const batch = integer('batch', o.batch ?? 1, 1);
    const absorbed = choice(
      'form',
      o.form ?? (cache === undefined ? 'expanded' : 'absorbed'),
      'expanded',
      'absorbed',
    );
    const m = rows('x', memory.floats('x', x, F32), batch * modelDim, 'batch*modelDim');
    shaped('x', x, { batch, m, modelDim });
    const kept = kvLatent + ropeDim;
    this.#storage.at(0);
    let past = 0;
    let cacheAt = 0;
    if (cache !== undefined) {
      if (!LatentCache.is(cache)) refuse('ARG', 'cache', describe(cache), 'a latent cache');
      cacheAt = placeOf(cache, memory);
      past = cache.length;
      if (cache.size !== kept)
        refuse('SHAPE', 'cache', `of ${cache.size}`, `${kept} = kvLatent+ropeDim`);
      checkFree(cache, batch, m);
      o.offset ??= past;
    }
    const positions = readPlaces(o, batch, m, past, this.#table?.positions);
    const n = past + m;
    // attn_init takes the width of the vectors that are compared. The scale belongs to the heads
    // before absorption.
    o.scale ??= 1 / Math.sqrt(nopeDim + ropeDim);
    const shape = shapeOfCall(model, absorbed, batch, m, n);
    const size = multiplyAdds(model, absorbed, batch, m, n);
    const result = layerCall(memory, x, o, batch * m * outputs, shape, size, (team, p, out, at) => {
      const layer = this.#set();
      const rowsAt = positions ? memory.put(positions, 'int32') : 0;
      const latents = cacheAt || memory.pushArray(F32, batch * n * kept);
      const { c } = memory;
      const scratch = scratchFor(memory, c.attn_latent_scratch_bytes(layer, team, p, absorbed));
      return c.attn_latent_forward(layer, team, p, out, at, rowsAt, latents, absorbed, scratch);
    });
    if (!result) return this.forward(x, options);
    if (cache) grow(cache, n);
    return result;
  }

  /** The layer as C reads it. */
  #set() {
    const memory = this.#memory;
    const layer = this.#init();
    const { epsilon, residual } = this.#options;
    /** @param {string} name */
    const at = (name) => this.#storage.at(this.#at[name]);
    memory.c.attn_latent_set_weights(layer, at('down'), at('key'), at('up'), at('q'), at('o'));
    memory.c.attn_latent_set_query_down(layer, at('qDown'), at('qANorm'));
    memory.c.attn_latent_set_norm(layer, at('kvANorm'), epsilon);
    const t = this.#table;
    if (t)
      memory.c.attn_latent_set_rope(
        layer,
        this.#storage.at(t.cos),
        this.#storage.at(t.sin),
        t.interleaved,
      );
    memory.c.attn_latent_set_residual(layer, residual);
    return layer;
  }

  dispose() {
    this.#storage.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
