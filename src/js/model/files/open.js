import { progressListener } from '../../check.js';
import { ClearheadError, refuse } from '../../errors.js';
import { readConfig } from './config.js';
import { gather } from './siblings.js';
import { cancelStreams, expectFailures } from './source.js';
import { Progress, WeightFiles } from './weight-files.js';

/**
 * Opens a model. The headers of its weights and the small files beside them are read and checked.
 * The weights wait in their streams until `stream` passes them on.
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 * @typedef {import('./weight-files.js').Header} Header
 * @typedef {import('./weight-files.js').Part} Part
 */

/**
 * @param {unknown} source see ModelSource
 * @param {import('../types.d.ts').OpenOptions} [options]
 * @returns {Promise<ModelFile>}
 */
export async function openModel(source, { onProgress, signal } = {}) {
  progressListener(onProgress);
  expectFailures(source);
  try {
    return await openFiles(await gather(source, signal), onProgress, signal);
  } catch (error) {
    cancelStreams(source);
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
  const files = new WeightFiles(weights, progress, signal);
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
    // an unknown type of weights matters less than an architecture that is not supported
    if (json.config && /type of/.test(error?.message)) checkArchitecture(json);
    throw error;
  }
}

/** Refuses an architecture that is not supported. @param {ModelFile['json']} json */
function checkArchitecture(json) {
  try {
    readConfig(/** @type {ModelFile} */ ({ format: 'safetensors', json }));
  } catch (/** @type {any} */ error) {
    if (/^the architecture is (?!"not given")/.test(error.message)) throw error;
  }
}

/**
 * Beside GGUF there may be a tokenizer, which replaces that of the file, or a chat template.
 * Nothing else would be read.
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
    await reader.pass(tensor.offset - reader.at, `the bytes before ${tensor.name}`);
    const write = wanted(tensor)
      ? (/** @type {number} */ offset, /** @type {Uint8Array} */ chunk) =>
          sink.write(tensor, offset, chunk)
      : undefined;
    await reader.pass(tensor.bytes, tensor.name, write);
  }
  // read to its end, or a browser reports the download as failed; of GGUF, padding may follow
  if (!(await reader.ended()) && format === 'safetensors')
    reader.refuse(
      'FORMAT',
      'the rest of the file',
      'not empty',
      'nothing that follows the last tensor',
    );
}
