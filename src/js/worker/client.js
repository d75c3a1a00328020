/**
 * `clearhead/worker`: a model in a worker of its own, so that not even loading is felt in the page.
 * The API of `clearhead/model`, where every method returns a promise; see remote.d.ts.
 */
import { abortSignal, read } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import { listen, nodeWorkers } from '../engine/platform.js';
import { cancelResponses, openSource } from '../model/files/source.js';

export { ClearheadError };

/**
 * @param {any} source @param {any} [options]
 * @returns {Promise<import('./client.d.ts').RemoteModel>}
 */
export async function loadModel(source, options) {
  const { onProgress, signal, ...rest } = read(
    'options',
    options,
    'engine onProgress signal quantize context cacheType',
  );
  abortSignal(signal)?.throwIfAborted();
  const { engine } = rest;
  const own = typeof engine?.attend === 'function';
  if (own || (engine !== undefined && (typeof engine !== 'object' || !engine)))
    refuse(
      'ARG',
      'engine',
      own ? 'an engine' : describe(engine),
      'options of init for one in the worker, as { threads: 2 }',
    );
  const over = new AbortController();
  const abort = () => over.abort(signal?.reason);
  const link = new Link(
    await spawn().catch((cause) => Promise.reject(lost(cause.message, cause))),
    (why) => over.abort(why),
  );
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    const given = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    );
    if (engine?.wasm !== undefined)
      given.engine = {
        ...engine,
        wasm: await sendableWasm(await unless(over.signal, engine.wasm), over.signal),
      };
    return new RemoteModel(
      link,
      await link.call('load', [await sendable(source, over.signal), given], { signal, onProgress }),
    );
  } catch (error) {
    link.end(error); // and with it what is still being read
    cancelResponses(source);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * In Node without the program's own flags, some of which (--input-type) a worker refuses; bundlers
 * pass that branch over, or they would copy the file as it is.
 */
async function spawn() {
  const node = await nodeWorkers();
  return node
    ? new node.Worker(
        new URL(/* webpackIgnore: true */ /* @vite-ignore */ './host.js', import.meta.url),
        { execArgv: [] },
      )
    : new Worker(new URL('./host.js', import.meta.url), { type: 'module' });
}

/** @param {string} why @param {unknown} [cause] */
const lost = (why, cause) =>
  new ClearheadError('ENV', `the model's worker is lost: ${why}`, { cause });

/**
 * A source as it can be sent: addresses as this side understands them, responses as what they
 * bring.
 * @param {any} source
 * @param {AbortSignal} signal
 * @param {string} [name]
 * @returns {Promise<any>}
 */
async function sendable(source, signal, name = 'weights') {
  if (source instanceof URL) return source.href;
  if (typeof source === 'string' && typeof document !== 'undefined')
    return new URL(source, document.baseURI).href;
  if (typeof Response === 'function' && source instanceof Response)
    return received(source, signal, name);
  if (Array.isArray(source)) return Promise.all(source.map((one) => sendable(one, signal)));
  if (source && Object.getPrototypeOf(source) === Object.prototype && 'weights' in source) {
    const parts = await Promise.all(
      Object.entries(source).map(async ([name, part]) => [
        name,
        await sendable(part, signal, name),
      ]),
    );
    return Object.fromEntries(parts);
  }
  return source;
}

/**
 * What is waited for, or the reason why it is no longer.
 * @param {AbortSignal} signal
 * @param {any} wanted
 */
function unless(signal, wanted) {
  signal.throwIfAborted();
  return Promise.race([
    wanted,
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ]);
}

/** The same of what `init` takes for its kernels. @param {any} wasm @param {AbortSignal} signal */
async function sendableWasm(wasm, signal) {
  const sent = await sendable(wasm, signal, 'wasm');
  return sent instanceof Blob && !(wasm instanceof Blob) ? sent.arrayBuffer() : sent;
}

/**
 * All of a response, which is checked and can be aborted as on the page's own side.
 * @param {Response} response
 * @param {AbortSignal} signal
 * @param {string} name
 */
async function received(response, signal, name) {
  const stream = await openSource(response, { signal, name });
  /** @type {BlobPart[]} */
  let parts = [];
  let fresh = 0;
  for (let chunk; (chunk = await stream.read()); fresh += chunk.length) {
    // a browser keeps a Blob outside this memory, and on the disk where it is large
    if (fresh > 2 ** 26) ((parts = [new Blob(parts)]), (fresh = 0));
    parts.push(chunk);
  }
  return new Blob(parts);
}

/** Calls that go over to the worker, and their answers. */
class Link {
  #worker;
  #onEnd;
  #last = 0;
  /**
   * @type {Map<number, { resolve: (value: any) => void, reject: (error: any) => void, onProgress?:
   *   (progress: any) => void }>}
   */
  #waiting = new Map();
  /** @type {any} */
  #ended;
  /** @type {any} */
  cache = { length: 0, capacity: 0, bytes: 0 };

  /** @param {any} worker @param {(why: any) => void} onEnd */
  constructor(worker, onEnd) {
    this.#worker = worker;
    this.#onEnd = onEnd;
    listen(
      worker,
      (message) => this.#take(message),
      (why) => this.end(lost(why)),
    );
    worker.unref?.();
  }

  /** @param {any} message */
  #take({ id, value, error, progress, cache }) {
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
   * What the listener throws, its call throws.
   * @param {number} id
   * @param {any} call
   * @param {any} progress
   */
  #report(id, call, progress) {
    try {
      call.onProgress?.(progress);
    } catch (error) {
      this.#settle(id);
      call.reject(error);
    }
  }

  /** @param {number} id */
  #settle(id) {
    this.#waiting.delete(id);
    if (!this.#waiting.size) this.#worker.unref?.();
  }

  /**
   * @param {string} f
   * @param {any[]} values
   * @param {{ id?: number, stop?: number, signal?: AbortSignal, onProgress?: (progress: any) =>
   *   void }} [how] stop: what the signal ends, default this call
   */
  async call(f, values, { id = this.take(), stop = id, signal, onProgress } = {}) {
    if (this.#ended) throw this.#ended;
    signal?.throwIfAborted();
    const answered = new Promise((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject, onProgress }),
    );
    this.#worker.ref?.();
    try {
      this.#worker.postMessage({ id, f, values });
    } catch (/** @type {any} */ cause) {
      this.#settle(id);
      throw new ClearheadError(
        'ARG',
        `${f === 'begin' ? values[0] : f} was given what cannot be sent to a worker: ${cause.message}`,
        { cause },
      );
    }
    const abort = () => {
      this.stop(stop);
      this.#waiting.get(id)?.reject(/** @type {AbortSignal} */ (signal).reason);
      this.#settle(id);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await answered;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  take() {
    return (this.#last += 1);
  }

  /** Asks for the end of what a call began. @param {number} id */
  stop(id) {
    if (!this.#ended) this.#worker.postMessage({ stop: id });
  }

  /** @param {any} error what later calls, and those not answered, are told */
  end(error) {
    if (this.#ended) return;
    this.#ended = error;
    this.#onEnd(error);
    for (const [id, call] of [...this.#waiting]) {
      this.#settle(id);
      call.reject(error);
    }
    this.#worker.terminate();
  }
}

class RemoteModel {
  #link;

  /** @param {Link} link @param {any} loaded */
  constructor(link, { config, info, engine, hasTemplate, tokenizer }) {
    this.#link = link;
    this.config = Object.freeze(config);
    this.info = Object.freeze(info);
    this.engine = Object.freeze(engine);
    this.hasTemplate = hasTemplate;
    const ask =
      (/** @type {string} */ of) =>
      (/** @type {string} */ f) =>
      (/** @type {any[]} */ ...values) =>
        link.call(of, [f, ...values]);
    const word = ask('tokenizer');
    const held = ask('cache');
    this.tokenizer =
      tokenizer &&
      Object.freeze({
        ...tokenizer,
        encode: word('encode'),
        decode: word('decode'),
        token: word('token'),
      });
    this.cache = Object.freeze({
      get length() {
        return link.cache.length;
      },
      get capacity() {
        return link.cache.capacity;
      },
      get bytes() {
        return link.cache.bytes;
      },
      tokens: () => link.call('tokens', []),
      truncate: held('truncate'),
      clear: held('clear'),
      snapshot: held('snapshot'),
      restore: held('restore'),
    });
  }

  /** @param {any} prompt @param {any} [options] */
  generate(prompt, options) {
    return this.#text('generate', prompt, options);
  }

  /** @param {any} messages @param {any} [options] */
  chat(messages, options) {
    return this.#text('chat', messages, options);
  }

  /** @param {string} how @param {any} prompt @param {any} options */
  async *#text(how, prompt, options) {
    if (options !== undefined && (typeof options !== 'object' || !options))
      refuse('ARG', 'options', describe(options), 'an object');
    const { signal, ...rest } = options ?? {};
    const link = this.#link;
    const text = link.take();
    abortSignal(signal)?.throwIfAborted();
    const ask = () => {
      const asked = link.call('next', [text], { stop: text, signal });
      asked.catch(() => {}); // whoever waits for it is told
      return asked;
    };
    let taken = 0;
    let over = false;
    /** @type {Promise<void> | undefined} */
    let ended;
    const end = () => {
      signal?.removeEventListener('abort', end);
      if (!over && !ended) link.stop(text);
      return (ended ??= link.call('finish', [text, over ? 0 : taken]).catch(() => {}));
    };
    // also while the caller has a token, when nothing here may run again
    signal?.addEventListener('abort', end);
    try {
      await link.call('begin', [how, prompt, rest], { id: text, signal });
      // The worker is a token ahead, so that it does not wait for what is done with each; and it
      // has been asked for the one after that
      // before it is done, so that it does not wait for messages.
      for (let next = ask(), after; ; after = ask()) {
        const { value, done } = await next;
        if ((over = done)) return;
        next = after ?? ask();
        taken++;
        // with this token, for whoever asks for something else then
        if ((over = Boolean(value.finish))) void end();
        yield value;
        if (over) return;
        signal?.throwIfAborted();
      }
    } finally {
      // an abort is not to wait for the worker, which ends what it was told to before it does
      // anything else
      const finished = end();
      if (!signal?.aborted) await finished;
    }
  }

  /** @param {any} tokens @param {any} [options] */
  prefill(tokens, options) {
    return this.#link.call('prefill', [tokens, options]);
  }

  /** @param {number} token @param {any} [options] */
  step(token, options) {
    return this.prefill([token], options);
  }

  /** @param {any[]} at */
  row(...at) {
    return this.#link.call('row', at);
  }

  /** @param {any[]} at */
  temperature(...at) {
    return this.#link.call('temperature', at);
  }

  /** @param {any[]} values */
  setTemperature(...values) {
    return this.#link.call('setTemperature', values);
  }

  async dispose() {
    this.#link.end(new ClearheadError('DISPOSED', 'model is disposed of; expected a live one'));
  }
}
