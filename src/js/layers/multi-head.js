import {
  divides,
  initShape,
  overlap,
  readOptions,
  setOptions,
  wantResults,
} from '../attention/attention.js';
import { KVCache } from '../attention/cache.js';
import { integer, number, read, rows, sizesOf, yes } from '../check.js';
import { describe, refuse } from '../errors.js';
import { checkStatus } from '../engine/status.js';
import { LayerStorage } from './storage.js';
import { F32 } from '../engine/memory.js';
import { floats, landing, together } from './operations.js';
import { readPositions, readTable } from './rope.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

/** What `forward` of both layers reads beside its own. */
export const FORWARD =
  'batch cache positions scale temperature keyScale causal offset window softcap mask keyLengths alibi sinks out want';

/** @param {any} epsilon */
export function readEpsilon(epsilon = 1e-6) {
  return number('normEpsilon', epsilon) >= 0 && epsilon < Infinity
    ? epsilon
    : refuse('RANGE', 'normEpsilon', epsilon, 'finite, ≥ 0');
}

/**
 * The table of a layer. It may be an object with getters, so it is read before any array is
 * checked.
 * @param {Memory} memory
 * @param {any} rope
 * @param {number} dim
 * @param {string} size
 */
export const tableOf = (memory, rope, dim, size) =>
  rope === undefined ? undefined : readTable(memory, 'rope', rope, dim, size);

/**
 * The same, copied into its memory.
 * @param {LayerStorage} storage
 * @param {ReturnType<typeof tableOf>} table
 */
export function storeTable(storage, table) {
  return (
    table && {
      dim: table.dim,
      positions: table.positions,
      interleaved: table.interleaved,
      cos: storage.vector(table.cos),
      sin: storage.vector(table.sin),
    }
  );
}

/**
 * What is to be refused before a layer does anything.
 * @param {Memory} memory
 * @param {any} o
 * @param {number} m
 * @param {number} past
 * @param {number | undefined} positions of the table
 */
export function readPlaces(memory, o, m, past, positions) {
  if (o.positions !== undefined)
    return positions === undefined
      ? refuse('ARG', 'positions', 'given', 'none, since the layer has no rope')
      : readPositions(o.positions, o.batch * m, positions);
  if (positions !== undefined && past + m > positions)
    refuse(
      'RANGE',
      'x',
      `${past} + ${m} positions`,
      `at most ${positions}, the rows of the rope table`,
    );
}

/**
 * One call of a layer: checks the output, makes an attn_params, has `body` compute with a team, and
 * takes the results. Undefined if a thread was lost on the way.
 * @param {Memory} memory
 * @param {any} x
 * @param {any} o
 * @param {number} length of the output
 * @param {import('../attention/attention.js').Shape} shape
 * @param {number} size multiply-adds beside attention's
 * @param {(team: number, p: number, out: number, x: number) => number} body returns a status
 * @returns {any}
 */
export function layerCall(memory, x, o, length, shape, size, body) {
  const { out: given, want } = o;
  const { batch, heads, m, n, headDim, valueDim } = shape;
  if (given !== undefined) {
    floats(memory, 'out', given, length, 'batch*m*outputs');
    for (const [name, y] of Object.entries({ x, ...o, mask: o.mask?.data, out: 0 }))
      if (overlap(given, y))
        refuse('ALIAS', 'out', `in the memory of ${name}`, 'memory of its own');
  }
  return memory.scope(() => {
    const p = memory.push(memory.c.attn_params_bytes());
    initShape(memory, p, shape);
    setOptions(memory, F32, shape, o, p);
    memory.c.attn_set_layout(p, 1);
    const results = wantResults(memory, F32, shape, want, p);
    const at = memory.put(x, F32);
    const { at: out, take } = landing(memory, given, length);
    const whole = together(
      memory,
      memory.c.attn_scratch_bytes_f32(p),
      size + batch * heads * m * n * (headDim + valueDim),
      (team) =>
        checkStatus(body(team, p, out, at), 'x', 'of another shape', 'what the layer takes'),
    );
    return whole ? { output: take(), ...results() } : undefined;
  });
}

