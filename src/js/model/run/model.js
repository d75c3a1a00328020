import { choice, integer, list, number, read } from '../../check.js';
import { ClearheadError, describe, refuse } from '../../errors.js';
import { promptOf } from './chat.js';
import { Decoder } from './decoder.js';
import { face } from './public-view.js';
import { fingerprint } from './fingerprint.js';
import { generate } from './generate.js';
import { joined } from './statistics.js';
import { Sequence } from './sequence.js';

/** @typedef {import('./pass.js').Wish} Wish */

/** What api.d.ts names; the rest is for generate.js. */
const CACHE = [
  'length',
  'capacity',
  'bytes',
  'tokens',
  'truncate',
  'clear',
  'snapshot',
  'restore',
  'toJSON',
  Symbol.for('nodejs.util.inspect.custom'),
];
const MODEL = [
  'config',
  'info',
  'tokenizer',
  'template',
  'cache',
  'generate',
  'chat',
  'prefill',
  'step',
  'row',
  'temperature',
  'setTemperature',
  'dispose',
];

/** See api.d.ts. */
export class Model {
  #packing;
  #decoder;
  #disposed = false;
  /** By layer and head; never changed, but replaced. @type {Float64Array} */
  #temperatures;

  /**
   * @param {import('../../engine/memory.js').Memory} memory
   * @param {import('../types.d.ts').ModelConfig} config
   * @param {import('./packing.js').Packing} packing owner of the weights
   * @param {import('../types.d.ts').ModelTensors<number>} weights
   * @param {{ tokenizer: import('../types.d.ts').Tokenizer | null, template:
   *   import('../types.d.ts').ChatTemplate | null, ends: ReadonlySet<number>, context: number,
   *   cacheType: any, info: any }} more
   */
  constructor(
    memory,
    config,
    packing,
    weights,
    { tokenizer, template, ends, context, cacheType, info },
  ) {
    this.#packing = packing;
    this.config = config;
    this.tokenizer = tokenizer;
    this.template = template;
    this.ends = ends;
    // the caches last: what they take is theirs to give back, all before goes with the weights
    this.#decoder = new Decoder(memory, config, weights, packing, context, () =>
      this.sequence.undo(),
    );
    this.sequence = new Sequence(memory, config, context, cacheType, () =>
      fingerprint(memory, config, weights),
    );
    this.cache = face(this.sequence, CACHE);
    this.#decoder.setCaches(this.sequence.caches);
    this.#temperatures = new Float64Array(config.layers * config.heads).fill(1);
    this.info = Object.freeze({ ...info, context });
  }

  /**
   * @param {ArrayLike<number>} tokens
   * @param {any} [options]
   * @returns {any} a Prediction, see api.d.ts
   */
  prefill(tokens, options) {
    const wish = this.wish(options);
    const ids = this.checkTokens(tokens);
    this.sequence.free();
    this.checkRoom(ids.length);
    const before = this.sequence.length;
    const parts = [];
    const logits = new Float32Array(this.config.vocab);
    try {
      for (let at = 0; at < ids.length;) {
        const some = ids.slice(at, at + this.chunk(ids.length - at));
        at += some.length;
        parts.push(
          this.reading(some, at === ids.length ? logits : null, wish, Infinity).next().value,
        );
      }
    } catch (error) {
      this.sequence.undo();
      this.sequence.cut(before);
      throw error;
    }
    return { logits, heads: joined(parts, this.config, ids.length) };
  }

  /** @param {number} token @param {any} [options] */
  step(token, options) {
    return this.prefill([token], options);
  }

  /** @param {string | ArrayLike<number>} prompt @param {any} [options] */
  generate(prompt, options) {
    return generate(this, prompt, options);
  }

  /** @param {any} messages @param {any} [options] */
  chat(messages, options) {
    this.alive();
    if (!this.template)
      throw new ClearheadError(
        'ARG',
        'this model has no chat template; expected one, or a prompt for generate',
      );
    return this.generate(
      promptOf(
        messages,
        /** @type {import('../types.d.ts').Tokenizer} */ (this.tokenizer),
        this.template,
      ),
      options,
    );
  }

  /** @param {number} layer @param {number} head @param {number} position */
  row(layer, head, position) {
    this.alive();
    if (this.sequence.midway)
      throw new ClearheadError(
        'BUSY',
        'the model is in the middle of a token; expected a call between two tokens',
      );
    const { layers, heads, kvHeads, headDim } = this.config;
    integer('layer', layer, 0, layers - 1);
    integer('head', head, 0, heads - 1);
    if (!this.sequence.length)
      refuse('RANGE', 'position', describe(position), 'a call after something has been read');
    integer('position', position, 0, this.sequence.length - 1);
    const kvHead = Math.floor(head / (heads / kvHeads));
    const n = position + 1;
    this.#decoder.setTemperatures(this.#temperatures);
    const { k, v } = this.sequence.caches[layer].read(0, n);
    const of = (/** @type {Float32Array} */ x) =>
      x.slice(kvHead * n * headDim, (kvHead + 1) * n * headDim);
    return this.#decoder.again(
      this.sequence.token(position),
      position,
      layer,
      head,
      this.sequence.length,
      (pass) => ({
        weights: pass.heads().weights[0].weights.slice(0, n),
        q: pass.queries().slice(head * headDim, (head + 1) * headDim),
        k: of(k),
        v: of(v),
      }),
    );
  }

  /** @param {number} layer @param {number} head */
  temperature(layer, head) {
    const { layers, heads } = this.config;
    return this.#temperatures[
      integer('layer', layer, 0, layers - 1) * heads + integer('head', head, 0, heads - 1)
    ];
  }

  /**
   * @param {number} temperature
   * @param {number} [layer] default all
   * @param {number} [head] default all of the layer
   */
  setTemperature(temperature, layer, head) {
    this.alive();
    const { layers, heads } = this.config;
    if (!(number('temperature', temperature) >= 0))
      refuse('RANGE', 'temperature', temperature, 'a number ≥ 0');
    if (layer !== undefined) integer('layer', layer, 0, layers - 1);
    else if (head !== undefined)
      refuse('ARG', 'head', 'given without a layer', 'both, or neither for all heads');
    if (head !== undefined) integer('head', head, 0, heads - 1);
    const first = (layer ?? 0) * heads + (head ?? 0);
    const count = head !== undefined ? 1 : layer !== undefined ? heads : layers * heads;
    this.#temperatures = this.#temperatures.slice().fill(temperature, first, first + count);
  }

  dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    this.sequence.dispose();
    this.#packing.dispose();
  }

  /** For whoever loaded it. @returns {import('../api.d.ts').Model} */
  face() {
    return face(this, MODEL);
  }

  // ---- for generate.js

  alive() {
    if (this.#disposed) refuse('DISPOSED', 'model', 'disposed of', 'a live one');
  }

  /**
   * Reads some tokens behind the cache, in slices of so many milliseconds.
   * @param {number[]} tokens
   * @param {Float32Array | null} logits (vocab), to be filled if the last token's are wanted
   * @param {Wish} wish
   * @param {number} slice
   * @returns {Generator<void, any, void>} what was wanted of the heads
   */
  *reading(tokens, logits, wish, slice) {
    const { sequence: cache } = this;
    const wanted = logits ? wish : { stats: wish.stats };
    const temperatures = this.#temperatures;
    cache.midway = true;
    try {
      this.#decoder.setTemperatures(temperatures);
      const heads = yield* this.#decoder.read(
        tokens,
        logits ? 1 : 0,
        cache.length,
        wanted,
        slice,
        (pass) => {
          if (logits) pass.logits(logits);
          return pass.heads();
        },
      );
      cache.noted(tokens, temperatures);
      return heads;
    } finally {
      cache.undo();
      cache.midway = false;
    }
  }

  /** How many of `left` tokens go together behind what the cache has. @param {number} left */
  chunk(left) {
    return this.#decoder.chunk(this.sequence.length, left);
  }

  /**
   * Readies the cache for a text that begins with these tokens; what it has of them already stays.
   * @param {number[]} tokens
   * @returns {number} how many it has
   */
  reuse(tokens) {
    const kept = Math.min(this.sequence.common(tokens, this.#temperatures), tokens.length - 1);
    this.sequence.cut(kept);
    return kept;
  }

  /** @param {any} options as read @returns {Wish} */
  wish(options) {
    if (options === undefined) return { stats: false };
    const { observe, heads } = read('options', options, 'observe heads');
    const how = choice('observe', observe, 'none', 'stats', 'weights');
    const { layers, heads: count } = this.config;
    if (heads === undefined)
      return {
        stats: how > 0,
        heads:
          how === 2
            ? Array.from({ length: layers * count }, (_, x) => [Math.floor(x / count), x % count])
            : undefined,
      };
    if (how !== 2)
      refuse(
        'ARG',
        'heads',
        `given with observe: ${describe(observe)}`,
        "observe: 'weights', which they choose from",
      );
    return {
      stats: true,
      heads: list('heads', heads).map((pair, at) => {
        if (!Array.isArray(pair) || pair.length !== 2)
          refuse('ARG', `heads[${at}]`, describe(pair), 'a pair [layer, head]');
        const [layer, head] = pair; // once: a getter may answer otherwise later
        return [
          integer(`the layer of heads[${at}]`, layer, 0, layers - 1),
          integer(`the head of heads[${at}]`, head, 0, count - 1),
        ];
      }),
    };
  }

  /** @param {any} tokens @param {string} [name] @param {string} [expected] @returns {number[]} */
  checkTokens(
    tokens,
    name = 'tokens',
    expected = `an array of ids${typeof tokens === 'string' ? ', as model.tokenizer.encode(text) gives them' : ''}`,
  ) {
    this.alive();
    if (!Array.isArray(tokens) && !ArrayBuffer.isView(tokens))
      refuse('ARG', name, describe(tokens), expected);
    /** @type {any[]} */
    const ids = Array.from(/** @type {any} */ (tokens));
    if (!ids.length) refuse('SHAPE', name, 'empty', 'at least one token');
    ids.forEach((id, at) => integer(`${name}[${at}]`, id, 0, this.config.vocab - 1));
    return ids;
  }

  /** @param {number} more tokens */
  checkRoom(more) {
    const { length, capacity } = this.sequence;
    if (length + more > capacity)
      throw new ClearheadError(
        'LIMIT',
        `${length} tokens and ${more} more do not fit; expected at most ${capacity}, the context`,
      );
  }
}
