/** Workers of the web and of Node. */
import { ClearheadError, describe, refuse } from '../errors.js';
import { nodeModule } from './node.js';
import { refusal } from './worker-files.js';

/**
 * One of the web or of Node, which has further methods.
 * @typedef {{ postMessage(message: unknown): void, terminate(): unknown, ref?(): void,
 *   unref?(): void }} AnyWorker
 */

/**
 * A worker that the caller made, or ours.
 * @param {any} x
 * @returns {AnyWorker}
 */
export const checkedWorker = (x) =>
  [x?.postMessage, x?.terminate, x?.on ?? x?.addEventListener].every(
    (method) => typeof method === 'function',
  )
    ? x
    : refuse('ARG', 'worker()', describe(x), 'a Worker');

/**
 * Node's module of workers where they are to be its own: in Node, which has no others, and in Deno,
 * whose others keep a program from ending. Elsewhere nothing, and they are the web's.
 * @returns {Promise<any>}
 */
export async function nodeWorkers() {
  if (typeof Worker === 'function' && !('Deno' in globalThis)) return undefined;
  return nodeModule('worker_threads').catch((cause) => {
    throw new ClearheadError('ENV', 'there are no workers here', { cause });
  });
}

/**
 * Listens to a worker, and for the reason why it is lost. One that ends says nothing in a browser.
 * @param {any} worker
 * @param {(message: any) => void} receive
 * @param {(why: string) => void} lose
 */
export function listen(worker, receive, lose) {
  const on = (/** @type {string} */ event, /** @type {(x: any) => void} */ f) =>
    worker.on ? worker.on(event, f) : worker.addEventListener(event, f);
  on('message', (message) => receive(worker.on ? message : message.data));
  on('error', async (error) => lose(error?.message ?? (await refusal(worker))));
  // Node and Deno say exit, Bun close
  for (const end of ['exit', 'close']) on(end, () => lose('it ended'));
}

/**
 * A reference that does not keep an object, where the engine can. Closures of the same function
 * would keep it, so it is made here.
 * @template {object} T
 * @param {T} x
 * @returns {{ deref(): T | undefined }}
 */
export const weakly = (x) => (typeof WeakRef === 'function' ? new WeakRef(x) : { deref: () => x });
