/** Attention in a worker, see client.d.ts. */
import { read } from '../check.js';
import { ClearheadError, refuse } from '../errors.js';
import { atMost } from '../names.js';
import { startLink } from './link.js';
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
const engineOf = (link, info) =>
  Object.freeze({
    info: Object.freeze(info),
    attention: (/** @type {unknown[]} */ ...values) => link.call('attention', values),
    attend(
      /** @type {unknown} */ q,
      /** @type {object} */ cache,
      /** @type {unknown[]} */ ...options
    ) {
      const found = numbers.get(cache);
      if (found?.link !== link) refuse('ARG', 'cache', 'of another engine', 'one of this engine');
      return link.call('attend', [q, found?.id, ...options]);
    },
    kvCache: async (/** @type {unknown[]} */ ...values) =>
      cacheOf(link, await link.call('kvCache', values)),
    dispose: async () =>
      link.end(new ClearheadError('DISPOSED', 'engine is disposed of; expected a live one')),
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
      const answer = await link.call('cache', [id, f, ...values]);
      length = answer.length;
      return answer.value;
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
      dispose: method('dispose'),
      clone: async (/** @type {unknown[]} */ ...values) =>
        cacheOf(link, await link.call('clone', [id, ...values])),
    })
  );
  numbers.set(cache, { link, id });
  return cache;
}
