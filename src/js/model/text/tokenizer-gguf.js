import { describe, refuse } from '../../errors.js';
import { byteLevel } from './bpe.js';
import { makeTokenizer } from './make-tokenizer.js';
import { COMPOSED, normalForm } from './normalizer.js';
import { NAMES, WAYS } from './pretokenize.js';
import { Finder } from './special.js';
import { sentencePiece } from './spm.js';
import {
  BYTE,
  CONTROL,
  NORMAL,
  UNKNOWN,
  UNUSED,
  USER,
  Vocabulary,
  byteOf,
  filledUp,
} from './vocabulary.js';

/** The tokenizer in the metadata of a GGUF file. */

const MAX_TOKENS = 2 ** 22;
const MAX_TOKEN_LENGTH = 1024;

/** The texts of the tokens, as the file has them. @param {unknown} texts @returns {string[]} */
function textsOf(texts) {
  if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string'))
    refuse('FORMAT', 'tokenizer.ggml.tokens', describe(texts), 'an array of strings');
  const given = /** @type {string[]} */ (texts);
  const size = given.length;
  if (!size || size > MAX_TOKENS)
    refuse('LIMIT', 'tokenizer.ggml.tokens', `${size} long`, `1 to ${MAX_TOKENS} tokens`);
  const long = given.findIndex((text) => text.length > MAX_TOKEN_LENGTH);
  if (long >= 0)
    refuse(
      'LIMIT',
      `token ${long}`,
      `${given[long].length} characters long`,
      `at most ${MAX_TOKEN_LENGTH}`,
    );
  return given;
}

/**
 * Readers of the ids and flags in the metadata.
 * @param {(key: string) => unknown} get
 * @param {number} size the number of tokens in the file
 */
function readers(get, size) {
  /**
   * An id, −1 for none. Some files write that as 2^32 − 1.
   * @param {string} name
   * @param {number} [otherwise]
   */
  const id = (name, otherwise = -1) => {
    const value = get(`${name}_token_id`) ?? otherwise;
    if (value === 0xffffffff || value === -1) return -1;
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < size
      ? value
      : refuse('FORMAT', `tokenizer.ggml.${name}_token_id`, describe(value), `an id below ${size}`);
  };
  /** @param {string} name @param {boolean} otherwise */
  const flag = (name, otherwise) => {
    const value = get(name) ?? otherwise;
    return typeof value === 'boolean'
      ? value
      : refuse('FORMAT', `tokenizer.ggml.${name}`, describe(value), 'true or false');
  };
  return { id, flag };
}

/**
 * @param {import('../types.d.ts').ModelFile['metadata']} metadata
 * @param {number} [rows] of the embedding
 * @returns {import('../../engine/yield.js').Steps<import('../types.d.ts').Tokenizer>}
 */
export function* ggufTokenizer(metadata, rows) {
  const get = (/** @type {string} */ key) => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  if (model !== 'llama' && model !== 'gpt2')
    refuse('FORMAT', 'tokenizer.ggml.model', describe(model), '"llama" or "gpt2"');
  const given = textsOf(get('tokens'));
  const size = given.length;
  const [tokens, kinds] = filledUp(given, kindsOf(get('token_type'), given), rows);
  const spm = model === 'llama';
  const { id, flag } = readers(get, size);
  const pre = get('pre') ?? 'default';
  const way = typeof pre === 'string' && Object.hasOwn(NAMES, pre) ? NAMES[pre] : undefined;
  const addsSpace = flag('add_space_prefix', spm);
  const vocabulary = new Vocabulary(tokens, kinds, {
    byteLevel: !spm,
    stripsSpace: spm && addsSpace,
  });
  const unknown = id('unknown', spm ? Math.min(0, size - 1) : -1);
  // an unknown way to cut words leaves decoding, and encoding throws
  const encodeText = spm
    ? yield* sentencePiece(vocabulary, scoresOf(get('scores'), size), { unknown, addsSpace })
    : way &&
      (yield* byteLevel(vocabulary, mergesOf(get('merges')), {
        unknown,
        stages: WAYS[way],
        wholeWords: way === 'llama-bpe',
      }));
  // as tokenizer.json of Qwen2 and Qwen3 says
  const isNormalized = pre === 'qwen2';

  const user = new Finder();
  const all = new Finder();
  tokens.forEach((text, at) => {
    if (kinds[at] === USER) user.add(text, at);
    if (kinds[at] === USER || kinds[at] === CONTROL || kinds[at] === UNKNOWN) all.add(text, at);
  });
  const bos = id('bos', -1);
  const eos = id('eos', -1);
  const addsBos = bos >= 0 && flag('add_bos_token', spm || way === 'llama-bpe');
  const addsEos = eos >= 0 && flag('add_eos_token', false);
  return makeTokenizer(vocabulary, {
    bos,
    addsBos,
    ends: [eos, id('eot'), id('eom'), bos],
    shrinks: isNormalized ? COMPOSED : 1,
    *encode(text, special, marks, continued) {
      if (!encodeText)
        return refuse(
          'FORMAT',
          'tokenizer.ggml.pre',
          describe(pre),
          `${Object.keys(NAMES).join(', ')}; or ids, or a tokenizer.json beside the file`,
        );
      const found = marks && addsBos ? [bos] : [];
      // a space is added at the beginning, and after each token that stands for itself
      let first = !continued;
      for (const part of (special ? all : user).split(text)) {
        first = typeof part === 'number' || first;
        if (typeof part === 'number') found.push(part);
        else {
          yield* encodeText(isNormalized ? normalForm(part, 'NFC') : part, found, first);
          first = false;
        }
      }
      if (marks && addsEos) found.push(eos);
      return found;
    },
  });
}

/** The kind of each token. @param {unknown} types @param {string[]} tokens */
function kindsOf(types, tokens) {
  if (types === undefined) return new Uint8Array(tokens.length).fill(NORMAL);
  if (
    !(types instanceof Int32Array || types instanceof Uint32Array) ||
    types.length !== tokens.length
  )
    refuse(
      'FORMAT',
      'tokenizer.ggml.token_type',
      describe(types),
      `${tokens.length} 32-bit integers`,
    );
  return Uint8Array.from(types, (type, at) => {
    if (type < 0 || type > BYTE)
      refuse('FORMAT', `the type of token ${at}`, type, `${NORMAL} to ${BYTE}`);
    if (type === BYTE && byteOf(tokens[at]) < 0)
      refuse('FORMAT', `token ${at}, a byte`, describe(tokens[at]), '<0x00> to <0xFF>');
    return type || UNUSED;
  });
}

/** @param {unknown} scores @param {number} size @returns {Float32Array} */
const scoresOf = (scores, size) =>
  scores instanceof Float32Array && scores.length === size
    ? scores
    : refuse('FORMAT', 'tokenizer.ggml.scores', describe(scores), `${size} 32-bit floats`);

/** @param {unknown} merges @returns {string[]} */
const mergesOf = (merges) =>
  Array.isArray(merges)
    ? merges
    : refuse('FORMAT', 'tokenizer.ggml.merges', describe(merges), 'an array of strings');
