import { isAddress, isBlob, isIterable, isPlain, isResponse, isWebStream } from '../kinds.js';
import { describe, refuse } from '../errors.js';
import { arrived, isTemplate, openSource, unlessAborted } from '../model/files/source.js';

/**
 * Makes a source ready to be sent to the worker. Addresses become absolute. Responses and streams
 * become the bytes they bring, and so do Blobs that cannot be cloned.
 * @param {unknown} given
 * @param {AbortSignal} signal
 * @param {string} [name]
 * @returns {Promise<unknown>}
 */
export async function sendable(given, signal, name = 'weights') {
  const source = await arrived(given, name, signal);
  if (name === 'chatTemplate' && isTemplate(source)) return source;
  if (isAddress(source))
    return typeof document === 'undefined'
      ? String(source)
      : new URL(source, document.baseURI).href;
  if (
    isBlob(source)
      ? !isClonable(source)
      : isResponse(source) || isWebStream(source) || isIterable(source)
  )
    return received(source, signal, name);
  if (Array.isArray(source)) return Promise.all(source.map((one) => sendable(one, signal)));
  if (isModelFiles(source)) {
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
 * Whether a message can carry it: not a Blob of jsdom, nor one of a file in Node.
 * @param {Blob} blob
 */
function isClonable(blob) {
  try {
    return structuredClone(blob) instanceof Blob;
  } catch {
    return false;
  }
}

/**
 * The same for the kernels that `init` is given.
 * @param {unknown} wasm
 * @param {AbortSignal} signal
 */
export async function sendableWasm(wasm, signal) {
  const sent = await sendable(wasm, signal, 'wasm');
  return isBlob(sent) && !isBlob(wasm) ? sent.arrayBuffer() : sent;
}

/**
 * Refuses an engine: that of a worker is made there, from options.
 * @param {unknown} engine
 */
export function checkEngine(engine) {
  const isEngine =
    typeof (/** @type {{ attend?: unknown } | null | undefined} */ (engine)?.attend) === 'function';
  if (isEngine || (engine !== undefined && (typeof engine !== 'object' || !engine)))
    refuse(
      'ARG',
      'engine',
      isEngine ? 'an engine' : describe(engine),
      'options of init for one in the worker, as { threads: 2 }',
    );
  const { worker } = /** @type {{ worker?: unknown }} */ (engine ?? {});
  if (worker !== undefined)
    refuse('ARG', 'engine.worker', describe(worker), 'none, since the page starts its threads');
}

/**
 * Options of an engine as they are sent.
 * @param {import('../types.d.ts').InitOptions} engine
 * @param {AbortSignal} signal
 */
export async function sendableEngine(engine, signal) {
  if (engine.wasm === undefined) return engine;
  return { ...engine, wasm: await sendableWasm(await unlessAborted(signal, engine.wasm), signal) };
}

/** @param {unknown} source @returns {source is Record<string, unknown>} */
const isModelFiles = (source) => isPlain(source) && 'weights' in source;

/**
 * All of a response, stream or Blob. It is checked and can be aborted as on the page's own side.
 * @param {unknown} source
 * @param {AbortSignal} signal
 * @param {string} name
 */
async function received(source, signal, name) {
  const stream = await openSource(source, { signal, name });
  /** @type {BlobPart[]} */
  let parts = [];
  let fresh = 0;
  for (let chunk; (chunk = await stream.read()); fresh += chunk.length) {
    // browsers keep a Blob outside this memory, and on the disk where it is large
    if (fresh > 2 ** 26) {
      parts = [new Blob(parts)];
      fresh = 0;
    }
    parts.push(chunk);
  }
  return new Blob(parts);
}
