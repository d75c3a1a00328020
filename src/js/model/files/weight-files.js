import { ClearheadError } from '../../errors.js';
import { Reader } from './bytes.js';
import { readGguf } from './gguf.js';
import { readSafetensors } from './safetensors.js';
import { isAddress } from '../../kinds.js';
import { openSource } from './source.js';

/**
 * The files of a model's weights: their headers, and the progress of reading them.
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 * @typedef {{ reader: Reader, format: 'gguf' | 'safetensors', metadata: ModelFile['metadata'],
 *   tensors: TensorInfo[] }} Header
 * @typedef {Header & { open: () => Promise<Header> }} Part open: makes it ready to pass its weights
 *   on
 */

/** The files of weights, each of which may be waiting to be read on. */
export class WeightFiles {
  /** @type {Set<import('./source.js').Stream>} */
  #streams = new Set();
  /** Bytes of each, as far as is known. @type {number[]} */
  #totals;

  /** @param {unknown[]} weights @param {Progress} progress @param {AbortSignal} [signal] */
  constructor(weights, progress, signal) {
    this.weights = weights;
    this.progress = progress;
    this.signal = signal;
    this.#totals = new Array(weights.length).fill(NaN);
  }

  /** @param {number} at @param {number} [counted] bytes of it that progress has counted before */
  async #open(at, counted) {
    const { weights, progress, signal } = this;
    const stream = await openSource(weights[at], { signal, name: 'weights' });
    this.#streams.add(stream);
    const before = this.#totals[at];
    if (Number.isNaN(before) && stream.total !== undefined) this.#count(at, stream.total);
    const header = await readHeader(new Reader(progress.counting(stream, counted)));
    // a source may not say its length, or say that of compressed bytes; the last tensor has an end
    const ends = header.tensors.map(({ offset, bytes }) => offset + bytes);
    this.#count(
      at,
      ends.reduce((a, b) => Math.max(a, b), stream.total ?? header.reader.at),
    );
    return { stream, header };
  }

  /** Notes the bytes of a file. @param {number} at @param {number} bytes */
  #count(at, bytes) {
    this.#totals[at] = bytes;
    const total = this.#totals.reduce((a, b) => a + b);
    this.progress.total = Number.isNaN(total) ? undefined : total;
  }

  /**
   * A file whose header has been read. One of several addresses is closed then and opened again
   * when its weights are read. Browsers have at most six connections to a server, and servers do
   * not wait while the files before it are read.
   * @param {number} at
   * @returns {Promise<Part>}
   */
  async part(at) {
    const before = this.progress.loaded;
    const { stream, header } = await this.#open(at);
    const received = this.progress.loaded - before;
    if (this.weights.length === 1 || !isAddress(this.weights[at]))
      return { ...header, open: async () => header };
    await stream.cancel();
    this.#streams.delete(stream);
    header.reader.drop();
    const open = async () => {
      const { header: now } = await this.#open(at, received);
      if (JSON.stringify(now.tensors) !== JSON.stringify(header.tensors))
        throw new ClearheadError('INTEGRITY', `${stream.name} has changed meanwhile`);
      return now;
    };
    return { ...header, open };
  }

  async cancel() {
    await Promise.all([...this.#streams].map((stream) => stream.cancel()));
  }
}

/** Bytes received, from all files together. */
export class Progress {
  loaded = 0;
  /** @type {number | undefined} */
  total;
  /** Bytes that were reported last. */
  #reported = -1;
  /** The total that was reported last. @type {number | undefined} */
  #reportedTotal;

  /** @param {((progress: import('../types.d.ts').LoadProgress) => void) | undefined} listener */
  constructor(listener) {
    this.listener = listener;
  }

  report() {
    // padding may follow the last tensor
    if (this.total !== undefined) this.total = Math.max(this.total, this.loaded);
    if (this.loaded === this.#reported && this.total === this.#reportedTotal) return;
    [this.#reported, this.#reportedTotal] = [this.loaded, this.total];
    this.listener?.(
      this.total === undefined
        ? { loaded: this.loaded }
        : { loaded: this.loaded, total: this.total },
    );
  }

  /**
   * @param {import('./source.js').Stream} stream
   * @param {number} [counted] bytes at its beginning that are counted already
   * @returns {import('./source.js').Stream}
   */
  counting(stream, counted = 0) {
    let received = 0;
    const read = async (/** @type {Uint8Array<ArrayBuffer> | undefined} */ spare) => {
      const chunk = await stream.read(spare);
      const before = Math.max(received, counted);
      received += chunk?.length ?? 0;
      this.loaded += Math.max(0, received - before);
      if (chunk) this.report();
      return chunk;
    };
    return { ...stream, read };
  }
}

/** @param {Reader} reader @returns {Promise<Header>} */
async function readHeader(reader) {
  await reader.need(9, 'the beginning');
  const start = reader.peek();
  const text = String.fromCharCode(...start.subarray(0, 1024));
  if (text.startsWith('GGUF')) return { reader, format: 'gguf', ...(await readGguf(reader)) };
  if (text[8] === '{') {
    return {
      reader,
      format: 'safetensors',
      metadata: new Map(),
      tensors: await readSafetensors(reader),
    };
  }
  return reader.refuse('FORMAT', 'the file', lookOf(text), 'GGUF or safetensors');
}

/** The likely kind of a file that is no model. @param {string} text its first characters */
function lookOf(text) {
  if (/^\W{0,4}\s*</.test(text)) return 'a web page (HTML)';
  if (text.startsWith('version https://')) return 'a pointer of Git LFS, not the file itself';
  if (text.startsWith('CLEARTRN')) return 'a checkpoint (for resume of clearhead/train)';
  if (text.startsWith('PK')) return 'a ZIP archive (perhaps of PyTorch)';
  if (/^\x80[\x02-\x05]/.test(text)) return 'a Python pickle';
  if (/^\x1f\x8b/.test(text)) return 'compressed with gzip';
  if (/^(lm|tj|fm)gg/.test(text)) return 'in a format older than GGUF';
  if (/^\s*[{[]/.test(text)) return 'JSON';
  return `something else, beginning ${JSON.stringify(text.slice(0, 9))}`;
}
