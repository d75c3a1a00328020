/**
 * Small language models, with every head in view.
 *
 *     const model = await loadModel(new URL('smollm2-135m-q8_0.gguf', import.meta.url));
 *     for await (const { text, heads } of model.generate('Once upon a time', { observe: 'stats' }))
 *     …
 *
 * Files are opened in files/, text becomes tokens in text/, logits become a token in sampling/. A
 * model runs in run/: model.js calls decoder.js, which calls decoder.h. The public types are in
 * api.d.ts and types.d.ts.
 */
import { TYPES } from '../attention/cache.js';
import { abortSignal, choice, integer, read } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import { init } from '../index.js';
import { atMost } from '../names.js';
import { memories } from '../engine/memory.js';
import { now } from '../engine/platform.js';
import { readConfig } from './files/config.js';
import { tableBytes } from './run/make-decoder.js';
import { Model } from './run/model.js';
import { openModel } from './files/open.js';
import { expectFailures } from './files/source.js';
import { ADDRESSES, Packing } from './run/packing.js';
import { cacheBytes } from './run/cache-bytes.js';
import { openTemplate } from './text/template.js';
import { matchTensors } from './files/tensors.js';
import { endsOf, openTokenizer } from './text/tokenizer.js';

export { ClearheadError };

/** Positions of the context, unless another number is given or the model was made for fewer. */
const CONTEXT = 2048;

/** Bytes that passes through the model and the caller's tensors may need. */
const PASS = 2 ** 28;

/**
 * @param {import('./types.d.ts').ModelSource} source
 * @param {import('./api.d.ts').LoadOptions} [options]
 * @param {unknown[]} more none
 * @returns {Promise<import('./api.d.ts').Model>}
 */
export async function loadModel(source, options, ...more) {
  atMost('loadModel', [source, options, ...more], 2);
  const o = read('options', options, [
    'engine',
    'onProgress',
    'signal',
    'quantize',
    'context',
    'cacheType',
  ]);
  const { onProgress } = o;
  const signal = abortSignal(o.signal);
  expectFailures(source);
  const q8 = choice('quantize', o.quantize, 'none', 'q8') === 1;
  choice('cacheType', o.cacheType, ...TYPES);
  if (o.context !== undefined) integer('context', o.context, 1);
  const memory = memoryOf(o.engine ?? (await init({ layers: true })));
  const started = now();
  const file = await openModel(source, { onProgress, signal });
  /** @type {Packing | undefined} */
  let packing;
  try {
    const config = readConfig(file);
    const tensors = matchTensors(config, file);
    const context = contextOf(config, o.context);
    const beside = cacheBytes(memory, config, context, o.cacheType) + tableBytes(config, context);
    const tokenizer = await openTokenizer(file, signal);
    const template = tokenizer && (await openTemplate(file, tokenizer));
    const wanted = new Set(namesOf(tensors, () => true));
    const used = file.tensors.filter(({ name }) => wanted.has(name));
    packing = makePacking(memory, config, tensors, total(used, bytesOf), q8, beside);
    // before weights are read in vain; other data in the engine may be disposed of meanwhile
    if (packing.expected + beside > ADDRESSES)
      refuse(
        'LIMIT',
        'context',
        context,
        'fewer positions: weights, cache and tables have 4 GiB together',
      );
    await file.stream(packing, ({ name }) => wanted.has(name));
    signal?.throwIfAborted();
    packing.finish();
    const { at } = packing;
    const addresses = mapTensors(tensors, (tensor) => /** @type {number} */ (at.get(tensor.name)));
    return new Model(memory, config, packing, addresses, {
      tokenizer,
      template,
      ends: tokenizer?.ends ?? endsOf(file),
      cacheType: o.cacheType,
      context,
      info: {
        format: file.format,
        types: countTypes(used),
        quantized: q8,
        weightBytes: packing.bytes,
        parameters: total(used, numbersOf),
        loadMilliseconds: now() - started,
      },
    }).publicView();
  } catch (error) {
    packing?.dispose();
    await file.cancel();
    throw error;
  }
}

/** The memory of an engine that has layers. @param {unknown} engine */
function memoryOf(engine) {
  const memory = memories.get(/** @type {object} */ (engine));
  if (!memory?.c.attn_matmul)
    return refuse(
      'ARG',
      'engine',
      memory ? 'without layers' : describe(engine),
      'one of init({ layers: true }), and no proxy of it',
    );
  return memory;
}

