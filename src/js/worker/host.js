/**
 * The worker behind remote.js: it holds one model and does what messages ask. A message is { id, f,
 * values } and is answered by { id, value } or { id, error }; { id, progress } tells of loading, {
 * stop: id } asks to end what `id` began.
 */
import { init } from '../index.js';
import { NODE } from '../engine/load.js';
import { loadModel } from '../model/index.js';
import { busy } from '../model/run/sequence.js';

/** @type {import('../model/api.d.ts').Model | undefined} */
let model;
/**
 * What can be ended, by the id of the message that began it.
 * @type {Map<number, AbortController>}
 */
const running = new Map();
/**
 * Texts being generated, the cache's length at each token so far, and whether the last has been
 * made, which the page may not have got to.
 * @type {Map<number, { text: AsyncGenerator<any, void, void>, lengths: number[], over: boolean }>}
 */
const texts = new Map();
/**
 * The token that is being made: the next is begun when it has been sent, and a row can be had only
 * between two.
 * @type {Promise<unknown>}
 */
let ahead = Promise.resolve();
/** Texts that are ending: what is asked next waits for it. @type {Promise<unknown>} */
let ending = Promise.resolve();

/** Refuses what changes the cache of a text that is over here alone; for others the model does. */
function free() {
  for (const { over } of texts.values()) if (over) throw busy();
}

const loaded = () => /** @type {import('../model/api.d.ts').Model} */ (model);

/** What a page keeps a copy of. */
const state = () =>
  model && { length: model.cache.length, capacity: model.cache.capacity, bytes: model.cache.bytes };

/** @param {number} id @param {boolean} [brief] over as soon as it is answered */
function controller(id, brief = false) {
  const made = new AbortController();
  running.set(id, made);
  return brief
    ? { signal: made.signal, over: () => running.delete(id) }
    : { signal: made.signal, over: () => {} };
}

/** @type {Record<string, (post: (message: any) => void, id: number, ...values: any[]) => any>} */
const functions = {
  async load(post, id, source, { engine, ...options }) {
    const { signal, over } = controller(id, true);
    try {
      const ch = await init({ ...engine, layers: true });
      model = await loadModel(source, {
        ...options,
        engine: ch,
        signal,
        onProgress: (/** @type {any} */ progress) => post({ id, progress }),
      });
      const { config, info, tokenizer, template } = loaded();
      const words = tokenizer && {
        size: tokenizer.size,
        bos: tokenizer.bos,
        addsBos: tokenizer.addsBos,
        ends: tokenizer.ends,
      };
      return {
        config,
        info,
        engine: { ...ch.info },
        hasTemplate: template?.error === null,
        tokenizer: words,
      };
    } finally {
      over();
    }
  },
  begin(post, id, how, prompt, options) {
    const { signal } = /** @type {AbortController} */ (running.get(id));
    signal.throwIfAborted(); // it may have been ended while it waited for another to end
    free();
    texts.set(id, {
      text: /** @type {any} */ (loaded())[how](prompt, { ...options, signal }),
      lengths: [],
      over: false,
    });
  },
  async next(post, id, of) {
    const asked = texts.get(of);
    const result = await asked?.text.next();
    if (!asked || !result || result.done) return { done: true };
    asked.lengths.push(loaded().cache.length);
    asked.over = Boolean(result.value.finish);
    return result;
  },
  /**
   * Whoever took so many tokens of a text that is ended early has a cache that goes as far, though
   * more may have been made, or nearly so. 0: nothing is to go.
   */
  finish(post, id, of, taken) {
    const { text, lengths = [] } = texts.get(of) ?? {};
    if (!text) return ending; // it never began
    const back = () => {
      const { cache } = loaded();
      if (lengths[taken - 1] < cache.length) cache.truncate(lengths[taken - 1]);
    };
    ending = Promise.all([
      ending,
      text
        .return()
        .then(back)
        .catch(() => {}),
    ]);
    texts.delete(of);
    running.delete(of);
    return ending;
  },
  prefill: (post, id, tokens, options) => (free(), loaded().prefill(tokens, options)),
  row: (post, id, ...at) => /** @type {any} */ (loaded()).row(...at),
  temperature: (post, id, layer, head) => loaded().temperature(layer, head),
  setTemperature: (post, id, ...values) => /** @type {any} */ (loaded()).setTemperature(...values),
  cache: (post, id, f, ...values) => (free(), /** @type {any} */ (loaded().cache)[f](...values)),
  tokens: () => loaded().cache.tokens,
  tokenizer: (post, id, f, ...values) => /** @type {any} */ (loaded().tokenizer)[f](...values),
};

/** @param {(message: any) => void} post @param {any} message */
async function answer(post, { id, f, values, stop }) {
  if (stop !== undefined) return void running.get(stop)?.abort();
  if (f === 'begin') controller(id);
  try {
    if (f !== 'next' && f !== 'finish') await ending;
    if (f === 'next' || f === 'row') await ahead;
    const value = await functions[f](post, id, ...values);
    post({ id, value, cache: state() });
  } catch (/** @type {any} */ error) {
    if (f === 'begin') running.delete(id);
    post({
      id,
      error: { name: error?.name, code: error?.code, message: String(error?.message ?? error) },
      cache: state(),
    });
  }
}

/** @param {(message: any) => void} post @param {any} message */
function take(post, message) {
  const answered = answer(post, message);
  if (message.f === 'next') ahead = answered;
}

if (typeof postMessage === 'function')
  globalThis.onmessage = ({ data }) => take((message) => postMessage(message), data);
else
  import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}worker_threads`).then(
    ({ parentPort: port }) =>
      port?.on('message', (/** @type {any} */ data) =>
        take((message) => port.postMessage(message), data),
      ),
  );
