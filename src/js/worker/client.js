/**
 * `clearhead/worker`: a model in a worker of its own, so that not even loading is felt in the page.
 * The API is that of `clearhead/model`, where every method returns a promise; see client.d.ts.
 */
import { abortSignal, read } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import { nodeWorkers } from '../engine/platform.js';
import { cancelResponses } from '../model/files/source.js';
import { Link, lost } from './link.js';
import { RemoteModel } from './remote-model.js';
import { sendable, sendableWasm, unlessAborted } from './sendable.js';

export { ClearheadError };

/**
 * @param {import('../model/types.d.ts').ModelSource} source
 * @param {import('./client.d.ts').RemoteLoadOptions} [options]
 * @returns {Promise<import('./client.d.ts').RemoteModel>}
 */
export async function loadModel(source, options) {
  const { onProgress, signal, ...rest } = read('options', options, [
    'engine',
    'onProgress',
    'signal',
    'quantize',
    'context',
    'cacheType',
  ]);
  abortSignal(signal)?.throwIfAborted();
  const { engine } = rest;
  checkEngine(engine);
  const over = new AbortController();
  const abort = () => over.abort(signal?.reason);
  const link = new Link(
    await spawn().catch((cause) => Promise.reject(lost(cause.message, cause))),
    (why) => over.abort(why),
  );
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    /** @type {Record<string, unknown>} */
    const given = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    );
    if (engine?.wasm !== undefined)
      given.engine = {
        ...engine,
        wasm: await sendableWasm(await unlessAborted(over.signal, engine.wasm), over.signal),
      };
    const sent = await sendable(source, over.signal);
    return new RemoteModel(link, await link.call('load', [sent, given], { signal, onProgress }));
  } catch (error) {
    link.end(error); // this ends the reading of other parts as well
    cancelResponses(source);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The engine is made in the worker, from options. @param {unknown} engine */
function checkEngine(engine) {
  const isEngine =
    typeof (/** @type {{ attend?: unknown } | null | undefined} */ (engine)?.attend) === 'function';
  if (isEngine || (engine !== undefined && (typeof engine !== 'object' || !engine)))
    refuse(
      'ARG',
      'engine',
      isEngine ? 'an engine' : describe(engine),
      'options of init for one in the worker, as { threads: 2 }',
    );
}

/**
 * Starts the worker. In Node it gets none of the program's own flags, some of which (--input-type)
 * a worker refuses. Bundlers skip that branch, or they would copy the file as it is.
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
