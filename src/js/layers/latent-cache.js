/** The cache of a latent layer. */
import { integer, range, read } from '../check.js';
import { Block, F32, isBlock, placeOf } from '../engine/tensor.js';
import { refuse } from '../errors.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

/**
 * The positions in each cache. They are no property: callers could read memory without latents.
 * @type {WeakMap<LatentCache, number>}
 */
const lengths = new WeakMap();

/**
 * Counts the positions that a forward has written.
 * @param {LatentCache} cache
 * @param {number} length
 */
export const grow = (cache, length) => void lengths.set(cache, length);

/** Latents of one sequence, (capacity, kvLatent + ropeDim). See latent-types.d.ts. */
export class LatentCache extends Block {
  #memory;

  /** @param {Memory} memory @param {number} size @param {{ capacity: number }} options */
  constructor(memory, size, options) {
    const capacity = integer('capacity', read('options', options, ['capacity']).capacity, 1);
    const bytes = 4 * size * capacity;
    if (bytes >= 2 ** 32) refuse('LIMIT', 'cache', `of (${[capacity, size]})`, 'below 4 GiB');
    super(memory, bytes, 'cache');
    this.capacity = capacity;
    this.size = size;
    this.bytes = bytes;
    this.#memory = memory;
    grow(this, 0);
    Object.freeze(this);
  }

  /** @param {unknown} x @returns {x is LatentCache} */
  static is(x) {
    return x instanceof LatentCache && isBlock(x);
  }

  get length() {
    placeOf(this);
    return /** @type {number} */ (lengths.get(this));
  }

  /** @param {number} length */
  truncate(length) {
    grow(this, integer('length', length, 0, this.length));
  }

  /** @param {number} [from] @param {number} [to] */
  read(from, to) {
    const at = placeOf(this);
    const [start, end] = range(this.length, from, to);
    return this.#memory.copy(F32, at + 4 * this.size * start, (end - start) * this.size);
  }
}
