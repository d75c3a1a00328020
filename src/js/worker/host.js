/**
 * The worker behind client.js: it holds one model and does what messages ask.
 *
 *   { id, f, values }     a call, answered by { id, value } or { id, error }
 *   { id, progress }      an answer before the last one: how far loading is
 *   { stop: id }          ends a call; it has no answer of its own
 */
import { writing } from '../model/run/busy.js';
import { loadHere } from './load.js';
import { errorOf, foreign, serve } from './serve.js';

/**
 * @typedef {import('../model/api.d.ts').Model} Model
 * @typedef {{ id: number, f: string, values: any[], stop?: number }} Message
 * @typedef {(answer: unknown) => void} Post
 *
 * @typedef {object} Text that is being generated
 * @property {AsyncGenerator<import('../model/api.d.ts').GeneratedToken, void, void>} tokens
 * @property {number[]} lengths of the cache at each token so far
 * @property {boolean} over whether the last token is made; the page may not have received it
 */

/** @type {Model | undefined} */
let model;
/** Calls that can be ended. @type {Map<number, AbortController>} */
const running = new Map();
/** By the call that began them. @type {Map<number, Text>} */
const texts = new Map();
/**
 * The token that is being made. The next one is begun when it has been sent, and a row is computed
 * between two of them.
 * @type {Promise<unknown>}
 */
let ahead = Promise.resolve();
/** Texts that are ending; later calls wait for them. @type {Promise<unknown>} */
let ending = Promise.resolve();

/**
 * Refuses to change the cache while the page has not received the last token of a text. Before that
 * token the model itself refuses. @param {Text} [own] the text that asks
 */
function checkNoText(own) {
  for (const text of texts.values()) if (text.over && text !== own) throw writing();
}

const loaded = () => /** @type {Model} */ (model);

/** The state of the cache, which the page keeps a copy of; none while other work has it. */
function cacheState() {
  const state = model && JSON.parse(JSON.stringify(model.cache));
  return state?.length === undefined ? undefined : state;
}

/** @param {number} id */
function startRunning(id) {
  const controller = new AbortController();
  running.set(id, controller);
  return controller.signal;
}

/** Answers before the last one. @param {Post} post @param {number} id */
const telling = (post, id) => (/** @type {unknown} */ progress) => post({ id, progress });

/**
 * @param {Post} post
 * @param {number} id
 * @param {import('../model/types.d.ts').ModelSource} source
 * @param {import('./load.js').HostOptions} options
 */
async function load(post, id, source, options) {
  const how = { ...options, signal: startRunning(id), onProgress: telling(post, id) };
  try {
    const found = await loadHere(post, source, how);
    model = found.model;
    return found.told;
  } finally {
    running.delete(id);
  }
}

/**
 * Begins a text.
 * @param {Post} post
 * @param {number} id
 * @param {'generate' | 'chat'} how
 * @param {any} prompt
 * @param {import('../model/api.d.ts').GenerateOptions} options
 * @param {unknown[]} more
 */
function begin(post, id, how, prompt, options, ...more) {
  const { signal } = /** @type {AbortController} */ (running.get(id));
  signal.throwIfAborted(); // it may have been ended while it waited for another text to end
  checkNoText();
  const tokens = methodsOf(loaded())[how](prompt, { ...options, signal }, ...more);
  texts.set(id, { tokens: /** @type {Text['tokens']} */ (tokens), lengths: [], over: false });
}

/**
 * Records a prompt, and posts its parts where the page listens for them.
 * @param {Post} post
 * @param {number} id
 * @param {string | number[]} prompt
 * @param {Record<string, unknown>} [options]
 * @param {unknown[]} more
 */
async function trace(post, id, prompt, { onPart, ...options } = {}, ...more) {
  checkNoText();
  const signal = startRunning(id);
  const parts = { onPart: telling(post, id) };
  try {
    return await methodsOf(loaded()).trace(
      prompt,
      { ...options, signal, ...(onPart === true ? parts : { onPart }) },
      ...more,
    );
  } finally {
    running.delete(id);
  }
}