/**
 * Memory for everything between input and output.
 * @param {Memory} memory
 * @param {number} bytes as C counts them, 0 where they are too many
 */
export function scratchFor(memory, bytes) {
  return bytes
    ? memory.push(bytes >>> 0)
    : refuse('LIMIT', 'x', 'too long', 'room below 4 GiB between input and output');
}

/** See types.layers.d.ts. */
export class MultiHead {
  #memory;
  #storage;
  /** @type {Record<string, number>} places */
  #at = {};
  #table;
  #options;

  /** @param {Memory} memory @param {any} weights @param {any} config */
  constructor(memory, weights, config) {
    const c = read(
      'config',
      config,
      'modelDim heads kvHeads headDim valueDim outputs rope normEpsilon onePlus residual',
    );
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
    divides(heads, kvHeads);
    const w = read('weights', weights, 'q k v o qBias kBias vBias oBias qNorm kNorm');
    const table = tableOf(memory, rope, headDim, 'headDim');
    const sizes = {
      q: heads * headDim,
      k: kvHeads * headDim,
      v: kvHeads * valueDim,
      o: integer('outputs', outputs ?? modelDim, 1),
    };
    const storage = new LayerStorage(memory);
    for (const [name, size] of Object.entries(sizes)) {
      const columns = name === 'o' ? heads * valueDim : modelDim;
      floats(
        memory,
        `weights.${name}`,
        w[name],
        size * columns,
        `${{ q: 'heads*headDim*modelDim', k: 'kvHeads*headDim*modelDim', v: 'kvHeads*valueDim*modelDim', o: 'outputs*heads*valueDim' }[name]}`,
      );
      this.#at[name] = storage.matrix(`weights.${name}`, w[name], size, columns);
    }
    for (const [name, size, shape] of /** @type {[string, number, string][]} */ ([
      ['qBias', sizes.q, 'heads*headDim'],
      ['kBias', sizes.k, 'kvHeads*headDim'],
      ['vBias', sizes.v, 'kvHeads*valueDim'],
      ['oBias', sizes.o, 'outputs'],
      ['qNorm', headDim, 'headDim'],
      ['kNorm', headDim, 'headDim'],
    ])) {
      if (w[name] !== undefined) floats(memory, `weights.${name}`, w[name], size, shape);
      this.#at[name] = storage.vector(w[name]);
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
  }

  /** @param {any} x @param {any} [options] @returns {any} */
  forward(x, options) {
    const o = readOptions(options, FORWARD);
    const memory = this.#memory;
    const { modelDim, outputs, heads, kvHeads, headDim, valueDim } = this;
    const { cache } = o;
    const batch = (o.batch = integer('batch', o.batch ?? 1, 1));
    const m = rows('x', memory.floats('x', x, F32), batch * modelDim, 'batch*modelDim');
    let past = 0;
    let place = 0;
    if (cache !== undefined) {
      if (!(cache instanceof KVCache)) refuse('ARG', 'cache', describe(cache), 'a KV cache');
      place = cache.place(memory);
      past = cache.length;
      const sizes = [cache.kvHeads, cache.headDim, cache.valueDim];
      if (`${sizes}` !== `${[kvHeads, headDim, valueDim]}`)
        refuse(
          'SHAPE',
          'cache',
          `of (${sizes})`,
          `(${[kvHeads, headDim, valueDim]}) = (kvHeads, headDim, valueDim)`,
        );
      if (batch !== 1) refuse('SHAPE', 'batch', batch, '1 with a cache');
      if (past + m > cache.capacity)
        refuse(
          'LIMIT',
          'cache',
          `${past} of ${cache.capacity} full`,
          `room for ${m} more positions`,
        );
      o.offset ??= past;
    }
    const positions = readPlaces(memory, o, m, past, this.#table?.positions);
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
        const places = positions ? memory.put(positions, 'int32') : 0;
        const { c } = memory;
        const scratch = scratchFor(memory, c.attn_multi_head_scratch_bytes(layer, team, p));
        return c.attn_multi_head_forward(layer, team, p, out, at, places, place, scratch);
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
}
