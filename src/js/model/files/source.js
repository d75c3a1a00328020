import { ClearheadError, describe, refuse } from '../../errors.js';
import { NODE, absolute } from '../../engine/load.js';
import { joined } from './bytes.js';
import { turns } from '../../engine/yield.js';

/**
 * From any source to a stream of bytes. Nothing is cached here, so an interrupted download leaves
 * nothing behind; what a browser caches by itself it caches when it is complete.
 * @typedef {object} Stream
 * @property {string} name what errors call it
 * @property {number} [total] bytes, as the source says
 * @property {boolean} exact whether `total` can be relied upon: a server may count compressed bytes
 * @property {(spare?: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer> | null>} read the
 *   next bytes, null at the end. Who gives
 *   bytes read before, of which nothing is needed any more, lets their memory be used again, and
 *   will do so with these, whose memory may be larger
 * @property {() => Promise<void>} cancel
 */

/** How much is passed on at a time, at most, so that aborting never waits long. */
const PIECE = 2 ** 20;

/**
 * Room for a piece: a browser is slow to collect the garbage that hundreds of them would be.
 * @param {(Uint8Array<ArrayBuffer> | undefined)[]} spares
 */
function room(...spares) {
  const found = spares.find((spare) => spare?.buffer.byteLength === PIECE);
  return found ? new Uint8Array(found.buffer) : new Uint8Array(PIECE);
}

/** @param {any} source @param {string} [name] */
export function nameOf(source, name = 'the file') {
  if (typeof source === 'string' || source instanceof URL) return shortened(String(source));
  if (typeof Response === 'function' && source instanceof Response)
    return shortened(source.url || name);
  return typeof source?.name === 'string' && source.name ? shortened(source.name) : name;
}

