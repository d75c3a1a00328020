import { bytesOfView } from '../../arrays.js';
import { ClearheadError, describe, refuse } from '../../errors.js';
import { absolute } from '../../engine/load.js';
import {
  isAddress,
  isArrayBuffer,
  isBlob,
  isIterable,
  isResponse,
  isWebStream,
} from '../../kinds.js';
import { nodeModule } from '../../engine/node.js';

/**
 * The bytes of each kind of source as they come, without checks.
 * @typedef {Omit<import('./source.js').Stream, 'name'>} RawStream
 * @typedef {ReadableStream<Uint8Array<ArrayBuffer>>} Bytes
 */

/** Bytes that are passed on at once, so that an abort never waits long. */
export const MAX_PIECE = 2 ** 20;

/**
 * Memory for a piece. It is used again, since browsers are slow to collect hundreds of pieces.
 * @param {(Uint8Array<ArrayBuffer> | undefined)[]} spares
 */
function pieceOf(...spares) {
  const found = spares.find((spare) => spare?.buffer.byteLength === MAX_PIECE);
  return found ? new Uint8Array(found.buffer) : new Uint8Array(MAX_PIECE);
}

/**
 * @param {unknown} source see FileSource
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<RawStream>}
 */
export async function rawStream(source, name, signal) {
  if (ArrayBuffer.isView(source)) return fromBytes(bytesOfView(source));
  if (isArrayBuffer(source)) return fromBytes(new Uint8Array(source));
  if (isBlob(source))
    return typeof source.stream === 'function'
      ? fromStream(source.stream(), source.size, true)
      : fromBytes(new Uint8Array(await contentOf(source)));
  if (isAddress(source)) {
    const url = absolute(source, name);
    return url.protocol === 'file:'
      ? fromPath(url, name)
      : fromResponse(await fetch(url, { signal }), name);
  }
  if (isResponse(source)) return fromResponse(source, name);
  if (isWebStream(source)) {
    if (source.locked) refuse('ARG', name, 'a stream that is being read', 'a fresh one');
    return fromStream(source, undefined, false);
  }
  if (isIterable(source)) return fromIterable(source);
  return refuse('ARG', 'source', describe(source), 'a URL, a Blob, a Response, a stream or bytes');
}

/**
 * All of a Blob that has no stream, as in jsdom.
 * @param {Blob} blob
 * @returns {Promise<ArrayBuffer>}
 */
function contentOf(blob) {
  if (typeof blob.arrayBuffer === 'function') return blob.arrayBuffer();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(/** @type {ArrayBuffer} */ (reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
}

/**
 * The bytes of a piece that a stream brought.
 * @param {unknown} piece
 * @returns {Uint8Array<ArrayBuffer>}
 */
function bytesOf(piece) {
  if (ArrayBuffer.isView(piece)) return bytesOfView(piece);
  if (isArrayBuffer(piece)) return new Uint8Array(piece);
  return refuse('FORMAT', 'a piece of the stream', describe(piece), 'bytes');
}

/** A stream of Node's, or another iterable. @param {any} source @returns {RawStream} */
function fromIterable(source) {
  const pieces = source[Symbol.asyncIterator]();
  return {
    total: undefined,
    exact: false,
    async read() {
      const { done, value } = await pieces.next();
      return done ? null : bytesOf(value);
    },
    async cancel() {
      source.destroy?.();
      await pieces.return?.();
    },
  };
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {RawStream} */
function fromBytes(bytes) {
  const remaining = bytes.length ? [bytes] : [];
  return {
    total: bytes.length,
    exact: true,
    read: async () => remaining.pop() ?? null,
    cancel: async () => void remaining.pop(),
  };
}

/** @param {Response} response @param {string} name */
function fromResponse(response, name) {
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
  const used = bodyUsed || body?.locked;
  if (used || !body)
    refuse(
      'ARG',
      name,
      used ? 'a Response that has been read' : 'a Response without a body',
      'a fresh one',
    );
  const encoded = !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');
  const length = headers.get('content-length') ?? '';
  const total = !encoded && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  // across origins the header is hidden, and the length may be that of compressed bytes
  return fromStream(/** @type {Bytes} */ (body), total, total !== undefined && type !== 'cors');
}

/**
 * @param {Bytes} stream
 * @param {number | undefined} total
 * @param {boolean} exact
 * @returns {RawStream}
 */
function fromStream(stream, total, exact) {
  const { reader, fills } = readerOf(stream);
  /** @type {Uint8Array<ArrayBuffer> | undefined} */
  let idle;
  return {
    total,
    exact,
    async read(spare) {
      for (;;) {
        const { done, value } = await reader.read(fills ? pieceOf(spare, idle) : undefined);
        if (done) {
          idle = undefined;
          return null;
        }
        if (!fills) {
          const bytes = bytesOf(value);
          if (bytes.length) return bytes;
          continue;
        }
        if (value.length && spare) return value;
        // a copy, so that a few bytes do not keep the whole piece alive
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
 * A reader, and whether it fills memory that it is given; not all streams do.
 * @param {Bytes} stream
 * @returns {{ reader: any, fills: boolean }}
 */
function readerOf(stream) {
  try {
    return { reader: stream.getReader({ mode: 'byob' }), fills: true };
  } catch {
    return { reader: stream.getReader(), fills: false };
  }
}

/** @param {URL} url @param {string} name @returns {Promise<RawStream>} */
async function fromPath(url, name) {
  const fs = await nodeModule('fs').catch((cause) => {
    throw new ClearheadError(
      'NET',
      `${name} lies on this machine, and pages and workers cannot open such an address; expected ` +
        'a File that the user chose, bytes, or an address on a server',
      { cause },
    );
  });
  const file = await fs.promises.open(url);
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
      const { bytesRead, buffer } = await file.read(pieceOf(spare), 0, MAX_PIECE);
      if (bytesRead) return buffer.subarray(0, bytesRead);
      await close();
      return null;
    },
    cancel: close,
  };
}
