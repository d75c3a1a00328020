import { ClearheadError, describe, live, refuse } from '../../errors.js';
import { yieldToOthers } from '../../engine/yield.js';
import {
  isAddress,
  isArrayBuffer,
  isIterable,
  isPlain,
  isPromise,
  isResponse,
  isSource,
  isWebStream,
} from '../../kinds.js';
import { joined } from './bytes.js';
import { MAX_PIECE, rawStream } from './raw-stream.js';

/**
 * Opens any source as a stream of bytes that is counted and can be aborted. Nothing is cached here,
 * so an interrupted download leaves nothing behind. A browser's own cache keeps complete files.
 * @typedef {object} Stream
 * @property {string} name in errors
 * @property {number} [total] bytes, as the source says
 * @property {boolean} exact whether `total` is certain: a server may count compressed bytes
 * @property {(spare?: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer> | null>} read the
 *   next bytes, null at the end. A caller may hand back bytes of an earlier call that are no longer
 *   needed. Their memory is used again, and the caller must do the same with the bytes returned.
 * @property {() => Promise<void>} cancel
 */

/** @param {unknown} source @param {string} [name] */
export function nameOf(source, name = 'the file') {
  if (isAddress(source)) return shortened(String(source));
  if (isResponse(source)) return shortened(source.url || name);
  const own = /** @type {{ name?: unknown } | null | undefined} */ (source)?.name;
  return typeof own === 'string' && own ? shortened(own) : name;
}

/** Characters of an address that a message shows; of a longer one the end. */
const SHOWN = 160;

