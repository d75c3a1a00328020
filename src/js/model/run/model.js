/** A model: reads tokens, writes text and shows its heads. */
import { ClearheadError, refuse } from '../../errors.js';
import { DISPOSE } from '../../engine/tensor.js';
import { checkFits, checkTokens, readRequest } from './arguments.js';
import { Decoder } from './decoder.js';
import { publicView } from './public-view.js';
import { fingerprint } from './fingerprint.js';
import { generate, readChatOptions } from './generate.js';
import { Heads } from './heads.js';
import { CACHE, HEADS, MODEL } from './members.js';
import { joined } from './statistics.js';
import { readRow } from './row.js';
import { chatPrompt, textPrompt } from './prompt.js';
import { Sequence } from './sequence.js';
import { changed, indexOfHead } from './temperatures.js';
import { trace, traceBytes } from './trace.js';

/**
 * @typedef {import('./pass.js').Request} Request
 * @typedef {import('../api.d.ts').Model} PublicModel
 * @typedef {Partial<import('../api.d.ts').HeadStats>} Observations
 * @typedef {{ heads?: Observations, record?: import('../inside/recording.js').Recorded }} Read
 */

/** See api.d.ts. */
export class Model {
  #packing;
  #decoder;
  #disposed = false;
  /** By layer and head. The array is replaced, not changed. @type {Float64Array} */
  #temperatures;

  /**
   * @param {import('../../engine/memory.js').Memory} memory
   * @param {import('../types.d.ts').ModelConfig} config
   * @param {import('./packing.js').Packing} packing owner of the weights
   * @param {import('../types.d.ts').ModelTensors<number>} weights
   * @param {object} more
   * @param {import('../types.d.ts').Tokenizer | null} more.tokenizer
   * @param {import('../types.d.ts').ChatTemplate | null} more.template
   * @param {ReadonlySet<number>} more.ends ids that end a text
   * @param {number} more.context
   * @param {import('../api.d.ts').LoadOptions['cacheType']} more.cacheType
   * @param {Omit<import('../api.d.ts').ModelInfo, 'context'>} more.info
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
    // the caches are last: they give their own memory back, the weights all that was before
    this.#decoder = new Decoder(memory, config, weights, packing, context, () =>
      this.sequence.undo(),
    );
    this.sequence = new Sequence(memory, config, context, cacheType, () =>
      fingerprint(memory, config, weights),
    );
    this.cache = publicView(this.sequence, CACHE);
    this.heads = publicView(new Heads(this), HEADS);
    this.#decoder.setCaches(this.sequence.caches);
    this.#temperatures = new Float64Array(config.layers * config.heads).fill(1);
    this.info = Object.freeze({ ...info, context });
  }

  /**
   * @param {unknown} tokens
   * @param {unknown} [options]
   */
  prefill(tokens, options) {
    const request = readRequest(options, this.config);
    this.alive();
    const ids = checkTokens(tokens, this.config);
    this.sequence.checkFree();
    checkFits(this.sequence, ids.length);
    const before = this.sequence.length;
    const parts = [];
    const logits = new Float32Array(this.config.vocab);
    try {
      for (let at = 0; at < ids.length;) {
        const some = ids.slice(at, at + this.chunk(ids.length - at));
        at += some.length;
        const last = at === ids.length;
        const { value } = this.reading(some, last ? logits : null, request, Infinity).next();
        parts.push(value?.heads);
      }
    } catch (error) {
      this.sequence.undo();
      this.sequence.cut(before);
      throw error;
    }
    return { logits, heads: joined(parts, this.config) };
  }

  /** @param {unknown} token @param {unknown} [options] */
  step(token, options) {
    return this.prefill([token], options);
  }

  /** @param {unknown} prompt @param {unknown} [options] */
  generate(prompt, options) {
    return generate(this, textPrompt(this, prompt), options);
  }

  /** @param {unknown} messages @param {unknown} [options] */
  chat(messages, options) {
    this.alive();
    const { addGenerationPrompt, variables, ...others } = readChatOptions(options, this.template);
    return generate(this, chatPrompt(this, messages, { addGenerationPrompt, variables }), others);
  }

  /** @param {unknown} prompt @param {unknown} options */
  async trace(prompt, options) {
    return trace(this, textPrompt(this, prompt), options);
  }

  /** @param {unknown} prompt @param {unknown} options */
  traceBytes(prompt, options) {
    this.alive();
    return traceBytes(this, textPrompt(this, prompt), options);
  }

  /** @param {number} layer @param {number} head @param {number} position */
  row(layer, head, position) {
    return readRow(this.ready(), this.sequence, this.config, layer, head, position);
  }

  /** @param {number} layer @param {number} head */
  temperature(layer, head) {
    return this.#temperatures[indexOfHead(this.config, layer, head)];
  }

  /**
   * @param {number} temperature
   * @param {number} [layer] default all
   * @param {number} [head] default all of the layer
   */
  setTemperature(temperature, layer, head) {
    this.alive();
    this.#temperatures = changed(this.#temperatures, this.config, temperature, layer, head);
  }

  dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    this.sequence.dispose();
    this.#packing.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }

  /** @returns {PublicModel} */
  publicView() {
    return publicView(this, MODEL);
  }

  /** @param {unknown} position @param {unknown} [options] */
  async lens(position, options) {
    return (await import('../inspect/lens.js')).lens(this, position, options);
  }

  /** @param {unknown} position @param {unknown} token @param {unknown} [options] */
  async ledger(position, token, options) {
    return (await import('../inspect/lens.js')).ledger(this, position, token, options);
  }

  // ---- for generate.js and inspect

  /** The decoder with the temperatures of now, between two tokens. */
  ready() {
    this.alive();
    if (this.sequence.midway)
      throw new ClearheadError(
        'BUSY',
        'the model is in the middle of a token; expected a call between two tokens',
      );
    this.#decoder.setTemperatures(this.#temperatures);
    return this.#decoder;
  }

  /** Refuses where it is disposed of. */
  alive() {
    if (this.#disposed) refuse('DISPOSED', 'model', 'disposed of', 'a live one');
  }

  /**
   * Reads some tokens behind those in the cache, in slices of `slice` milliseconds.
   * @param {number[]} tokens
   * @param {Float32Array | null} logits (vocab), to be filled if the last token's are wanted
   * @param {Request} request
   * @param {number} slice
   * @returns {Generator<void, Read, void>}
   */
  *reading(tokens, logits, request, slice) {
    const { sequence: cache } = this;
    const wanted = logits ? request : { ...request, heads: undefined };
    const temperatures = this.#temperatures;
    cache.midway = true;
    try {
      this.#decoder.setTemperatures(temperatures);
      const read = yield* this.#decoder.read(
        tokens,
        logits ? 1 : 0,
        cache.length,
        wanted,
        slice,
        (pass) => {
          if (logits) pass.logits(logits);
          return { heads: pass.heads(), record: pass.recorded() };
        },
      );
      cache.noted(tokens, temperatures);
      return read;
    } finally {
      cache.undo();
      cache.midway = false;
    }
  }

  /** How many of the remaining tokens go through the layers next. @param {number} remaining */
  chunk(remaining) {
    return this.#decoder.chunk(this.sequence.length, remaining);
  }

  /**
   * Truncates the cache to the tokens it shares with the beginning of a text.
   * @param {number[]} tokens
   * @param {number} [max] tokens it may share
   * @returns {number} how many it shares
   */
  reuse(tokens, max = tokens.length - 1) {
    const kept = Math.min(this.sequence.common(tokens, this.#temperatures), max);
    this.sequence.cut(kept);
    return kept;
  }
}
