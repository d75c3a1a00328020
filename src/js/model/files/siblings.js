import { ClearheadError, describe, refuse } from '../../errors.js';
import { read } from '../../check.js';
import { runYielding } from '../../engine/yield.js';
import { absolute } from '../../engine/load.js';
import { isAddress, isPlain, isSource } from '../../kinds.js';
import { parseInSteps } from './json-steps.js';
import { utf8Decoder } from '../../engine/utf8.js';
import { arrived, checkFiles, checkSource, isTemplate, nameOf, readAll } from './source.js';

/**
 * Which files make a model: those given, or those beside the URL of safetensors that have the names
 * of Hugging Face. Only the index of a sharded model names other files, by plain name in its own
 * folder.
 */

/** Limits of config.json and similar files, and of tokenizer.json (Gemma's has 33 MB). */
const JSON_BYTES = 2 ** 22;
const TOKENIZER_BYTES = 2 ** 26;
const SHARDS = 1024;

/**
 * The file of each part of ModelFiles, and whether there must be one.
 * @type {[string, string, boolean][]}
 */
const BESIDE = [
  ['config', 'config.json', true],
  ['tokenizer', 'tokenizer.json', false],
  ['tokenizerConfig', 'tokenizer_config.json', false],
  ['generationConfig', 'generation_config.json', false],
  ['chatTemplate', 'chat_template.jinja', false],
];

/**
 * @typedef {object} Gathered
 * @property {unknown[]} weights
 * @property {Record<string, any>} json by part of ModelFiles
 * @property {Map<string, number>} [shardOf] which of the weights holds a tensor
 */

/** @param {unknown} given @param {AbortSignal} [signal] @returns {Promise<Gathered>} */
export async function gather(given, signal) {
  const source = await arrived(given, 'source', signal);
  if (isSource(source)) return gatherAddress(source, signal);
  const { weights: wanted, ...rest } = read('source', checkFiles(source), [
    'weights',
    'config',
    'tokenizer',
    'tokenizerConfig',
    'generationConfig',
    'chatTemplate',
  ]);
  const weights = await arrived(wanted, 'weights', signal);
  if (weights === undefined || (Array.isArray(weights) && !weights.length))
    refuse('ARG', 'source', 'without weights', '{ weights, config, tokenizer }');
  const found = await gatherWeights(weights, signal);
  if (found.weights.length > SHARDS)
    refuse('LIMIT', 'weights', `${found.weights.length} files`, `at most ${SHARDS}`);
  for (const [part] of BESIDE)
    if (rest[part] !== undefined) found.json[part] = await readPart(part, rest[part], signal);
  return found;
}

/** @param {unknown} weights @param {AbortSignal} [signal] @returns {Promise<Gathered>} */
async function gatherWeights(weights, signal) {
  if (isIndex(weights)) return gatherShards(weights, signal);
  if (!Array.isArray(weights)) return { weights: [checkSource('weights', weights)], json: {} };
  const all = weights.map(async (one, i) => {
    const name = `weights[${i}]`;
    return checkSource(name, await arrived(one, name, signal));
  });
  return { weights: await Promise.all(all), json: {} };
}

