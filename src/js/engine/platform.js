/** The parts that differ among places: workers and clocks. */
import { ClearheadError } from '../errors.js';
import { nodeModule } from './node.js';

/**
 * A worker of the web or of Node, which has further methods.
 * @typedef {{ postMessage(message: unknown): void, terminate(): unknown, ref?(): void,
 *   unref?(): void }} AnyWorker
 */

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

/** Milliseconds; an audio worklet has no finer clock. */
export const now = () => (globalThis.performance ?? Date).now();

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
  on('error', (error) =>
    lose(error?.message ?? 'it was refused (content security policy, or no such file)'),
  );
  // Node and Deno say exit, Bun close
  for (const end of ['exit', 'close']) on(end, () => lose('it ended'));
}
