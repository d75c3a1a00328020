/**
 * The worker behind remote.js: it holds one model and does what messages ask. A message is { id, f, values } and is answered by
 * { id, value } or { id, error }; { id, progress } tells of loading, { stop: id } asks to end what `id` began.
 */
import { init } from '../index.js';
import { NODE } from '../load.js';
import { loadModel } from './index.js';

/** @type {import('./api.d.ts').Model | undefined} */
let model;
/** What can be ended, by the id of the message that began it. @type {Map<number, AbortController>} */
const running = new Map();
/** Texts being generated. @type {Map<number, AsyncGenerator<any, void, void>>} */
const texts = new Map();
/** Texts that are ending: what is asked next waits for it. @type {Promise<unknown>} */
let ending = Promise.resolve();

const loaded = () => /** @type {import('./api.d.ts').Model} */ (model);

/** What a page keeps a copy of. */
const state = () => model && { length: model.cache.length, capacity: model.cache.capacity, bytes: model.cache.bytes };

/** @param {number} id @param {boolean} [brief] over as soon as it is answered */
function controller(id, brief = false) {
  const made = new AbortController();
  running.set(id, made);
  return brief ? { signal: made.signal, over: () => running.delete(id) } : { signal: made.signal, over: () => {} };
}

/** @type {Record<string, (post: (message: any) => void, id: number, ...values: any[]) => any>} */
const functions = {
  async load(post, id, source, { engine, ...options }) {
    const { signal, over } = controller(id, true);
    try {
      const ch = await init({ ...engine, layers: true });
      model = await loadModel(source, { ...options, engine: ch, signal, onProgress: (/** @type {any} */ progress) => post({ id, progress }) });
      const { config, info, tokenizer, template } = loaded();
      const words = tokenizer && { size: tokenizer.size, bos: tokenizer.bos, addsBos: tokenizer.addsBos, ends: tokenizer.ends };
      return { config, info, engine: { ...ch.info }, hasTemplate: template?.error === null, tokenizer: words };
    } finally {
      over();
    }
  },
  begin(post, id, how, prompt, options) {
    const { signal } = controller(id);
    texts.set(id, /** @type {any} */ (loaded())[how](prompt, { ...options, signal }));
  },
  next: (post, id, text) => texts.get(text)?.next() ?? { done: true },
  finish(post, id, text) {
    ending = Promise.resolve(texts.get(text)?.return()).catch(() => {});
    texts.delete(text);
    running.delete(text);
    return ending;
  },
  prefill: (post, id, tokens, options) => loaded().prefill(tokens, options),
  row: (post, id, ...at) => /** @type {any} */ (loaded()).row(...at),
  temperature: (post, id, layer, head) => loaded().temperature(layer, head),
  setTemperature: (post, id, ...values) => /** @type {any} */ (loaded()).setTemperature(...values),
  cache: (post, id, f, ...values) => /** @type {any} */ (loaded().cache)[f](...values),
  tokens: () => loaded().cache.tokens,
  tokenizer: (post, id, f, ...values) => /** @type {any} */ (loaded().tokenizer)[f](...values),
};

/** @param {(message: any) => void} post @param {any} message */
async function answer(post, { id, f, values, stop }) {
  if (stop !== undefined) return void running.get(stop)?.abort();
  try {
    if (f !== 'next' && f !== 'finish') await ending;
    const value = await functions[f](post, id, ...values);
    post({ id, value, cache: state() });
  } catch (/** @type {any} */ error) {
    if (f === 'begin') running.delete(id);
    post({ id, error: { name: error?.name, code: error?.code, message: String(error?.message ?? error) }, cache: state() });
  }
}

if (typeof postMessage === 'function') globalThis.onmessage = ({ data }) => answer((message) => postMessage(message), data);
else
  import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}worker_threads`).then(({ parentPort: port }) =>
    port?.on('message', (/** @type {any} */ data) => answer((message) => port.postMessage(message), data)));