/** @param {string} address */
function shortened(address) {
  const shown = address.replace(/[?#].*$/s, '');
  return shown.length > SHOWN ? `...${shown.slice(3 - SHOWN)}` : shown;
}

/**
 * @param {unknown} source see FileSource
 * @param {{ signal?: AbortSignal, name?: string }} [options]
 * @returns {Promise<Stream>}
 */
export async function openSource(source, { signal, name } = {}) {
  const called = nameOf(source, name);
  signal?.throwIfAborted();
  /** @type {Omit<Stream, 'name'>} */
  let raw;
  try {
    raw = await rawStream(source, called, signal);
  } catch (/** @type {any} */ cause) {
    signal?.throwIfAborted();
    throw cause instanceof ClearheadError
      ? cause
      : new ClearheadError('NET', `${called} could not be opened: ${reasonOf(cause)}`, { cause });
  }
  const { total, exact } = raw;
  let loaded = 0;
  /** Bytes that arrived beyond a piece. @type {Uint8Array<ArrayBuffer> | undefined} */
  let rest;
  const stop = () => void raw.cancel().catch(() => {});
  signal?.addEventListener('abort', stop, { once: true });
  // it may have been aborted while the source was opened
  if (signal?.aborted) stop();
  const close = () => signal?.removeEventListener('abort', stop);
  const pause = yieldToOthers();
  /** @param {Uint8Array<ArrayBuffer>} [spare] */
  const next = async (spare) => {
    let chunk;
    try {
      chunk = await raw.read(spare);
    } catch (/** @type {any} */ cause) {
      close();
      signal?.throwIfAborted();
      if (cause instanceof ClearheadError) throw cause;
      throw new ClearheadError(
        'NET',
        `${called} stopped after ${loaded} bytes: ${reasonOf(cause)}`,
        { cause },
      );
    }
    signal?.throwIfAborted();
    if (!chunk) {
      close();
      if (total !== undefined && loaded < total)
        throw new ClearheadError(
          'INTEGRITY',
          `${called} ended after ${loaded} of ${total} bytes; the download is cut off`,
        );
      return null;
    }
    loaded += chunk.length;
    if (exact && total !== undefined && loaded > total)
      throw new ClearheadError(
        'INTEGRITY',
        `${called} brought more than the ${total} bytes announced`,
      );
    return chunk;
  };
  return {
    name: called,
    total,
    exact,
    async read(spare) {
      await pause(); // nothing else is waited for where the bytes are there already
      signal?.throwIfAborted();
      const chunk = rest ?? (await next(spare));
      rest = chunk && chunk.length > MAX_PIECE ? chunk.subarray(MAX_PIECE) : undefined;
      return chunk && chunk.subarray(0, MAX_PIECE);
    },
    async cancel() {
      rest = undefined;
      close();
      await raw.cancel().catch(() => {});
    },
  };
}

/** Kinds of sources, for errors. */
const KINDS = 'a URL, a Blob, a Response, a stream';

/** @param {string} name @param {unknown} x */
export function checkSource(name, x) {
  if (ArrayBuffer.isView(x) || isArrayBuffer(x)) return live(name, x);
  return isSource(x) ? x : refuse('ARG', name, describe(x), `${KINDS} or bytes`);
}

/** A chat template itself, in the place of its file. @param {unknown} x @returns {x is string} */
export const isTemplate = (x) => typeof x === 'string' && /\{[%{]/.test(x);

/** @param {unknown} x @returns {Record<string, unknown>} the files of a model */
export const checkFiles = (x) =>
  isPlain(x)
    ? x
    : refuse('ARG', 'source', describe(x), `${KINDS}, bytes or { weights, config, tokenizer }`);

/**
 * Waits for a value until the signal aborts.
 * @param {AbortSignal | undefined} signal
 * @param {unknown} wanted
 */
export function unlessAborted(signal, wanted) {
  signal?.throwIfAborted();
  return Promise.race([
    wanted,
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  ]);
}

/**
 * A source, or the one that a promise brings, as that of fetch.
 * @param {unknown} source
 * @param {string} name for errors
 * @param {AbortSignal} [signal]
 */
export async function arrived(source, name, signal) {
  if (!isPromise(source)) return source;
  try {
    return await unlessAborted(signal, source);
  } catch (/** @type {any} */ cause) {
    signal?.throwIfAborted();
    if (cause instanceof ClearheadError) throw cause;
    throw new ClearheadError('NET', `${name} could not be opened: ${reasonOf(cause)}`, { cause });
  }
}

/** @param {unknown} source see ModelSource */
const partsOf = (source) => (isPlain(source) ? Object.values(source).flat() : [source]);

/**
 * Promises in a source that fail before they are waited for must not end a program.
 * @param {unknown} source see ModelSource
 */
export function expectFailures(source) {
  for (const part of partsOf(source)) if (isPromise(part)) part.then(null, () => {});
}

/**
 * Cancels the responses and streams in a source, which would go on being downloaded.
 * @param {unknown} source see ModelSource
 */
export function cancelStreams(source) {
  for (const part of partsOf(source)) {
    if (isPromise(part)) {
      part.then(cancelStreams, () => {});
      continue;
    }
    const stream = isResponse(part) ? part.body : part;
    // one that is being read refuses that
    if (isWebStream(stream)) stream.cancel().catch(() => {});
    else if (isIterable(stream)) stream.destroy?.();
  }
}

/** The reason of a failure, which fetch puts into the cause. @param {any} error */
function reasonOf(error) {
  const why = error?.cause?.code || error?.cause?.message;
  return why ? `${error.message} (${why})` : error?.message;
}

/**
 * Reads a whole small file.
 * @param {unknown} source
 * @param {{ signal?: AbortSignal, name?: string, maxBytes: number }} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readAll(source, { signal, name, maxBytes }) {
  const stream = await openSource(source, { signal, name });
  const parts = [];
  let length = 0;
  for (let chunk; (chunk = await stream.read()); parts.push(chunk), length += chunk.length)
    if (length + chunk.length > maxBytes) {
      await stream.cancel();
      refuse('LIMIT', stream.name, `more than ${maxBytes} bytes`, 'less');
    }
  return joined(parts, length);
}
