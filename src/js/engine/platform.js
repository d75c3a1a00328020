/** Workers, of the web's kind or Node's: which it is to be, and what they say of themselves. */
import { NODE } from './load.js';

/**
 * Node's module of workers where they are to be its own: in Node, which has no others, and in Deno,
 * whose others keep a program from ending. Elsewhere nothing, and they are the web's.
 * @returns {Promise<any>}
 */
export async function nodeWorkers() {
  if (typeof Worker === 'function' && !('Deno' in globalThis)) return undefined;
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}worker_threads`))
    .default;
}

/**
 * What a worker sends, and why it is lost, as soon as it says so: one that ends says nothing in a
 * browser.
 * @param {any} worker
 * @param {(message: any) => void} take
 * @param {(why: string) => void} lose
 */
export function listen(worker, take, lose) {
  const on = (/** @type {string} */ event, /** @type {(x: any) => void} */ f) =>
    worker.on ? worker.on(event, f) : worker.addEventListener(event, f);
  on('message', (message) => take(worker.on ? message : message.data));
  on('error', (error) =>
    lose(error?.message ?? 'it was refused (content security policy, or no such file)'),
  );
  // Node and Deno say exit, Bun close
  for (const end of ['exit', 'close']) on(end, () => lose('it ended'));
}
