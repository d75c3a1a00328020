/** Workers of the web and of Node. */
import { refusal } from './worker-files.js';

/**
 * One of the web or of Node, which has further methods.
 * @typedef {{ postMessage(message: unknown): void, terminate(): unknown, ref?(): void,
 *   unref?(): void }} AnyWorker
 */

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
