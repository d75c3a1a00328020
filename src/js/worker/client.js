/**
 * `clearhead/worker`: attention or a model in a worker of its own, so that not even loading is felt
 * in the page. Every method returns a promise; see client.d.ts.
 */
import { abortSignal, read } from '../check.js';
import { ClearheadError } from '../errors.js';
import { isSource } from '../kinds.js';
import { arrived, cancelStreams, checkFiles, expectFailures } from '../model/files/source.js';
import { atMost } from '../names.js';
import { startLink } from './link.js';
import { RemoteModel } from './remote-model.js';
import { spawnHost } from './spawn.js';
import { checkEngine, sendable, sendableEngine } from './sendable.js';

export { ClearheadError };
export { init } from './attention-client.js';

/**
 * @param {import('../model/types.d.ts').ModelSource} source
 * @param {import('./client.d.ts').RemoteLoadOptions} [options]
 * @param {unknown[]} more none
 * @returns {Promise<import('./client.d.ts').RemoteModel>}
 */
export async function loadModel(source, options, ...more) {
  atMost('loadModel', [source, options, ...more], 2);
  const { onProgress, signal, worker, ...rest } = read('options', options, [
    'engine',
    'worker',
    'onProgress',
    'signal',
    'quantize',
    'context',
    'cacheType',
  ]);
  abortSignal(signal)?.throwIfAborted();
  const { engine } = rest;
  checkEngine(engine);
  expectFailures(source);
  /** @type {(why: unknown) => void} */
  let onEnd = () => {};
  // first of all: a worklet has neither workers nor AbortController
  const link = await startLink(worker, spawnHost, (why) => onEnd(why));
  const over = new AbortController();
  onEnd = (why) => over.abort(why);
  const abort = () => over.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    /** @type {Record<string, unknown>} */
    const given = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    );
    if (engine !== undefined) given.engine = await sendableEngine(engine, over.signal);
    const files = await arrived(source, 'source', over.signal);
    // a copy of an object forgets its class
    const sent = await sendable(isSource(files) ? files : checkFiles(files), over.signal);
    const loaded = await link.call('load', [sent, given], {
      name: 'loadModel',
      signal,
      onProgress,
    });
    // TypeScript cannot match the generic options of a method even with themselves
    return /** @type {import('./client.d.ts').RemoteModel} */ (
      /** @type {unknown} */ (new RemoteModel(link, loaded))
    );
  } catch (error) {
    link.end(error); // this ends the reading of other parts as well
    cancelStreams(source);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
