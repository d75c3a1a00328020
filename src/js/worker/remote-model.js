import { abortSignal } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import { atMost } from '../names.js';
import { ASYNC_DISPOSE } from './link.js';

/**
 * @typedef {import('./client.d.ts').RemoteModel} Remote
 * @typedef {import('../model/api.d.ts').GeneratedToken} GeneratedToken
 * @typedef {import('../model/api.d.ts').Observe} Observe
 * @typedef {import('../model/api.d.ts').ObserveSpans} ObserveSpans
 */

const METHODS = [
  'generate',
  'chat',
  'prefill',
  'step',
  'row',
  'rank',
  'lens',
  'ledger',
  'sweep',
  'temperature',
  'setTemperature',
  'intervene',
  'interventions',
  'trace',
  'traceBytes',
  'dispose',
  ASYNC_DISPOSE,
];

/**
 * A model in a worker, see client.d.ts.
 * @implements {Remote}
 */
export class RemoteModel {
  #link;

  /**
   * @param {import('./link.js').Link} link
   * @param {Pick<Remote, 'config' | 'info' | 'engine' | 'hasTemplate' | 'tokenizer'>} loaded
   */
  constructor(link, { config, info, engine, hasTemplate, tokenizer }) {
    this.#link = link;
    this.config = Object.freeze(config);
    this.info = Object.freeze(info);
    this.engine = Object.freeze(engine);
    this.hasTemplate = hasTemplate;
    const method =
      (/** @type {string} */ object, /** @type {string} */ f) =>
      (/** @type {unknown[]} */ ...values) =>
        link.call(object, [f, ...values]);
    this.tokenizer =
      tokenizer &&
      Object.freeze({
        ...tokenizer,
        encode: method('tokenizer', 'encode'),
        decode: method('tokenizer', 'decode'),
        token: method('tokenizer', 'token'),
      });
    this.heads = Object.freeze({
      fingerprint: method('heads', 'fingerprint'),
      scores: (/** @type {unknown[]} */ ...values) => this.#long('heads', 'scores', 0, values),
    });
    this.cache = Object.freeze({
      get length() {
        return link.cache.length;
      },
      get capacity() {
        return link.cache.capacity;
      },
      get bytes() {
        return link.cache.bytes;
      },
      tokens: async (/** @type {unknown[]} */ ...values) => {
        atMost('tokens', values, 0);
        return link.call('tokens', values);
      },
      truncate: method('cache', 'truncate'),
      clear: method('cache', 'clear'),
      snapshot: method('cache', 'snapshot'),
      restore: method('cache', 'restore'),
    });
    // as those of a model in this thread, methods need no object
    const methods = /** @type {Record<string | symbol, { bind(self: object): unknown }>} */ (
      /** @type {unknown} */ (this)
    );
    for (const name of METHODS)
      Object.defineProperty(this, name, { value: methods[name].bind(this) });
  }

  /** @type {Remote['generate']} */
  generate(...values) {
    return this.#text('generate', ...values);
  }

  /** @type {Remote['chat']} */
  chat(...values) {
    return this.#text('chat', ...values);
  }