/**
 * The number of positions that the caches will have.
 * @param {import('./types.d.ts').ModelConfig} config
 * @param {number} [asked]
 */
function contextOf(config, asked) {
  if (asked !== undefined && asked > config.context)
    refuse('RANGE', 'context', asked, `at most ${config.context}, which the model was made for`);
  return asked ?? Math.min(config.context, CONTEXT);
}

/**
 * Receives the weights of a model.
 * @param {import('../engine/memory.js').Memory} memory
 * @param {import('./types.d.ts').ModelConfig} config
 * @param {Tensors} tensors
 * @param {number} weights their bytes in the file
 * @param {boolean} q8
 * @param {number} beside bytes of caches and tables
 */
function makePacking(memory, config, tensors, weights, q8, beside) {
  const norms = new Set(namesOf(tensors, (role) => /norm/i.test(role)));
  return new Packing(memory, weights, {
    q8,
    offset: ({ name }) => (norms.has(name) ? config.normOffset : 0),
    beside: beside + PASS,
    lookedUp: tensors.output && tensors.embedding.name,
  });
}

/**
 * @param {import('./types.d.ts').ModelSource} source
 * @param {{ signal?: AbortSignal }} [options]
 * @param {unknown[]} more none
 * @returns {Promise<import('./api.d.ts').ModelInspection>}
 */
export async function inspectModel(source, options, ...more) {
  atMost('inspectModel', [source, options, ...more], 2);
  const signal = abortSignal(read('options', options, ['signal']).signal);
  const file = await openModel(source, { signal });
  try {
    const config = readConfig(file);
    matchTensors(config, file);
    const tokenizer = await openTokenizer(file, signal);
    const template = tokenizer && (await openTemplate(file, tokenizer));
    const { format, tensors } = file;
    return {
      format,
      config,
      tensors,
      types: countTypes(tensors),
      vocabulary: tokenizer?.size ?? 0,
      hasTemplate: template?.error === null,
      parameters: total(tensors, numbersOf),
      bytes: total(tensors, bytesOf),
      cacheBytes: 1024 * config.layers * config.kvHeads * config.headDim * 2 * 4,
    };
  } finally {
    await file.cancel();
  }
}

/**
 * @typedef {import('./types.d.ts').TensorInfo} TensorInfo
 * @typedef {import('./types.d.ts').ModelTensors<TensorInfo>} Tensors
 */

/**
 * The same table with values computed from its tensors, 0 where the model has no such tensor.
 * @param {Tensors} tensors
 * @param {(tensor: TensorInfo) => number} f
 * @returns {import('./types.d.ts').ModelTensors<number>}
 */
function mapTensors(tensors, f) {
  const each = (/** @type {object} */ table) =>
    Object.fromEntries(
      Object.entries(table)
        .filter(([role]) => role !== 'layers')
        .map(([role, tensor]) => [role, tensor ? f(tensor) : 0]),
    );
  const mapped = { ...each(tensors), layers: tensors.layers.map(each) };
  return /** @type {import('./types.d.ts').ModelTensors<number>} */ (
    /** @type {unknown} */ (mapped)
  );
}

/** @param {Tensors} tensors @param {(role: string) => boolean} which */
const namesOf = (tensors, which) =>
  [tensors, ...tensors.layers]
    .flatMap((table) => Object.entries(table))
    .flatMap(([role, tensor]) => (tensor?.name && which(role) ? [tensor.name] : []));

/** @param {TensorInfo} tensor */
const bytesOf = ({ bytes }) => bytes;

/** @param {TensorInfo} tensor */
const numbersOf = ({ shape }) => shape.reduce((a, b) => a * b, 1);

/** @param {readonly TensorInfo[]} tensors @param {(tensor: TensorInfo) => number} f */
const total = (tensors, f) => tensors.reduce((sum, tensor) => sum + f(tensor), 0);

/** How many tensors there are of each type. @param {readonly TensorInfo[]} tensors */
function countTypes(tensors) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { type } of tensors) counts[type] = (counts[type] ?? 0) + 1;
  return Object.freeze(counts);
}
