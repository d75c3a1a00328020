import { ClearheadError, describe, refuse } from '../../errors.js';
import { Reader } from './bytes.js';
import { readConfig } from './config.js';
import { readGguf } from './gguf.js';
import { lost } from './missing.js';
import { gather } from './siblings.js';
import { isAddress, leave, openSource } from './source.js';

/**
 * Opens a model: the headers of its weights are read and checked, and the small files beside them;
 * the weights wait in their streams until `stream` passes them on.
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 * @typedef {{ reader: Reader, format: 'gguf' | 'safetensors', metadata: ModelFile['metadata'],
 *   tensors: TensorInfo[] }} Header
 * @typedef {Header & { open: () => Promise<Header> }} Part open: makes it ready to pass its weights
 *   on
 */

/**
 * @param {any} source see ModelSource
 * @param {import('../types.d.ts').OpenOptions} [options]
 * @returns {Promise<ModelFile>}
 */
export async function openModel(source, { onProgress, signal } = {}) {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    refuse('ARG', 'onProgress', describe(onProgress), 'a function');
  try {
    return await openFiles(await gather(source, signal), onProgress, signal);
  } catch (error) {
    leave(source);
    throw error;
  }
}

/**
 * @param {import('./siblings.js').Gathered} gathered
 * @param {import('../types.d.ts').OpenOptions['onProgress']} onProgress
 * @param {AbortSignal} [signal]
 * @returns {Promise<ModelFile>}
 */
async function openFiles({ weights, json, shardOf }, onProgress, signal) {
  const progress = new Progress(onProgress);
  const files = new Files(weights, progress, signal);
  const cancel = () => files.cancel();
  /** @type {Part[]} */
  const parts = [];
  try {
    for (const at of weights.keys()) parts.push(await files.part(at));
    const { format } = parts[0];
    if (parts.length > 1 && parts.some((part) => part.format !== 'safetensors'))
      refuse(
        'FORMAT',
        'weights',
        'several files, some of them GGUF',
        'one GGUF file, or safetensors',
      );
    if (format === 'safetensors' && !json.config)
      refuse(
        'ARG',
        'source',
        'safetensors alone',
        '{ weights, config, tokenizer }, or the URL of the weights with config.json beside it',
      );
    if (format === 'gguf') checkBeside(json);
    const tensors = united(parts, shardOf);
    let streamed = false;
    return {
      format,
      metadata: parts[0].metadata,
      json,
      tensors,
      total: progress.total,
      cancel,
      async stream(sink, wanted = () => true) {
        if (streamed)
          refuse('ARG', 'stream', 'called again', 'one call: the weights have been read');
        streamed = true;
        try {
          for (const part of parts) await passOn(await part.open(), sink, wanted);
        } finally {
          await cancel();
        }
        progress.report();
      },
    };
  } catch (/** @type {any} */ error) {
    await cancel();
    // that weights are of an odd type does not matter where the architecture is none of ours
    const other =
      /type of/.test(error?.message) &&
      json.config &&
      (await readConfig(/** @type {any} */ ({ format: 'safetensors', json })).catch(
        (cause) => cause,
      ));
    throw /^the architecture is (?!"not given")/.test(other?.message) ? other : error;
  }
}

/** The files of weights, each of which may be waiting to be read on. */
class Files {
  /** @type {Set<import('./source.js').Stream>} */
  #streams = new Set();
  /** Bytes of each, as far as is known. @type {number[]} */
  #totals;

