import { KVCache } from '../../attention/cache.js';
import { integer } from '../../check.js';
import { GONE, refuse } from '../../errors.js';
import { Content } from '../inside/content.js';
import { SettingsOfPositions } from '../inside/settings.js';
import { atWork, writing } from './busy.js';
import { checkSnapshot, readSnapshot, restoreCaches, makeSnapshot } from './snapshot.js';

/**
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('../api.d.ts').CacheSnapshot} CacheSnapshot
 * @typedef {import('../api.d.ts').LoadOptions['cacheType']} CacheType
 * @typedef {import('../inside/settings.js').Settings} Settings
 */

/**
 * A model's KV cache: the tokens it has read, and one attention cache for each layer. See
 * ModelCache in api.d.ts.
 */
export class Sequence {
  #caches;
  /** @type {number[]} */
  #tokens = [];
  /** That the tokens were read with. */
  #settings = new SettingsOfPositions();
  /** Those before anything is read. */
  #temperatures;
  #vocab;
  /** Of the model. @type {() => number} */
  #fingerprint;
  /**
   * The text that is being generated, and whether its caller has abandoned it; or other work.
   * @type {{ abandoned: (() => boolean) | undefined } | undefined}
   */
  #user;
  /** Whether a pass is on its way through the layers. Their caches then differ in length. */
  midway = false;

  /**
   * @param {Memory} memory
   * @param {ModelConfig} config
   * @param {number} capacity
   * @param {CacheType} type
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
   * Keeps all others from changing the cache.
   * @param {() => boolean} [abandoned] of a text: whether its caller has abandoned it, which
   *   unlocks as well. Other work has none, and keeps others from reading the cache too
   * @returns {() => void} unlocks
   */
  lock(abandoned) {
    this.checkFree();
    const user = { abandoned };
    this.#user = user;
    return () => {
      if (this.#user === user) this.#user = undefined;
    };
  }

  /** Refuses where it is locked or disposed of. */
  checkFree() {
    if (!this.#caches.length) refuse('DISPOSED', 'cache', ...GONE);
    this.checkReadable();
    if (this.#user?.abandoned?.() === false) throw writing();
  }

  /** Refuses where its tokens are those of some work. */
  checkReadable() {
    if (this.#atWork) throw atWork();
  }

  get #atWork() {
    return Boolean(this.#user && !this.#user.abandoned);
  }

  /** @param {number} position */
  token(position) {
    return this.#tokens[position];
  }

  /**
   * Notes tokens that the caches now hold.
   * @param {ArrayLike<number>} tokens
   * @param {Settings} settings they were read with
   */
  noted(tokens, settings) {
    this.#settings.note(this.length, settings);
    for (let i = 0; i < tokens.length; i++) this.#tokens.push(tokens[i]);
  }

  /** Makes the caches equally long again after a pass that did not end. */
  undo() {
    for (const cache of this.#caches) cache.truncate(Math.min(cache.length, this.#tokens.length));
  }

  /**
   * Whether a position was read with these settings.
   * @param {number} position
   * @param {Settings} settings
   */
  readWith(position, settings) {
    return this.#settings.has(position, settings);
  }

  /**
   * How many positions at the beginning are those of these tokens and settings.
   * @param {ArrayLike<number>} tokens
   * @param {Settings} settings
   */
  common(tokens, settings) {
    const max = this.#settings.has(0, settings)
      ? Math.min(tokens.length, this.#settings.alike(this.length))
      : 0;
    let count = 0;
    while (count < max && tokens[count] === this.#tokens[count]) count++;
    return count;
  }

  /** @param {number} length */
  truncate(length) {
    this.checkFree();
    this.cut(integer('length', length, 0, this.length));
  }

  /** The same while it is locked. Some caches may be shorter. @param {number} length */
  cut(length) {
    for (const cache of this.#caches) cache.truncate(Math.min(cache.length, length));
    this.#tokens.length = length;
    this.#settings.cut(length);
  }

  clear() {
    this.truncate(0);
  }

  /** @returns {CacheSnapshot} */
  snapshot() {
    this.checkFree();
    const { first } = this.#settings;
    return makeSnapshot(
      {
        model: this.#fingerprint(),
        tokens: this.tokens,
        temperatures: (first?.temperatures ?? this.#temperatures).slice(),
        interventions: first?.content.signature ?? 0,
        alike: this.#settings.alike(this.length),
      },
      this.#caches,
    );
  }

  /** @param {unknown} given a snapshot */
  restore(given) {
    const read = readSnapshot(given);
    this.checkFree();
    const snapshot = checkSnapshot(read, {
      vocab: this.#vocab,
      heads: this.#temperatures.length,
      layers: this.#caches.length,
      model: this.#fingerprint,
    });
    const before = this.snapshot();
    try {
      restoreCaches(snapshot, this.#caches);
    } catch (error) {
      before.layers.forEach((layer, x) => this.#caches[x].restore(layer));
      throw error;
    }
    const { tokens, temperatures, alike, interventions = 0 } = snapshot;
    const content = new Content(interventions ? undefined : [], interventions);
    this.#tokens = [...tokens];
    this.#settings = new SettingsOfPositions();
    if (tokens.length) this.#settings.note(0, { temperatures: temperatures.slice(), content });
    if (alike < tokens.length) this.#settings.note(alike, undefined);
  }

  /**
   * Sets all positions aside, also while it is locked.
   * @returns {() => void} puts them back, unless it is disposed of
   */
  setAside() {
    const { tokens } = this;
    const layers = this.#caches.map((cache) => cache.snapshot());
    const settings = this.#settings;
    this.#settings = new SettingsOfPositions();
    this.cut(0);
    return () => {
      if (!this.#caches.length) return;
      layers.forEach((layer, x) => this.#caches[x].restore(layer));
      this.#tokens = [...tokens];
      this.#settings = settings;
    };
  }

  /** The short form that is printed. The length is not that of other work. */
  toJSON() {
    const { length, capacity, bytes } = this;
    return { ...(!this.#atWork && { length }), capacity, bytes };
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
