/** A model: reads tokens, writes text and shows its heads. */
import { refuse } from '../../errors.js';
import { DISPOSE } from '../../engine/tensor.js';
import { Decoder } from './decoder.js';
import { midway } from './busy.js';
import { cacheView } from './cache-view.js';
import { publicView } from './public-view.js';
import { fingerprint } from './fingerprint.js';
import { generate, readChatOptions } from './generate.js';
import { Heads } from './heads.js';
import { HEADS, MODEL } from './members.js';
import { readRow } from './row.js';
import { prefill } from './prefill.js';
import { chatPrompt, textPrompt } from '../reading/prompt.js';
import { Sequence } from './sequence.js';
import { Live } from './live.js';
import { tokensWithin } from '../inside/budget.js';
import { trace, traceBytes } from './trace.js';

/**
 * @typedef {import('./pass.js').Request} Request
 * @typedef {import('../inside/interventions.js').Interventions} Interventions
 * @typedef {Partial<import('../api.d.ts').HeadStats>} Observations
 * @typedef {import('../inside/recording.js').Recorded} Recorded
 * @typedef {{ heads?: Observations, record?: Recorded, ledger?: Recorded[] }} Read
 */

/** See api.d.ts. The modules of inspect load when they are first needed: see heads.js. */
export class Model {
  #packing;
  #decoder;
  #disposed = false;

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
    this.cache = cacheView(this.sequence);
    const heads = new Heads(this);
    this.heads = publicView(heads, HEADS);
    this.rank = heads.rank.bind(heads);
    this.#decoder.setCaches(this.sequence.caches);
    this.live = new Live(config);
    this.info = Object.freeze({ ...info, context });
  }

  /** @param {unknown} tokens @param {unknown} [options] */
  prefill(tokens, options) {
    return prefill(this, tokens, options);
  }

  /** @param {unknown} token @param {unknown} [options] */
  step(token, options) {
    return prefill(this, token, options, true);
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
    this.sequence.checkReadable();
    return readRow(this.ready(), this.sequence, this.config, layer, head, position);
  }

  /** @param {number} layer @param {number} head */
  temperature(layer, head) {
    return this.live.temperature(layer, head);
  }

  /** @param {number} temperature @param {number} [layer] @param {number} [head] */
  setTemperature(temperature, layer, head) {
    this.alive();
    this.live.setTemperature(temperature, layer, head);
  }

  /** @param {unknown} list */
  intervene(list) {
    this.alive();
    this.live.intervene(list);
  }

  get interventions() {
    return this.live.list;
  }

  dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    this.sequence.dispose();
    this.#decoder.dispose();
    this.#packing.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }

  /** @returns {import('../api.d.ts').Model} */
  publicView() {
    return publicView(this, MODEL);
  }

  /** @param {unknown} position @param {unknown} [options] */
  async lens(position, options) {
    this.sequence.checkReadable();
    return (await import('../inspect/lens.js')).lens(this, position, options);
  }

  /** @param {unknown} position @param {unknown} token @param {unknown} [options] */
  async ledger(position, token, options) {
    this.sequence.checkReadable();
    return (await import('../inspect/lens.js')).ledger(this, position, token, options);
  }

  /** @param {unknown} prompt @param {unknown} [options] */
  async sweep(prompt, options) {
    return (await import('../inspect/sweep.js')).sweep(this, prompt, options);
  }

  // ---- for generate.js and inspect

  /** The decoder with the interventions of now, between two tokens. */
  ready() {
    this.alive();
    if (this.sequence.midway) throw midway();
    this.settle(() => [...this.sequence.tokens], false, Infinity).next();
    this.#decoder.setInterventions(this.live.now);
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
   * @param {Interventions} [own] interventions; default those of now
   * @returns {Generator<void, Read, void>}
   */
  *reading(tokens, logits, request, slice, own) {
    const { sequence: cache } = this;
    if (!own) yield* this.settle(() => [...cache.tokens, ...tokens], false, slice);
    const interventions = own ?? this.live.now;
    const wanted = logits ? request : { ...request, heads: undefined, trace: undefined };
    cache.midway = true;
    try {
      this.#decoder.setInterventions(interventions);
      const read = yield* this.#decoder.read(
        tokens,
        logits ? 1 : 0,
        cache.length,
        wanted,
        slice,
        (pass) => {
          if (logits) {
            pass.logits(logits);
            interventions.check(logits);
          }
          return { heads: pass.heads(), ...pass.recorded() };
        },
      );
      cache.noted(tokens, interventions);
      return read;
    } finally {
      cache.undo();
      cache.midway = false;
    }
  }

  /** How many of the remaining tokens go through the layers next. @param {number} remaining */
  chunk(remaining) {
    const count = this.#decoder.chunk(this.sequence.length, remaining);
    return tokensWithin(count, this.live.now.maskBytes(this.sequence.length + count));
  }

  /** See live.js. @param {() => number[]} prompt @param {boolean} anew @param {number} slice */
  settle(prompt, anew, slice) {
    return this.live.settle(this, prompt, anew, slice);
  }

  /**
   * Truncates the cache to the tokens it shares with the beginning of a text.
   * @param {number[]} tokens
   * @param {number} [max] tokens it may share
   * @returns {number} how many it shares
   */
  reuse(tokens, max = tokens.length - 1) {
    const kept = Math.min(this.sequence.common(tokens, this.live.now), max);
    this.sequence.cut(kept);
    return kept;
  }
}
