/** Latent attention: keys and values come from a short vector of each position. */
import { readOptions } from '../attention/options.js';
import { choice, integer, read, rows, yes } from '../check.js';
import { DISPOSE, F32, placeOf } from '../engine/tensor.js';
import { checkStatus } from '../engine/status.js';
import { describe, refuse } from '../errors.js';
import { shaped } from '../engine/shapes.js';
import { matrix } from './call.js';
import { grow, LatentCache } from './latent-cache.js';
import { bytesPerPosition, multiplyAdds, shapeOfCall } from './latent-sizes.js';
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
  #at = {};
  #table;
  #options;
  #model;

  /**
   * @param {Memory} memory
   * @param {import('./types.d.ts').LatentWeights} weights
   * @param {import('./types.d.ts').LatentConfig} config
   */
  constructor(memory, weights, config) {
    const {
      modelDim,
      heads,
      kvLatent,
      queryLatent = 0,
      nopeDim,
      ropeDim = 0,
      valueDim,
      outputs = modelDim,
      rope,
      normEpsilon,
      residual,
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
    for (const [name, x] of Object.entries({
      modelDim,
      heads,
      kvLatent,
      nopeDim,
      valueDim,
      outputs,
    }))
      integer(name, x, 1);
    for (const [name, x] of Object.entries({ queryLatent, ropeDim })) integer(name, x, 0);
    const w = read('weights', weights, ['q', 'qA', 'qANorm', 'qB', 'kvA', 'kvANorm', 'kvB', 'o']);
    /** @typedef {keyof typeof w} Name */
    const storage = new LayerStorage(memory, this);
    const headDim = nopeDim + ropeDim;
    const table = tableOf(memory, rope, ropeDim, 'ropeDim');
    /** @param {Name} name @param {number} height @param {number} width @param {string} shape */
    const check = (name, height, width, shape) =>
      matrix(memory, `weights.${name}`, w[name], height, width, shape);
    /** @type {Name[]} */
    const others = queryLatent ? ['q'] : ['qA', 'qANorm', 'qB'];
    for (const name of others)
      if (w[name] !== undefined)
        refuse(
          'ARG',
          `weights.${name}`,
          'given',
          queryLatent ? 'qA, qANorm and qB, with queryLatent' : 'q alone, without queryLatent',
        );
    check('kvA', kvLatent + ropeDim, modelDim, '(kvLatent+ropeDim)*modelDim');
    check('kvB', heads * (nopeDim + valueDim), kvLatent, 'heads*(nopeDim+valueDim)*kvLatent');
    check('o', outputs, heads * valueDim, 'outputs*heads*valueDim');
    this.#at.down = storage.matrix('weights.kvA', w.kvA, kvLatent, modelDim);
    this.#at.key = ropeDim ? storage.matrix('weights.kvA', w.kvA, ropeDim, modelDim, kvLatent) : -1;
    this.#at.o = storage.matrix('weights.o', w.o, outputs, heads * valueDim);
    const q = queryLatent ? 'qB' : 'q';
    const queries = check(
      q,
      heads * headDim,
      queryLatent || modelDim,
      `heads*(nopeDim+ropeDim)*${queryLatent ? 'queryLatent' : 'modelDim'}`,
    );
    this.#at.q = storage.matrix(`weights.${q}`, queries, heads * headDim, queryLatent || modelDim);
    const down = queryLatent && check('qA', queryLatent, modelDim, 'queryLatent*modelDim');
    this.#at.qDown = down ? storage.matrix('weights.qA', down, queryLatent, modelDim) : -1;
    for (const [name, size, words] of /** @type {['qANorm' | 'kvANorm', number, string][]} */ ([
      ['qANorm', queryLatent, 'queryLatent'],
      ['kvANorm', kvLatent, 'kvLatent'],
    ])) {
      if (w[name] !== undefined) check(name, size, 1, words);
      this.#at[name] = storage.vector(w[name]);
    }
    if (table && table.dim !== ropeDim)
      refuse('SHAPE', 'rope.dim', table.dim, `${ropeDim} = ropeDim`);
    this.#table = storeTable(storage, table);
    if (residual && outputs !== modelDim)
      refuse('SHAPE', 'outputs', outputs, `${modelDim} = modelDim, for a residual`);
    this.#options = { epsilon: readEpsilon(normEpsilon), residual: yes('residual', residual) };
    this.#model = { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim, outputs };
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