/** @param {unknown} source @param {AbortSignal} [signal] @returns {Promise<Gathered>} */
async function gatherAddress(source, signal) {
  if (isAddress(source)) absolute(source, 'source');
  if (!isAddress(source) || !/\.(safetensors|index\.json)([?#]|$)/.test(String(source)))
    return { weights: [checkSource('source', source)], json: {} };
  if (/-of-(?!0*1\.)\d+\.safetensors([?#]|$)/.test(String(source)))
    refuse(
      'ARG',
      'source',
      `${nameOf(source)}, one file of several`,
      'the address of their model.safetensors.index.json',
    );
  const found = isIndex(source)
    ? await gatherShards(source, signal)
    : { weights: [source], json: {} };
  await Promise.all(
    BESIDE.map(async ([part, file, needed]) => {
      const beside = besideOf(source, file);
      try {
        found.json[part] = await readPart(part, beside, signal);
      } catch (/** @type {any} */ error) {
        signal?.throwIfAborted();
        // A server may answer a wrong address with a web page, and hide that from other origins.
        // A server that fails does not tell whether it has the file.
        const absent =
          error.cause?.code === 'ENOENT' ||
          /: status 4(03|04|10)$|web page/.test(error.message) ||
          (part !== 'tokenizer' && !needed && /could not be opened/.test(error.message));
        if (needed && absent)
          throw new ClearheadError(
            error.code,
            `source is safetensors alone (${error.message}); ` +
              'expected config.json beside it, or { weights, config, tokenizer }',
            { cause: error },
          );
        if (needed || !absent) throw error;
      }
    }),
  );
  return found;
}

/**
 * The address of a file in the same folder. It keeps the query, which may grant access.
 * @param {string | URL} source
 * @param {string} file
 */
function besideOf(source, file) {
  const given = absolute(source, 'source');
  return Object.assign(new URL(file, given), { search: given.search });
}

/** @param {unknown} source */
const isIndex = (source) =>
  /\.index\.json([?#]|$)/.test(isAddress(source) ? String(source) : nameOf(source));

/**
 * @param {unknown} source the index of a sharded model
 * @param {AbortSignal} [signal]
 * @returns {Promise<Gathered>}
 */
async function gatherShards(source, signal) {
  if (!isAddress(source))
    refuse(
      'ARG',
      'weights',
      'an index without an address',
      'its URL, or the list of the files it names',
    );
  const { weight_map: map } = await readJson(source, 'the index', JSON_BYTES * 4, signal);
  if (!isPlain(map)) refuse('FORMAT', 'weight_map of the index', describe(map), 'an object');
  const files = [...new Set(Object.values(map))];
  for (const file of files)
    if (typeof file !== 'string' || !/^[\w-][\w.-]*\.safetensors$/.test(file))
      refuse(
        'FORMAT',
        'a file in the index',
        describe(file),
        'the plain name of a .safetensors file beside it',
      );
  if (!files.length || files.length > SHARDS)
    refuse('LIMIT', 'the index', `of ${files.length} files`, `1 to ${SHARDS}`);
  const order = new Map(files.sort().map((file, at) => [file, at]));
  return {
    weights: files.map((file) => besideOf(source, /** @type {string} */ (file))),
    json: {},
    shardOf: new Map(
      Object.entries(map).map(([name, file]) => [name, /** @type {number} */ (order.get(file))]),
    ),
  };
}

/** @param {string} part @param {unknown} given @param {AbortSignal} [signal] */
async function readPart(part, given, signal) {
  const source = await arrived(given, part, signal);
  if (part === 'chatTemplate' && isTemplate(source))
    return source.length <= JSON_BYTES
      ? source
      : refuse('LIMIT', part, `of ${source.length} characters`, `at most ${JSON_BYTES}`);
  if (isAddress(source)) absolute(source, part);
  if (part === 'chatTemplate')
    return utf8(
      await readAll(checkSource(part, source), {
        signal,
        name: 'the chat template',
        maxBytes: JSON_BYTES,
      }),
      'the chat template',
    );
  return isPlain(source)
    ? source
    : readJson(
        checkSource(part, source),
        part,
        part === 'tokenizer' ? TOKENIZER_BYTES : JSON_BYTES,
        signal,
      );
}

/**
 * @param {unknown} source
 * @param {string} part
 * @param {number} maxBytes
 * @param {AbortSignal} [signal]
 */
async function readJson(source, part, maxBytes, signal) {
  const name = nameOf(source, part);
  const text = utf8(await readAll(source, { signal, name, maxBytes }), name);
  if (/^\s*</.test(text))
    throw new ClearheadError('FORMAT', `${name} is a web page (HTML); expected JSON`);
  let json;
  try {
    json = await runYielding(parseInSteps(text), () => signal?.throwIfAborted());
  } catch (/** @type {any} */ cause) {
    signal?.throwIfAborted();
    throw new ClearheadError('FORMAT', `${name} is not JSON: ${cause.message}`, { cause });
  }
  return isPlain(json) ? json : refuse('FORMAT', name, describe(json), 'a JSON object');
}

/** @param {Uint8Array} bytes @param {string} name */
function utf8(bytes, name) {
  const decoder = utf8Decoder({ fatal: true });
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ClearheadError('FORMAT', `${name} is not UTF-8`, { cause });
  }
}
