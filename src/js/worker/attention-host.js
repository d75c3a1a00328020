/**
 * The worker behind attention-client.js: it holds one engine and its caches. A message is
 * { id, f, values }, and its answer { id, value } or { id, error }.
 */
import { init } from '../index.js';
import { GONE, refuse } from '../errors.js';
import { threadsOfPage } from './host-threads.js';
import { errorOf, foreign, serve } from './serve.js';

/** @typedef {import('../types.d.ts').KVCache} KVCache */

/** @type {import('../types.d.ts').Engine} */
let engine;
/** By the number that the page knows them by. @type {Map<number, KVCache>} */
const caches = new Map();
let lastCache = 0;

/** @param {number} id */
const cacheOf = (id) => caches.get(id) ?? refuse('DISPOSED', 'cache', ...GONE);

/** Keeps a cache, and describes it to the page. @param {KVCache} cache */
function keep(cache) {
  caches.set((lastCache += 1), cache);
  const { kvHeads, headDim, valueDim, capacity, type, length, bytes } = cache;
  return { id: lastCache, kvHeads, headDim, valueDim, capacity, type, length, bytes };
}

/**
 * @param {(message: unknown) => void} post
 * @param {import('../types.d.ts').InitOptions} options
 */
async function begin(post, options) {
  engine = await init({ ...options, worker: threadsOfPage(post) });
  return { ...engine.info };
}

/** @param {unknown} object @returns {Record<string, (...values: unknown[]) => unknown>} */
const methodsOf = (object) => /** @type {any} */ (object);

/**
 * All arguments are passed on, so that the engine refuses too many of them.
 * @type {Record<string, (...values: any[]) => unknown>}
 */
const functions = {
  attention: (...values) => methodsOf(engine).attention(...values),
  attend: (q, id, ...options) => methodsOf(engine).attend(q, cacheOf(id), ...options),
  kvCache: (...values) => keep(/** @type {KVCache} */ (methodsOf(engine).kvCache(...values))),
  clone: (id, ...values) => keep(/** @type {KVCache} */ (methodsOf(cacheOf(id)).clone(...values))),
  /** A method of a cache, and its length afterwards. */
  cache(id, f, ...values) {
    const cache = cacheOf(id);
    const value = methodsOf(cache)[f](...values);
    return { value, length: cache.length };
  },
  /** Disposes of a cache; again, it does nothing. */
  release(id) {
    caches.get(id)?.dispose();
    caches.delete(id);
  },
};

serve(async (post, { id, f, values }) => {
  try {
    const value = await (f === 'init'
      ? begin(post, values[0])
      : (functions[f] ?? foreign('attention', f))(...values));
    post({ id, value });
  } catch (error) {
    post({ id, error: errorOf(error) });
  }
});