/** @param {string} address */
const shortened = (address) => address.replace(/[?#].*$/s, '').slice(-80);

/** @param {any} x */
export const isAddress = (x) => typeof x === 'string' || x instanceof URL;

/**
 * @param {any} source see FileSource @param {{ signal?: AbortSignal, name?: string }} [options]
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
  /** What a source brought beyond a piece. @type {Uint8Array<ArrayBuffer> | undefined} */
  let rest;
  const stop = () => void raw.cancel().catch(() => {});
  signal?.addEventListener('abort', stop, { once: true });
  // it may have been aborted while the source was opened
  if (signal?.aborted) stop();
  const close = () => signal?.removeEventListener('abort', stop);
  const turn = turns();
  /** @param {Uint8Array<ArrayBuffer>} [spare] */
  const next = async (spare) => {
    let chunk;
    try {
      chunk = await raw.read(spare);
    } catch (/** @type {any} */ cause) {
      close();
      signal?.throwIfAborted();
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
      await turn(); // bytes that are there already leave nobody else a moment
      signal?.throwIfAborted();
      const chunk = rest ?? (await next(spare));
      rest = chunk && chunk.length > PIECE ? chunk.subarray(PIECE) : undefined;
      return chunk && chunk.subarray(0, PIECE);
    },
    async cancel() {
      rest = undefined;
      close();
      await raw.cancel().catch(() => {});
    },
  };
}

/**
 * Lets go of downloads that were given, or they go on until they are read.
 * @param {any} source see ModelSource
 */
export function leave(source) {
  const parts =
    source && Object.getPrototypeOf(source) === Object.prototype
      ? Object.values(source).flat()
      : [source];
  // which one that is being read refuses
  for (const one of parts)
    if (typeof Response === 'function' && one instanceof Response)
      one.body?.cancel().catch(() => {});
}

/** What failed; fetch itself says no more than that it did. @param {any} error */
function reasonOf(error) {
  const why = error?.cause?.code || error?.cause?.message;
  return why ? `${error.message} (${why})` : error?.message;
}

/**
 * @param {any} source
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<Omit<Stream, 'name'>>}
 */
async function rawStream(source, name, signal) {
  if (ArrayBuffer.isView(source))
    return ofBytes(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  if (source instanceof ArrayBuffer) return ofBytes(new Uint8Array(source));
  if (source instanceof Blob) return ofStream(source.stream(), source.size, true);
  if (isAddress(source)) {
    const url = absolute(source, name);
    return url.protocol === 'file:' ? ofPath(url) : ofResponse(await fetch(url, { signal }), name);
  }
  if (source instanceof Response) return ofResponse(source, name);
  return refuse('ARG', 'source', describe(source), 'a URL, a Blob, a Response or bytes');
}

/** @param {any} bytes @returns {Omit<Stream, 'name'>} */
function ofBytes(bytes) {
  const left = bytes.length ? [bytes] : [];
  return {
    total: bytes.length,
    exact: true,
    read: async () => left.pop() ?? null,
    cancel: async () => void left.pop(),
  };
}

/** @param {Response} response @param {string} name */
function ofResponse(response, name) {
  const { status, headers, body, bodyUsed, type } = response;
  if (!response.ok)
    throw new ClearheadError('NET', `${name} could not be fetched: status ${status}`);
  if (/^text\/html\b/i.test(headers.get('content-type') ?? '')) {
    void body?.cancel().catch(() => {});
    throw new ClearheadError(
      'FORMAT',
      `${name} is a web page (HTML), not a model file; is the address right?`,
    );
  }
  if (bodyUsed || !body)
    refuse(
      'ARG',
      name,
      bodyUsed ? 'a Response that has been read' : 'a Response without a body',
      'a fresh one',
    );
  const encoded = !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');
  const length = headers.get('content-length') ?? '';
  const total = !encoded && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  // across origins the header that would say so is hidden, and the length may be that of compressed
  // bytes
  return ofStream(/** @type {any} */ (body), total, total !== undefined && type !== 'cors');
}

/**
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @param {number | undefined} total
 * @param {boolean} exact
 * @returns {Omit<Stream, 'name'>}
 */
function ofStream(stream, total, exact) {
  const { reader, fills } = readerOf(stream);
  /** @type {Uint8Array<ArrayBuffer> | undefined} */
  let idle;
  return {
    total,
    exact,
    async read(spare) {
      for (;;) {
        const { done, value } = await reader.read(fills ? room(spare, idle) : undefined);
        if (done) {
          idle = undefined;
          return null;
        }
        if (value.length && (!fills || spare)) return value;
        // a few bytes that are kept must not keep all of the room
        idle = value;
        if (value.length) return value.slice();
      }
    },
    cancel() {
      idle = undefined;
      return reader.cancel();
    },
  };
}

/**
 * Whether it fills memory that it is given depends on the stream.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @returns {{ reader: any, fills: boolean }}
 */
function readerOf(stream) {
  try {
    return { reader: stream.getReader({ mode: 'byob' }), fills: true };
  } catch {
    return { reader: stream.getReader(), fills: false };
  }
}

/** @param {URL} url @returns {Promise<Omit<Stream, 'name'>>} */
async function ofPath(url) {
  const { open } = await import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}fs/promises`);
  const file = await open(url);
  const stat = await file.stat();
  /** @type {Promise<void> | undefined} */
  let closed;
  const close = () => (closed ??= file.close());
  if (!stat.isFile()) {
    await close();
    throw new Error('not a file; of a folder, name the file in it');
  }
  return {
    total: stat.size,
    exact: true,
    async read(spare) {
      if (closed) return null;
      const { bytesRead, buffer } = await file.read(room(spare), 0, PIECE);
      if (bytesRead) return buffer.subarray(0, bytesRead);
      await close();
      return null;
    },
    cancel: close,
  };
}

/**
 * A whole small file.
 * @param {any} source
 * @param {{ signal?: AbortSignal, name?: string, most: number }} options
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readAll(source, { signal, name, most }) {
  const stream = await openSource(source, { signal, name });
  const parts = [];
  let length = 0;
  for (let chunk; (chunk = await stream.read()); parts.push(chunk), length += chunk.length)
    if (length + chunk.length > most) {
      await stream.cancel();
      refuse('LIMIT', stream.name, `more than ${most} bytes`, 'less');
    }
  return joined(parts, length);
}
