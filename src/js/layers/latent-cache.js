/** The cache of a latent layer. */
import { integer, read } from '../check.js';
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
  read(from = 0, to = this.length) {
    const at = this.place();
    integer('to', to, 0, this.#length);
    return this.#memory.copy(
      F32,
      at + 4 * this.size * integer('from', from, 0, to),
      (to - from) * this.size,
    );
  }
}
