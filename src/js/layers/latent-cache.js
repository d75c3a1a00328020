/** The cache of a latent layer. */
import { integer, range, read } from '../check.js';
import { Block, F32 } from '../engine/tensor.js';
import { refuse } from '../errors.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

/** Latents of one sequence, (capacity, kvLatent + ropeDim). See types.d.ts. */
export class LatentCache extends Block {
  #memory;
  #length = 0;

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
  }

  get length() {
    this.place();
    return this.#length;
  }

  /** Counts the positions that a forward has written. @param {number} length */
  grow(length) {
    this.#length = length;
  }

  /** @param {number} length */
  truncate(length) {
    this.#length = integer('length', length, 0, this.length);
  }

  /** @param {number} [from] @param {number} [to] */
  read(from, to) {
    const at = this.place();
    const [start, end] = range(this.#length, from, to);
    return this.#memory.copy(F32, at + 4 * this.size * start, (end - start) * this.size);
  }
}
