import { KVCache } from '../cache.js';
import { array, integer, read } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';

/** A model's KV cache: what it has read so far, one attention cache for each layer. See ModelCache in types.d.ts. */
export class Sequence {
  #caches;
  /** @type {number[]} */
  #tokens = [];
  #locked = false;
  /** Whether a pass is on its way through the layers, so that their caches do not agree. */
  midway = false;

  /** @param {import('../memory.js').Memory} memory @param {import('./types.d.ts').ModelConfig} config @param {number} capacity @param {any} type */
  constructor(memory, { layers, kvHeads, headDim }, capacity, type) {
    /** @type {KVCache[]} */
    this.#caches = [];
    this.capacity = capacity;
    try {
      for (let layer = 0; layer < layers; layer++) this.#caches.push(new KVCache(memory, { kvHeads, headDim, capacity, type }));
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  get caches() {
    return this.#caches;
  }

  get length() {
    return this.#tokens.length;
  }

  /** A copy of the ids. */
  get tokens() {
    return Int32Array.from(this.#tokens);
  }

  get bytes() {
    return this.#caches.reduce((sum, cache) => sum + cache.bytes, 0);
  }

  /** For as long as a text is being generated, nobody else may change it. */
  lock() {
    this.free();
    this.#locked = true;
  }

  unlock() {
    this.#locked = false;
  }

  free() {
    if (this.#locked) throw new ClearheadError('BUSY', 'the model is generating a text; expected one at a time (end it with return() or an AbortSignal)');
  }

  /** @param {number} position */
  token(position) {
    return this.#tokens[position];
  }

  /** Notes that the caches hold these too. @param {ArrayLike<number>} tokens */
  noted(tokens) {
    for (let i = 0; i < tokens.length; i++) this.#tokens.push(tokens[i]);
  }

  /** Makes the caches agree again, after a pass that did not end. */
  undo() {
    for (const cache of this.#caches) cache.truncate(Math.min(cache.length, this.#tokens.length));
  }

  /** How many tokens at the beginning are the same. @param {ArrayLike<number>} tokens */
  common(tokens) {
    let count = 0;
    while (count < tokens.length && count < this.#tokens.length && tokens[count] === this.#tokens[count]) count++;
    return count;
  }

  /** @param {number} length */
  truncate(length) {
    this.free();
    this.cut(integer('length', length, 0, this.length));
  }

  /** The same in the middle of something. @param {number} length */
  cut(length) {
    for (const cache of this.#caches) cache.truncate(length);
    this.#tokens.length = length;
  }

  clear() {
    this.truncate(0);
  }

  /** @returns {{ tokens: Int32Array, layers: Uint8Array[] }} */
  snapshot() {
    this.free();
    return { tokens: this.tokens, layers: this.#caches.map((cache) => cache.snapshot()) };
  }

  /** @param {{ tokens: Int32Array, layers: Uint8Array[] }} snapshot */
  restore(snapshot) {
    const { tokens, layers } = read('snapshot', snapshot, 'tokens layers');
    this.free();
    array('snapshot.tokens', tokens, 'Int32Array');
    if (!Array.isArray(layers) || layers.length !== this.#caches.length) refuse('SHAPE', 'snapshot.layers', describe(layers), `${this.#caches.length} of them`);
    const before = this.snapshot();
    try {
      layers.forEach((/** @type {any} */ layer, /** @type {number} */ x) => this.#caches[x].restore(layer));
      for (const cache of this.#caches) if (cache.length !== tokens.length) refuse('SHAPE', 'snapshot', `of ${cache.length} positions and ${tokens.length} tokens`, 'as many');
      this.#tokens = [...tokens];
    } catch (error) {
      before.layers.forEach((layer, x) => this.#caches[x].restore(layer));
      throw error;
    }
  }

  /** What printing it shows: what it holds is long. */
  toJSON() {
    const { length, capacity, bytes } = this;
    return { length, capacity, bytes };
  }

  /** The same for console.log in Node, Deno and Bun. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toJSON();
  }

  dispose() {
    for (const cache of this.#caches.splice(0)) cache.dispose();
    this.#tokens = [];
  }
}
