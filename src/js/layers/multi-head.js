import { checkDivides } from '../attention/attention.js';
import { KVCache } from '../attention/cache.js';
import { LAYOUTS, OF_FORWARD, readOptions, setOptions } from '../attention/options.js';
import { placeOutput, wantResults } from '../attention/results.js';
import { integer, number, read, rows, sizesOf, yes } from '../check.js';
import { describe, refuse } from '../errors.js';
import { checkStatus } from '../engine/status.js';
import { LayerStorage } from './storage.js';
import { checkAlias } from '../engine/alias.js';
import { F32 } from '../engine/memory.js';
import { floats, optionalFloats, together } from './operations.js';
import { readPositions, readTable } from './rope.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/memory.js').Floats} Floats
 * @typedef {import('./types.d.ts').ForwardOptions} ForwardOptions
 */

/** @param {unknown} epsilon */
export function readEpsilon(epsilon = 1e-6) {
  const value = number('normEpsilon', epsilon);
  if (value >= 0 && value < Infinity) return value;
  return refuse('RANGE', 'normEpsilon', value, 'finite, ≥ 0');
}

/**
 * The table of a layer. It may be an object with getters, so it is read before any array is
 * checked.
 * @param {Memory} memory
 * @param {import('./types.d.ts').RopeTable | undefined} rope
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
 * Checks the arguments before a layer does anything.
 * @param {ForwardOptions} o
 * @param {number} batch
 * @param {number} m
 * @param {number} past
 * @param {number | undefined} positions of the table
 */
export function readPlaces(o, batch, m, past, positions) {
  if (o.positions !== undefined)
    return positions === undefined
      ? refuse('ARG', 'positions', 'given', 'none, since the layer has no rope')
      : readPositions(o.positions, batch * m, positions);
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
 * @param {Floats} x
 * @param {import('../attention/options.js').Read<ForwardOptions>} o
 * @param {number} length of the output
 * @param {import('../attention/options.js').Shape} shape
 * @param {number} size multiply-adds beside attention's
 * @param {(team: number, p: number, out: number, x: number) => number} body returns a status
 */
export function layerCall(memory, x, o, length, shape, size, body) {
  const { batch, heads, m, n, headDim, valueDim } = shape;
  const given = optionalFloats(memory, 'out', o.out, length, 'batch*m*outputs');
  if (given) checkAlias('out', given, { x, ...o, mask: o.mask?.data, out: undefined });
  return memory.scope(() => {
    const p = setOptions(memory, F32, shape, o);
    memory.c.attn_set_layout(p, LAYOUTS.bshd);
    const results = wantResults(memory, F32, shape, o.want, p);
    const at = memory.put(x, F32);
    const { at: out, output } = placeOutput(memory, F32, given, length);
    const whole = together(
      memory,
      memory.c.attn_scratch_bytes_f32(p),
      size + batch * heads * m * n * (headDim + valueDim),
      (team) =>
        checkStatus(body(team, p, out, at), 'x', 'of another shape', 'what the layer takes'),
    );
    return whole ? { output: output(), ...results() } : undefined;
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
    const storage = new LayerStorage(memory);
    for (const name of MATRICES) {
      const size = sizes[name];
      const columns = name === 'o' ? heads * valueDim : modelDim;
      floats(memory, `weights.${name}`, w[name], size * columns, SHAPES[name]);
      this.#at[name] = storage.matrix(`weights.${name}`, w[name], size, columns);
    }
    for (const [name, size, shape] of /** @type {[typeof VECTORS[number], number, string][]} */ ([
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
