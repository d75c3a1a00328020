import { bufferOf, lengthOf } from '../arrays.js';
import { array, choice, integer, range, read, rows, sized, sizesOf } from '../check.js';
import { describe, refuse } from '../errors.js';
import { STATUS, checkStatus } from '../engine/status.js';
import { LAYOUTS, word } from './options.js';
import { ATTN_CACHE_F16, ATTN_CACHE_F32, ATTN_CACHE_Q8 } from '../engine/constants.js';
import { Block, F32, isBlock, placeOf } from '../engine/tensor.js';
import { hasAxes, inLayout, shaped } from '../engine/shapes.js';
import { guard } from '../names.js';

/** How numbers are kept, at the places that attn.h gives them. */
export const TYPES = /** @type {import('../types.d.ts').CacheType[]} */ ([]);
TYPES[ATTN_CACHE_F32] = 'f32';
TYPES[ATTN_CACHE_F16] = 'f16';
TYPES[ATTN_CACHE_Q8] = 'q8';

/** Reasons to refuse a snapshot. @type {Record<string, string>} */
const UNFIT = {
  FORMAT: 'not of such a cache, or of a later version',
  INTEGRITY: 'damaged',
  LIMIT: 'too long',
};

/**
 * See cache-types.d.ts. Its memory is laid out and understood by cache.c alone. It is frozen,
 * because its sizes say which memory is read and written.
 */
export class KVCache extends Block {
  #memory;

  /**
   * @param {import('../engine/memory.js').Memory} memory
   * @param {import('../types.d.ts').KVCacheOptions} options
   */
  constructor(memory, options) {
    const {
      kvHeads = 1,
      headDim,
      valueDim = headDim,
      capacity,
      type,
    } = read('options', options, ['kvHeads', 'headDim', 'valueDim', 'capacity', 'type']);
    const sizes = sizesOf(memory, { kvHeads, headDim, valueDim, capacity });
    const kind = choice('type', type, ...TYPES);
    const { attn_cache_bytes, attn_cache_init } = memory.c;
    const bytes = attn_cache_bytes(kvHeads, headDim, valueDim, capacity, kind) >>> 0;
    if (!bytes) refuse('LIMIT', 'cache', `of (${sizes})`, 'below 4 GiB');
    super(memory, bytes, 'cache');
    attn_cache_init(placeOf(this), kvHeads, headDim, valueDim, capacity, kind);
    this.type = TYPES[kind];
    this.kvHeads = kvHeads;
    this.headDim = headDim;
    this.valueDim = valueDim;
    this.capacity = capacity;
    this.#memory = memory;
    this.bytes = bytes;
    Object.freeze(this);
  }

  /** @param {unknown} x @returns {x is KVCache} */
  static is(x) {
    return x instanceof KVCache && isBlock(x);
  }

  get length() {
    return this.#memory.c.attn_cache_length(placeOf(this));
  }

  /**
   * @param {import('../engine/tensor.js').Floats} k
   * @param {import('../engine/tensor.js').Floats} v
   * @param {{ layout?: import('../types.d.ts').Layout }} [options]
   */
  append(k, v, options) {
    const { layout } = read('options', options, ['layout']);
    const first = word('layout', layout, LAYOUTS);
    const { kvHeads, headDim, valueDim } = this;
    const memory = this.#memory;
    const at = placeOf(this);
    const t = rows('k', memory.floats('k', k, F32), kvHeads * headDim, 'kvHeads*headDim');
    sized('v', memory.floats('v', v, F32), kvHeads * t * valueDim, 'kvHeads*t*valueDim');
    // arrays have no axes, and lists of theirs would take longer than to append one position
    if (hasAxes(k) || hasAxes(v)) {
      const axes = { batch: 1, heads: kvHeads, positions: t };
      shaped('k', k, inLayout(layout, { ...axes, size: headDim }));
      shaped('v', v, inLayout(layout, { ...axes, size: valueDim }));
    }
    memory.scope(() =>
      checkStatus(
        memory.c.attn_cache_append(at, memory.put(k, F32), memory.put(v, F32), t, first),
        'cache',
        `${memory.c.attn_cache_length(at)} of ${this.capacity} full`,
        `space for ${t} more positions`,
      ),
    );
  }

  /** @param {number} length */
  truncate(length) {
    const { c } = this.#memory;
    const at = placeOf(this);
    c.attn_cache_truncate(at, integer('length', length, 0, c.attn_cache_length(at)));
  }

  /** @param {number} [from] @param {number} [to] */
  read(from, to) {
    const { kvHeads, headDim, valueDim } = this;
    const memory = this.#memory;
    const at = placeOf(this);
    const [start, end] = range(this.length, from, to);
    const count = kvHeads * (end - start);
    return memory.scope(() => {
      const k = memory.pushArray(F32, count * headDim);
      const v = memory.pushArray(F32, count * valueDim);
      memory.c.attn_cache_read(at, k, v, start, end);
      return { k: memory.copy(F32, k, count * headDim), v: memory.copy(F32, v, count * valueDim) };
    });
  }

  clone() {
    const { kvHeads, headDim, valueDim, capacity, type, bytes } = this;
    const memory = this.#memory;
    const at = placeOf(this);
    const copy = new KVCache(memory, { kvHeads, headDim, valueDim, capacity, type });
    memory.view('uint8', placeOf(copy), bytes).set(memory.view('uint8', at, bytes));
    return copy;
  }

  snapshot() {
    const memory = this.#memory;
    const at = placeOf(this);
    const bytes = memory.c.attn_cache_snapshot_bytes(at) >>> 0;
    return memory.scope(() => {
      const to = memory.push(bytes);
      memory.c.attn_cache_snapshot(at, to);
      return memory.copy('uint8', to, bytes);
    });
  }

  /** @param {Uint8Array} snapshot */
  restore(snapshot) {
    const { kvHeads, headDim, valueDim, capacity } = this;
    const memory = this.#memory;
    const at = placeOf(this);
    array('snapshot', snapshot, 'Uint8Array');
    // pushing it may grow memory, which detaches views of the old one
    if (bufferOf(snapshot) === memory.buffer) snapshot = new Uint8Array(snapshot);
    const status = memory.scope(() =>
      memory.c.attn_cache_restore(at, memory.put(snapshot, 'uint8'), lengthOf(snapshot)),
    );
    const code = STATUS[status];
    if (status)
      refuse(
        code,
        'snapshot',
        `${describe(snapshot)}, ${UNFIT[code]}`,
        `an intact ${this.type} one of (${[kvHeads, headDim, valueDim]}), at most ${capacity} long`,
      );
  }
}
guard(KVCache.prototype, KVCache.is, 'a KV cache');
