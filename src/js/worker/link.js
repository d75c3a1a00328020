import { ClearheadError, describe, refuse } from '../errors.js';
import { registry } from '../engine/platform.js';
import { checkedWorker, listen, weakly } from '../engine/workers.js';
import { checkLive, NAMES } from './arguments.js';
import { PageThreads } from './page-threads.js';

/**
 * Calls that go to the worker, and their answers; host.js tells the messages.
 *
 * @typedef {object} Answer a message of the worker
 * @property {number} id of the call
 * @property {unknown} [value]
 * @property {{ name: string, code: import('../types.d.ts').ErrorCode, message: string }} [error]
 * @property {unknown} [progress]
 * @property {CacheState} [cache]
 *
 * @typedef {import('./page-threads.js').ThreadMessage} ThreadMessage
 *
 * @typedef {{ length: number, capacity: number, bytes: number }} CacheState
 *
 * @typedef {object} Call that waits for its answer
 * @property {(value: unknown) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {(progress: never) => void} [onProgress]
 *
 * @typedef {object} CallOptions
 * @property {number} [id] default a new one
 * @property {string} [name] of the method that was called, default the function
 * @property {readonly unknown[]} [given] its arguments, default the values
 * @property {import('./arguments.js').Names} [names] of arguments, default those of a model
 * @property {number} [stop] the call that the signal ends, default this one
 * @property {AbortSignal} [signal]
 * @property {Call['onProgress']} [onProgress]
 *
 * @typedef {import('../engine/workers.js').AnyWorker} AnyWorker
 * @typedef {ReturnType<typeof setTimeout>} Timer
 */

/**
 * `await using` calls the method of this name. Engines without it may lack the symbol.
 * @type {typeof Symbol.asyncDispose}
 */
export const ASYNC_DISPOSE = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** @param {string} why @param {unknown} [cause] */
export const lost = (why, cause) =>
  new ClearheadError('ENV', `the worker is lost: ${why}`, { cause });

/** Milliseconds within which a worker must answer its first message. Its file may come slowly. */
const START = 60_000;
const SILENT = `it did not answer within ${START / 1000} s; its file may be empty or another one`;

/**
 * Starts a worker.
 * @param {(() => object) | undefined} worker makes one, if it is given
 * @param {() => Promise<AnyWorker>} spawn makes one otherwise
 * @param {(why: unknown) => void} onEnd
 */
export async function startLink(worker, spawn, onEnd) {
  if (worker !== undefined && typeof worker !== 'function')
    refuse('ARG', 'worker', describe(worker), 'a function that makes a worker of its host');
  let made;
  try {
    made = await (worker ?? spawn)();
  } catch (/** @type {any} */ cause) {
    throw lost(cause.message, cause);
  }
  return new Link(checkedWorker(made), onEnd);
}

/**
 * Links with calls that wait. The others end with the objects of the caller that use them, for
 * which the listeners of a worker must not hold them.
 * @type {Set<Link>}
 */
const busy = new Set();

/** @param {{ worker: AnyWorker, threads: PageThreads }} both */
function terminate({ worker, threads }) {
  worker.terminate();
  threads.end();
}

/** Workers of links that were dropped without dispose. */
const dropped = registry(terminate);

export class Link {
  #worker;
  #threads;
  #onEnd;
  #lastId = 0;
  /** @type {Map<number, Call>} */
  #waiting = new Map();
  /** Ends a worker that has not answered its first message. @type {Timer | undefined} */
  #late;
  #answered = false;
  /** The reason of the end. @type {unknown} */
  #ended;
  /** Its state at the last answer. @type {CacheState} */
  cache = { length: 0, capacity: 0, bytes: 0 };

  /** @param {AnyWorker} worker @param {(why: unknown) => void} onEnd */
  constructor(worker, onEnd) {
    this.#worker = worker;
    this.#threads = new PageThreads(worker);
    this.#onEnd = onEnd;
    const link = weakly(this);
    listen(
      worker,
      (message) => link.deref()?.receive(message),
      (why) => link.deref()?.end(lost(why)),
    );
    worker.unref?.();
    dropped.register(this, { worker, threads: this.#threads });
  }

  /** @param {Answer | ThreadMessage} message */
  receive(message) {
    const isThread = /** @type {Partial<ThreadMessage>} */ (message).thread;
    if (!isThread) this.#answer(/** @type {Answer} */ (message));
    else if (!this.#ended) void this.#threads.receive(/** @type {ThreadMessage} */ (message));
  }

  /** @param {Answer} message */
  #answer({ id, value, error, progress, cache }) {
    this.#answered = true;
    clearTimeout(this.#late);
    const call = this.#waiting.get(id);
    if (cache) this.cache = cache;
    if (!call) return;
    if (progress) return this.#report(id, call, progress);
    this.#settle(id);
    if (error)
      call.reject(
        error.name === 'ClearheadError'
          ? new ClearheadError(error.code, error.message)
          : Object.assign(new Error(error.message), { name: error.name }),
      );
    else call.resolve(value);
  }

  /**
   * If the listener throws, its call throws the same.
   * @param {number} id
   * @param {Call} call
   * @param {unknown} progress
   */
  #report(id, call, progress) {
    try {
      call.onProgress?.(/** @type {never} */ (progress));
    } catch (error) {
      this.#settle(id);
      call.reject(error);
    }
  }

  /** @param {number} id */
  #settle(id) {
    this.#waiting.delete(id);
    if (this.#waiting.size) return;
    busy.delete(this);
    this.#worker.unref?.();
  }

  /**
   * @param {string} f
   * @param {readonly unknown[]} values
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  async call(f, values, options = {}) {
    const { id = this.newId(), stop = id, signal, onProgress } = options;
    const { name = f, given = values, names = NAMES } = options;
    if (this.#ended) throw this.#ended;
    signal?.throwIfAborted();
    const answered = new Promise((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject, onProgress }),
    );
    busy.add(this);
    this.#worker.ref?.();
    try {
      this.#worker.postMessage({ id, f, values });
      if (!this.#answered) this.#late ??= setTimeout(() => this.end(lost(SILENT)), START);
    } catch (/** @type {any} */ cause) {
      this.#settle(id);
      checkLive(name, given, names);
      throw new ClearheadError(
        'ARG',
        `${name} was given a value that cannot be sent to a worker: ${cause.message}`,
        { cause },
      );
    }
    const abort = () => {
      this.stop(stop);
      this.#waiting.get(id)?.reject(signal?.reason);
      this.#settle(id);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await answered;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  get ended() {
    return this.#ended !== undefined;
  }

  newId() {
    return (this.#lastId += 1);
  }

  /** Asks the worker to end a call. @param {number} id */
  stop(id) {
    if (!this.#ended) this.#worker.postMessage({ stop: id });
  }

  /**
   * Ends the worker. Calls that wait and later ones throw the error.
   * @param {unknown} error
   */
  end(error) {
    if (this.#ended) return;
    this.#ended = error;
    clearTimeout(this.#late);
    this.#onEnd(error);
    for (const [id, call] of [...this.#waiting]) {
      this.#settle(id);
      call.reject(error);
    }
    terminate({ worker: this.#worker, threads: this.#threads });
  }
}