  /**
   * @param {string} how
   * @param {unknown} prompt
   * @param {import('../model/api.d.ts').GenerateOptions<Observe | ObserveSpans>} [options]
   * @param {unknown[]} more for the model to refuse
   * @returns {AsyncGenerator<any, void, void>}
   */
  async *#text(how, prompt, options, ...more) {
    if (options !== undefined && (typeof options !== 'object' || !options))
      refuse('ARG', 'options', describe(options), 'an object');
    const { signal, ...rest } = options ?? {};
    const link = this.#link;
    const text = link.newId();
    abortSignal(signal)?.throwIfAborted();
    const askNext = () => {
      /** @type {Promise<{ value: GeneratedToken, done: boolean }>} */
      const asked = link.call('next', [text], { stop: text, signal });
      asked.catch(() => {}); // it is thrown where it is awaited
      return asked;
    };
    let received = 0;
    let over = false;
    /** @type {Promise<unknown> | undefined} */
    let ended;
    const end = () => {
      signal?.removeEventListener('abort', end);
      if (!over && !ended) link.stop(text);
      return (ended ??= link.call('finish', [text, over ? 0 : received]).catch(() => {}));
    };
    // also while the caller has a token, when this function may never run again
    signal?.addEventListener('abort', end);
    try {
      await link.call('begin', [how, prompt, rest, ...more], { id: text, signal });
      // Keep two requests in flight. The worker then waits neither for the page to handle a token
      // nor for the next message to arrive.
      let next = askNext();
      /** @type {typeof next | undefined} */
      let afterNext;
      for (;;) {
        const { value, done } = await next;
        over = done;
        if (over) return;
        next = afterNext ?? askNext();
        received++;
        over = Boolean(value.finish);
        // before the last token is handed out, since the caller may ask for something else then
        if (over) void end();
        yield value;
        if (over) return;
        signal?.throwIfAborted();
        afterNext = askNext();
      }
    } finally {
      // After an abort there is nothing to wait for: the worker ends the text before anything else.
      const finished = end();
      if (!signal?.aborted) await finished;
    }
  }

  /** @type {Remote['prefill']} */
  prefill(...values) {
    return this.#link.call('prefill', values);
  }

  /** @type {Remote['step']} */
  step(...values) {
    return this.#link.call('step', values);
  }

  /** @type {Remote['row']} */
  row(...values) {
    return this.#link.call('row', values);
  }

  /** @type {Remote['rank']} */
  rank(...values) {
    return this.#link.call('rank', values);
  }

  /** @type {Remote['lens']} */
  lens(...values) {
    return this.#link.call('lens', values);
  }

  /** @type {Remote['ledger']} */
  ledger(...values) {
    return this.#link.call('ledger', values);
  }

  /** @type {Remote['sweep']} */
  sweep(...values) {
    return this.#long('model', 'sweep', 1, values);
  }

  /**
   * A call that takes long, whose options may have `signal` and `onProgress`.
   * @param {'model' | 'heads'} object
   * @param {string} f
   * @param {number} place of the options
   * @param {unknown[]} values
   */
  async #long(object, f, place, values) {
    const options = values[place];
    if (typeof options !== 'object' || !options)
      return this.#link.call('long', [object, f, place, values]);
    const { signal, onProgress, ...rest } = /** @type {import('./client.d.ts').SweepOptions} */ (
      options
    );
    if (onProgress !== undefined && typeof onProgress !== 'function')
      refuse('ARG', 'onProgress', describe(onProgress), 'a function');
    return this.#link.call(
      'long',
      [object, f, place, values.map((x, at) => (at === place ? rest : x))],
      {
        signal: abortSignal(signal),
        onProgress,
      },
    );
  }

  /** @type {Remote['temperature']} */
  temperature(...values) {
    return this.#link.call('temperature', values);
  }

  /** @type {Remote['setTemperature']} */
  setTemperature(...values) {
    return this.#link.call('setTemperature', values);
  }

  /** @type {Remote['intervene']} */
  intervene(...values) {
    return this.#link.call('intervene', values);
  }

  /** @type {Remote['interventions']} */
  interventions(...values) {
    return this.#link.call('interventions', values);
  }

  /** @type {Remote['trace']} */
  async trace(prompt, options, ...more) {
    const { signal, onPart, ...rest } = options ?? {};
    abortSignal(signal);
    // a function cannot be sent; anything else is for the model to refuse
    const sent = { ...rest, onPart: typeof onPart === 'function' ? true : (onPart ?? undefined) };
    const values = [prompt, ...(options === undefined ? [] : [sent]), ...more];
    return this.#link.call('trace', values, { signal, onProgress: onPart });
  }

  /** @type {Remote['traceBytes']} */
  traceBytes(...values) {
    return this.#link.call('traceBytes', values);
  }

  async dispose() {
    this.#link.end(new ClearheadError('DISPOSED', 'model is disposed of; expected a live one'));
  }

  [ASYNC_DISPOSE]() {
    return this.dispose();
  }
}