/** The next token of a text. @param {Post} post @param {number} id @param {number} textId */
async function next(post, id, textId) {
  const text = texts.get(textId);
  // it may have been begun before the last token of another one was made
  if (text && !text.lengths.length) checkNoText(text);
  const result = await text?.tokens.next();
  if (!text || !result || result.done) return { done: true };
  text.lengths.push(loaded().cache.length);
  text.over = Boolean(result.value.finish);
  return result;
}

/**
 * Ends a text. The worker runs ahead of the page, so the cache may hold more tokens than the page
 * has `received`; it is truncated to those. With 0 the cache stays as it is.
 * @param {Post} post
 * @param {number} id
 * @param {number} textId
 * @param {number} received
 */
function finish(post, id, textId, received) {
  const text = texts.get(textId);
  if (!text) return ending; // it never began
  const truncate = () => {
    const { cache } = loaded();
    const length = text.lengths[received - 1];
    if (length < cache.length) cache.truncate(length);
  };
  const ended = text.tokens
    .return()
    .then(truncate)
    .catch(() => {});
  ending = Promise.all([ending, ended]);
  texts.delete(textId);
  running.delete(textId);
  return ending;
}

/** The ends of calls that take long. @type {Map<number, Promise<unknown>>} */
const endings = new Map();

/** Ends a call. Later ones wait until it is over. @param {number} id */
function stopCall(id) {
  running.get(id)?.abort();
  if (endings.has(id)) ending = Promise.all([ending, endings.get(id)]);
}

/** @param {unknown} object @returns {Record<string, (...values: unknown[]) => unknown>} */
const methodsOf = (object) => /** @type {any} */ (object);

/**
 * Calls of these methods of the model, each after a check.
 * @param {string[]} names
 * @param {() => void} [check]
 */
const methods = (names, check = () => {}) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (/** @type {Post} */ _, /** @type {number} */ id, /** @type {unknown[]} */ ...values) => {
        check();
        return methodsOf(loaded())[name](...values);
      },
    ]),
  );

/**
 * Arguments of methods are all passed on, so that the model refuses too many of them.
 * @type {Record<string, (post: Post, id: number, ...values: any[]) => unknown>}
 */
const functions = {
  load,
  begin,
  next,
  finish,
  ...methods(['prefill', 'step', 'rank'], checkNoText),
  ...methods(['row', 'temperature', 'setTemperature', 'intervene', 'traceBytes', 'lens', 'ledger']),
  interventions: () => loaded().interventions,
  trace,
  cache(post, id, f, ...values) {
    checkNoText();
    return methodsOf(loaded().cache)[f](...values);
  },
  /** A method that tells its progress and can be ended, by the options at a place of its values. */
  async long(post, id, object, f, place, values) {
    checkNoText();
    const signal = startRunning(id);
    const more = { signal, onProgress: telling(post, id) };
    const given = [...values];
    if (given[place] === undefined) given[place] = more;
    else if (typeof given[place] === 'object') given[place] = { ...given[place], ...more };
    const work = methodsOf(object === 'heads' ? loaded().heads : loaded())[f](...given);
    const ended = Promise.resolve(work).catch(() => {});
    endings.set(id, ended);
    try {
      return await work;
    } finally {
      running.delete(id);
      endings.delete(id);
    }
  },
  tokens: () => loaded().cache.tokens,
  tokenizer: (post, id, f, ...values) => methodsOf(loaded().tokenizer)[f](...values),
};

/** Calls that wait for the token that is being made. */
const WAITING = ['next', 'row', 'lens', 'ledger'];

/** @param {Post} post @param {Message} message */
async function answer(post, { id, f, values, stop }) {
  if (stop !== undefined) return stopCall(stop);
  if (f === 'begin') startRunning(id);
  try {
    if (f !== 'next' && f !== 'finish') await ending;
    if (WAITING.includes(f)) await ahead;
    const value = await (functions[f] ?? foreign('models', f))(post, id, ...values);
    post({ id, value, cache: cacheState() });
  } catch (error) {
    if (f === 'begin') running.delete(id);
    post({ id, error: errorOf(error), cache: cacheState() });
  }
}

/** @param {Post} post @param {Message} message */
function receive(post, message) {
  const answered = answer(post, message);
  if (message.f === 'next') ahead = answered;
}

serve(receive);
