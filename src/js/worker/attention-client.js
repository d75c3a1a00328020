/** Attention in a worker, see client.d.ts. */
import { array, describeAwaited, read } from '../check.js';
import { registry } from '../engine/platform.js';
import { unweigh, weigh } from '../engine/tensor.js';
import { ClearheadError, refuse } from '../errors.js';
import { atMost } from '../names.js';
import { ASYNC_DISPOSE, startLink } from './link.js';
import { sendableWasm } from './sendable.js';
import { spawnAttentionHost } from './spawn-attention.js';

/**
 * @typedef {import('./attention.d.ts').RemoteEngine} RemoteEngine
 * @typedef {import('./attention.d.ts').RemoteKVCache} RemoteKVCache
 * @typedef {import('./link.js').Link} Link
 */

/** The number of each cache in the worker. @type {WeakMap<object, { link: Link, id: number }>} */
const numbers = new WeakMap();

/**
 * @param {import('./attention.d.ts').RemoteInitOptions} [options]
 * @param {unknown[]} more none
 * @returns {Promise<RemoteEngine>}
 */
export async function init(options, ...more) {
  atMost('init', [options, ...more], 1);
  const { worker, wasm, ...rest } = read('options', options, [
    'wasm',
    'variant',
    'threads',
    'worker',
  ]);
  const link = await startLink(worker, spawnAttentionHost, () => {});
  try {
    const { signal } = new AbortController();
    const given =
      wasm === undefined ? rest : { ...rest, wasm: await sendableWasm(await wasm, signal) };
    return engineOf(link, await link.call('init', [given]));
  } catch (error) {
    link.end(error);
    throw error;
  }
}

/** @param {Link} link @param {import('../types.d.ts').EngineInfo} info @returns {RemoteEngine} */
function engineOf(link, info) {
  const dispose = async () =>
    link.end(new ClearheadError('DISPOSED', 'engine is disposed of; expected a live one'));
  return Object.freeze({
    info: Object.freeze(info),
    attention: (/** @type {unknown[]} */ ...values) =>
      written(link.call('attention', values), values[3]),
    attend(
      /** @type {unknown} */ q,
      /** @type {object} */ cache,
      /** @type {unknown[]} */ ...options
    ) {
      const found = numbers.get(cache);
      if (found?.link !== link) {
        const came = found ? 'of another engine' : describeAwaited(cache);
        refuse('ARG', 'cache', came, 'a KV cache of this engine');
      }
      return written(link.call('attend', [q, found?.id, ...options]), options[0]);
    },
    kvCache: async (/** @type {unknown[]} */ ...values) =>
      cacheOf(link, await link.call('kvCache', values)),
    dispose,
    [ASYNC_DISPOSE]: dispose,
  });
}

/**
 * The results of a call, with the output in `out` where it was given. The worker has checked its
 * copy of it, and written there.
 * @param {Promise<any>} called
 * @param {unknown} options
 */
async function written(called, options) {
  const out = /** @type {{ out?: unknown } | null | undefined} */ (options)?.out;
  const results = await called;
  if (out === undefined) return results;
  array('out', out, 'Float32Array', 'Float64Array').set(results.output);
  return { ...results, output: out };
}

/**
 * Gives back the memory of a cache in the worker, unless that has ended.
 * @param {{ link: Link, id: number }} cache
 */
async function release({ link, id }) {
  if (!link.ended) await link.call('release', [id]);
}

/** Caches that were dropped without dispose. */
const dropped = registry((/** @type {{ link: Link, id: number }} */ cache) => {
  release(cache).catch(() => {}); // nobody would see it
});

/**
 * @param {Link} link
 * @param {{ id: number, length: number } & Record<string, unknown>} state
 * @returns {RemoteKVCache}
 */
function cacheOf(link, { id, length, ...sizes }) {
  const method =
    (/** @type {string} */ f) =>
    async (/** @type {unknown[]} */ ...values) => {
      const answer = await link.call('cache', [id, f, ...values], { name: f, given: values });
      length = answer.length;
      return answer.value;
    };
  const dispose = async () => {
    length = 0;
    dropped.unregister(cache);
    unweigh(cache);
    await release({ link, id });
  };
  const cache = /** @type {RemoteKVCache} */ (
    Object.freeze({
      ...sizes,
      get length() {
        return length;
      },
      append: method('append'),
      truncate: method('truncate'),
      read: method('read'),
      snapshot: method('snapshot'),
      restore: method('restore'),
      dispose,
      [ASYNC_DISPOSE]: dispose,
      clone: async (/** @type {unknown[]} */ ...values) =>
        cacheOf(link, await link.call('clone', [id, ...values], { given: values })),
    })
  );
  numbers.set(cache, { link, id });
  weigh(cache, cache.bytes);
  dropped.register(cache, { link, id }, cache);
  return cache;
}