  /** @param {any[]} weights @param {Progress} progress @param {AbortSignal} [signal] */
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
    this.#totals[at] = stream.total ?? NaN;
    const total = this.#totals.reduce((a, b) => a + b);
    progress.total = Number.isNaN(total) ? undefined : total;
    return { stream, header: await readHeader(new Reader(progress.counting(stream, counted))) };
  }

  /**
   * A file whose header has been read. One of several addresses is left then, and opened again when
   * its turn comes: browsers have no more than six connections to a server, and servers do not wait
   * for as long as the files before it may take.
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
class Progress {
  loaded = 0;
  /** @type {number | undefined} */
  total;
  /** What the listener has been told. */
  #told = -1;
  /** @type {number | undefined} */
  #of;

  /** @param {((progress: import('../types.d.ts').LoadProgress) => void) | undefined} listener */
  constructor(listener) {
    this.listener = listener;
  }

  report() {
    if (this.loaded === this.#told && this.total === this.#of) return;
    [this.#told, this.#of] = [this.loaded, this.total];
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
    // what a GGUF file does without
    const { readSafetensors } = await import('./safetensors.js').catch(lost('safetensors.js'));
    return {
      reader,
      format: 'safetensors',
      metadata: new Map(),
      tensors: await readSafetensors(reader),
    };
  }
  return reader.refuse('FORMAT', 'the file', lookOf(text), 'GGUF or safetensors');
}

/**
 * What is given beside GGUF is a tokenizer, which wins over its own, or a chat template; anything
 * else would go unread.
 * @param {ModelFile['json']} json
 */
function checkBeside(json) {
  for (const part of ['config', ...(json.tokenizer ? [] : ['tokenizerConfig', 'generationConfig'])])
    if (Object.hasOwn(json, part))
      refuse(
        'ARG',
        part,
        `given beside GGUF${part === 'config' ? '' : ' without tokenizer'}`,
        'none: the file says it itself',
      );
}

/** What a file that is no model seems to be. @param {string} text its first characters */
function lookOf(text) {
  if (/^\W{0,4}\s*</.test(text)) return 'a web page (HTML)';
  if (text.startsWith('version https://')) return 'a pointer of Git LFS, not the file itself';
  if (text.startsWith('PK')) return 'a ZIP archive (perhaps of PyTorch)';
  if (/^\x80[\x02-\x05]/.test(text)) return 'a Python pickle';
  if (text.startsWith('\x1f\x8b')) return 'compressed with gzip';
  if (/^(lm|tj|fm)gg/.test(text)) return 'in a format older than GGUF';
  if (/^\s*[{[]/.test(text)) return 'JSON';
  return `something else, beginning ${JSON.stringify(text.slice(0, 9))}`;
}

/**
 * All tensors; names are unique over the files, and where an index says.
 * @param {Part[]} parts
 * @param {Map<string, number>} [shardOf]
 */
function united(parts, shardOf) {
  const names = new Set();
  for (const [shard, { reader, tensors }] of parts.entries())
    for (const { name } of tensors) {
      if (names.has(name)) reader.refuse('FORMAT', `the tensor ${name}`, 'in two files', 'in one');
      if (shardOf && shardOf.get(name) !== shard)
        reader.refuse('FORMAT', `the tensor ${name}`, 'not where the index says', 'the same');
      names.add(name);
    }
  for (const name of shardOf?.keys() ?? [])
    if (!names.has(name))
      throw new ClearheadError('FORMAT', `the index names ${name}, which no file has`);
  return parts.flatMap((part) => part.tensors);
}

/**
 * @param {Header} part
 * @param {import('../types.d.ts').WeightSink} sink
 * @param {(tensor: TensorInfo) => boolean} wanted
 */
async function passOn({ reader, format, tensors }, sink, wanted) {
  for (const tensor of tensors) {
    await reader.pass(tensor.offset - reader.at, `what comes before ${tensor.name}`);
    const write = wanted(tensor)
      ? (/** @type {number} */ offset, /** @type {Uint8Array} */ chunk) =>
          sink.write(tensor, offset, chunk)
      : undefined;
    await reader.pass(tensor.bytes, tensor.name, write);
  }
  // read to its end, or a browser reports the download as failed; of GGUF, padding may follow
  if (!(await reader.ended()) && format === 'safetensors')
    reader.refuse('FORMAT', 'what follows the last tensor', 'more data', 'the end of the file');
}
