import { spawnThread } from '../engine/spawn-thread.js';
import { listen } from '../engine/workers.js';

/**
 * @typedef {import('../engine/workers.js').AnyWorker} AnyWorker
 *
 * @typedef {object} ThreadMessage of a host
 * @property {number} thread its number
 * @property {object} [start] its first message; without one the thread is ended
 */

/**
 * The threads of a host, which are started here. In Firefox a worker that starts another one can
 * wait for it for ever. host-threads.js lists the messages.
 */
export class PageThreads {
  #host;
  /** By their numbers. @type {Map<number, Promise<AnyWorker>>} */
  #workers = new Map();

  /** @param {AnyWorker} host */
  constructor(host) {
    this.#host = host;
  }

  /** @param {ThreadMessage} message */
  async receive({ thread, start }) {
    if (!start) return this.#end(thread);
    // a message to a host that has ended is an error in Bun
    const tell = (/** @type {string} */ event) => (/** @type {unknown} */ value) =>
      this.#workers.has(thread) && this.#host.postMessage({ thread, event, value });
    const lose = tell('error');
    try {
      const starting = spawnThread();
      this.#workers.set(thread, starting);
      const worker = await starting;
      listen(worker, tell('message'), (why) => lose({ message: why }));
      worker.postMessage(start);
      // Node would not end before it; listening has the opposite effect, so it comes last
      worker.unref?.();
    } catch (error) {
      lose({ message: /** @type {Error} */ (error).message });
    }
  }

  /** @param {number} thread */
  async #end(thread) {
    const starting = this.#workers.get(thread);
    this.#workers.delete(thread);
    const worker = await starting?.catch(() => {}); // the host knows why it did not start
    worker?.terminate();
  }

  end() {
    for (const thread of this.#workers.keys()) void this.#end(thread);
  }
}
