import { abortSignal } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import { atMost } from '../names.js';
import { ASYNC_DISPOSE } from './link.js';
import { remoteText } from './remote-text.js';

/**
 * @typedef {import('./client.d.ts').RemoteModel} Remote
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
  /** Consoles print it, and a minified class has another name. */
  static name = 'RemoteModel';

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
        link.call(object, [f, ...values], { name: f, given: values });
    this.tokenizer =
      tokenizer &&
      Object.freeze({
        ...tokenizer,
        encode: method('tokenizer', 'encode'),
        decode: method('tokenizer', 'decode'),
        token: method('tokenizer', 'token'),
      });
    this.heads = Object.freeze({
      fingerprint: (/** @type {unknown[]} */ ...values) =>
        this.#long('heads', 'fingerprint', 2, values),
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
    return remoteText(this.#link, 'generate', values);
  }

  /** @type {Remote['chat']} */
  chat(...values) {
    return remoteText(this.#link, 'chat', values);
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
      return this.#link.call('long', [object, f, place, values], { name: f, given: values });
    const { signal, onProgress, ...rest } = /** @type {import('./client.d.ts').SweepOptions} */ (
      options
    );
    if (onProgress !== undefined && typeof onProgress !== 'function')
      refuse('ARG', 'onProgress', describe(onProgress), 'a function');
    const given = values.map((x, at) => (at === place ? rest : x));
    return this.#link.call('long', [object, f, place, given], {
      name: f,
      given,
      signal: abortSignal(signal),
      onProgress,
    });
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

  /**
   * @param {string | ArrayLike<number>} prompt
   * @param {import('../model/api.d.ts').TraceOptions} options
   * @param {unknown[]} more
   * @returns {Promise<import('../model/api.d.ts').Trace>}
   */
  async trace(prompt, options, ...more) {
    const { signal, onPart, ...rest } = options ?? {};
    abortSignal(signal);
    // a function cannot be sent; anything else is for the model to refuse
    const sent = { ...rest, onPart: typeof onPart === 'function' ? true : (onPart ?? undefined) };
    const given = options !== undefined || more.length > 0;
    const values = [prompt, ...(given ? [sent] : []), ...more];
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
