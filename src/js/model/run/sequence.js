import { KVCache, TYPES } from '../../attention/cache.js';
import { array, integer, number, read, sized } from '../../check.js';
import { ClearheadError, GONE, describe, refuse } from '../../errors.js';
import { checksum } from './fingerprint.js';

/**
 * Bytes that the caches of so many positions take; Infinity where there is no such cache.
 * @param {import('../../engine/memory.js').Memory} memory
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {number} capacity
 * @param {any} type
 */
export const cacheBytes = (memory, { layers, kvHeads, headDim }, capacity, type = TYPES[0]) =>
  layers *
  (memory.c.attn_cache_bytes(kvHeads, headDim, headDim, capacity, TYPES.indexOf(type)) >>> 0 ||
    Infinity);

/** For who would change what a text is written with. */
export const busy = () =>
  new ClearheadError(
    'BUSY',
    'the model is generating a text; expected one at a time (end it with return() or an AbortSignal)',
  );

/**
 * A model's KV cache: what it has read so far, one attention cache for each layer. See ModelCache
 * in types.d.ts.
 */
export class Sequence {
  #caches;
  /** @type {number[]} */
  #tokens = [];
  /**
   * With which attention temperatures, by layer and head, the first `#alike` positions were read.
   * @type {Float64Array}
   */
  #temperatures;
  #alike = 0;
  #vocab;
  /** Of the model. @type {() => number} */
  #fingerprint;
  /**
   * The text being generated, and whether its caller has left it.
   * @type {{ left: () => boolean } | undefined}
   */
  #holder;
  /** Whether a pass is on its way through the layers, so that their caches do not agree. */
  midway = false;

  /**
   * @param {import('../../engine/memory.js').Memory} memory
   * @param {import('../types.d.ts').ModelConfig} config
   * @param {number} capacity
   * @param {any} type
   * @param {() => number} fingerprint of the model
   */
  constructor(memory, { layers, heads, kvHeads, headDim, vocab }, capacity, type, fingerprint) {
    this.#vocab = vocab;
    /** @type {number | undefined} */
    let known;
    this.#fingerprint = () => (known ??= fingerprint());
    this.#temperatures = new Float64Array(layers * heads).fill(1);
    /** @type {KVCache[]} */
    this.#caches = [];
    this.capacity = capacity;
    try {
      for (let layer = 0; layer < layers; layer++)
        this.#caches.push(new KVCache(memory, { kvHeads, headDim, capacity, type }));
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

  /**
   * For as long as a text is being generated, nobody else may change it.
   * @param {() => boolean} left ends that as well
   * @returns {() => void} what ends it
   */
  lock(left) {
    this.free();
    const holder = (this.#holder = { left });
    return () => {
      if (this.#holder === holder) this.#holder = undefined;
    };
  }

  /** Refuses where it is in use, or disposed of, as its caches are. */
  free() {
    if (!this.#caches.length) refuse('DISPOSED', 'cache', ...GONE);
    if (this.#holder && !this.#holder.left()) throw busy();
  }

  /** @param {number} position */
  token(position) {
    return this.#tokens[position];
  }

  /**
   * Notes that the caches hold these too.
   * @param {ArrayLike<number>} tokens
   * @param {Float64Array} temperatures they were read with
   */
  noted(tokens, temperatures) {
    if (!this.length) this.#temperatures = temperatures;
    if (this.#alike === this.length && this.#readWith(temperatures)) this.#alike += tokens.length;
    for (let i = 0; i < tokens.length; i++) this.#tokens.push(tokens[i]);
  }

  /** Makes the caches agree again, after a pass that did not end. */
  undo() {
    for (const cache of this.#caches) cache.truncate(Math.min(cache.length, this.#tokens.length));
  }

  /** @param {Float64Array} temperatures */
  #readWith(temperatures) {
    return temperatures.every((t, x) => t === this.#temperatures[x]);
  }

  /**
   * How many positions at the beginning are those of these tokens and temperatures.
   * @param {ArrayLike<number>} tokens
   * @param {Float64Array} temperatures
   */
  common(tokens, temperatures) {
    const most = this.#readWith(temperatures) ? Math.min(tokens.length, this.#alike) : 0;
    let count = 0;
    while (count < most && tokens[count] === this.#tokens[count]) count++;
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
    this.#alike = Math.min(this.#alike, length);
  }

  clear() {
    this.truncate(0);
  }

  /** @returns {import('../api.d.ts').CacheSnapshot} */
  snapshot() {
    this.free();
    const layers = this.#caches.map((cache) => cache.snapshot());
    const notes = {
      model: this.#fingerprint(),
      tokens: this.tokens,
      temperatures: this.#temperatures.slice(),
      alike: this.#alike,
    };
    return { ...notes, layers, checksum: checksumOf(notes, layers) };
  }

  /** @param {import('../api.d.ts').CacheSnapshot} snapshot */
  restore(snapshot) {
    const {
      model,
      tokens,
      layers,
      temperatures,
      alike,
      checksum: sum,
    } = read('snapshot', snapshot, 'model tokens layers temperatures alike checksum');
    this.free();
    array('snapshot.tokens', tokens, 'Int32Array').forEach(
      (/** @type {number} */ id, /** @type {number} */ at) =>
        integer(`snapshot.tokens[${at}]`, id, 0, this.#vocab - 1),
    );
    sized(
      'snapshot.temperatures',
      array('snapshot.temperatures', temperatures, 'Float64Array'),
      this.#temperatures.length,
      'layers*heads',
    );
    temperatures.forEach(
      (/** @type {number} */ t, /** @type {number} */ at) =>
        t >= 0 || refuse('RANGE', `snapshot.temperatures[${at}]`, t, 'a number ≥ 0'),
    );
    integer('snapshot.alike', alike, 0);
    if (!Array.isArray(layers) || layers.length !== this.#caches.length)
      refuse('SHAPE', 'snapshot.layers', describe(layers), `${this.#caches.length} of them`);
    if (number('snapshot.model', model) !== this.#fingerprint())
      refuse('FORMAT', 'snapshot', 'of another model', 'one of this model');
    const before = this.snapshot();
    try {
      layers.forEach((/** @type {any} */ layer, /** @type {number} */ x) =>
        this.#caches[x].restore(layer),
      );
      for (const cache of this.#caches)
        if (cache.length !== tokens.length)
          refuse(
            'SHAPE',
            'snapshot',
            `of ${cache.length} positions and ${tokens.length} tokens`,
            'as many',
          );
      if (sum !== checksumOf({ tokens, temperatures, alike }, layers))
        refuse('INTEGRITY', 'snapshot', 'damaged (its checksum)', 'one as it was taken');
      this.#tokens = [...tokens];
      this.#temperatures = temperatures.slice();
      this.#alike = Math.min(alike, tokens.length);
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

/**
 * Of what a snapshot says beside its layers, and of their own checksums, with which they end: that
 * they belong together, in this order.
 * @param {{ tokens: Int32Array, temperatures: Float64Array, alike: number }} notes
 * @param {Uint8Array[]} layers
 */
const checksumOf = ({ tokens, temperatures, alike }, layers) =>
  checksum([
    alike,
    ...tokens,
    ...new Int32Array(temperatures.slice().buffer),
    ...layers.flatMap((layer) => [...layer.subarray(-8)]),
  ]);
