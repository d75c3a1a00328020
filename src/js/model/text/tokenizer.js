import { describe, refuse } from '../../errors.js';
import { read, yes } from '../../check.js';
import { byteLevel } from './bpe.js';
import { missing } from '../files/missing.js';
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

/**
 * Tokenizers: from the metadata of a GGUF file here, from tokenizer.json through
 * @huggingface/tokenizers, which is loaded when it is needed.
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 */

const TOKENS = 2 ** 22;
const TOKEN_LENGTH = 1024;

/**
 * Control tokens that end a turn or a text in known chat formats; files do not always say so. Gemma
 * has an ordinary </s>, of HTML.
 */
const ENDS = new Set([
  '<|eot_id|>',
  '<|eom_id|>',
  '<|im_end|>',
  '<|end|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|end_of_turn|>',
  '</s>',
  '<eos>',
]);

/**
 * The files' tokenizer; without one a model takes and gives ids.
 * @param {ModelFile} file
 * @returns {Promise<Tokenizer | null>}
 */
export async function openTokenizer({ format, metadata, json, tensors }) {
  const rows = tensors.find(
    ({ name }) => name === 'token_embd.weight' || name === 'model.embed_tokens.weight',
  )?.shape[0];
  const get = (/** @type {string} */ key) => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  if (!json.tokenizer)
    return format === 'gguf' && model !== undefined && model !== 'no_vocab'
      ? ggufTokenizer(metadata, rows)
      : null;
  const { jsonTokenizer } = await import('./tokenizer-json.js').catch(
    missing('@huggingface/tokenizers'),
  );
  return jsonTokenizer(
    format === 'gguf'
      ? {
          ...json,
          config: { bos_token_id: get('bos_token_id'), eos_token_id: get('eos_token_id') },
        }
      : json,
    rows,
  );
}

/**
 * Ids that end a text of a model which has no tokenizer to say so.
 * @param {ModelFile} file
 * @returns {ReadonlySet<any>}
 */
export const endsOf = ({ metadata, json }) =>
  new Set(
    [
      metadata.get('tokenizer.ggml.eos_token_id'),
      json.generationConfig?.eos_token_id,
      json.config?.eos_token_id,
    ].flat(),
  );

/**
 * @param {ModelFile['metadata']} metadata
 * @param {number} [rows] of the embedding
 * @returns {Tokenizer}
 */
export function ggufTokenizer(metadata, rows) {
  const get = (/** @type {string} */ key) => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  const texts = get('tokens');
  if (model !== 'llama' && model !== 'gpt2')
    refuse('FORMAT', 'tokenizer.ggml.model', describe(model), '"llama" or "gpt2"');
  if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string'))
    refuse('FORMAT', 'tokenizer.ggml.tokens', describe(texts), 'an array of strings');
  const given = /** @type {string[]} */ (texts);
  const size = given.length;
  if (!size || size > TOKENS)
    refuse('LIMIT', 'tokenizer.ggml.tokens', `${size} long`, `1 to ${TOKENS} tokens`);
  const long = given.findIndex((text) => text.length > TOKEN_LENGTH);
  if (long >= 0)
    refuse(
      'LIMIT',
      `token ${long}`,
      `${given[long].length} characters long`,
      `at most ${TOKEN_LENGTH}`,
    );
  const [tokens, kinds] = filledUp(given, kindsOf(get('token_type'), given), rows);
  const spm = model === 'llama';

  /**
   * An id in the metadata, −1 for none, which some files write as 2^32 − 1.
   * @param {string} name
   * @param {number} [otherwise]
   */
  const id = (name, otherwise = -1) => {
    const value = get(`${name}_token_id`) ?? otherwise;
    if (value === 0xffffffff || value === -1) return -1;
    return Number.isInteger(value) &&
      /** @type {number} */ (value) >= 0 &&
      /** @type {number} */ (value) < size
      ? /** @type {number} */ (value)
      : refuse('FORMAT', `tokenizer.ggml.${name}_token_id`, describe(value), `an id below ${size}`);
  };
  /** @param {string} name @param {boolean} otherwise */
  const flag = (name, otherwise) => {
    const value = get(name) ?? otherwise;
    return typeof value === 'boolean'
      ? value
      : refuse('FORMAT', `tokenizer.ggml.${name}`, describe(value), 'true or false');
  };
  const pre = get('pre') ?? 'default';
  const way = typeof pre === 'string' && Object.hasOwn(NAMES, pre) ? NAMES[pre] : undefined;
  const addsSpace = flag('add_space_prefix', spm);
  const vocabulary = new Vocabulary(tokens, kinds, {
    byteLevel: !spm,
    stripsSpace: spm && addsSpace,
  });
  const unknown = id('unknown', spm ? Math.min(0, size - 1) : -1);
  // how words are cut may be unknown: ids can be read then and texts cannot
  const encodeText = spm
    ? sentencePiece(vocabulary, scoresOf(get('scores'), size), { unknown, addsSpace })
    : way &&
      byteLevel(vocabulary, mergesOf(get('merges')), {
        unknown,
        stages: WAYS[way],
        wholeWords: way === 'llama-bpe',
      });

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
  return tokenizerOf(vocabulary, {
    bos,
    addsBos,
    ends: [eos, id('eot'), id('eom'), bos],
    encode(text, special, marks, continued) {
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
      (special ? all : user).split(
        text,
        (stretch) => {
          for (const one of encodeText(stretch, first)) found.push(one);
          first = false;
        },
        (one) => {
          found.push(one);
          first = true;
        },
      );
      if (marks && addsEos) found.push(eos);
      return found;
    },
  });
}

/**
 * What all tokenizers have in common.
 * @param {Vocabulary} vocabulary
 * @param {{ bos: number, addsBos: boolean, ends: number[], encode: (text: string, special: boolean,
 *   marks: boolean, continued: boolean) => number[] }} own
 * @returns {Tokenizer}
 */
export function tokenizerOf(vocabulary, { bos, addsBos, ends, encode }) {
  const named = vocabulary.texts.flatMap((text, id) =>
    ENDS.has(text) && vocabulary.kinds[id] === CONTROL ? [id] : [],
  );
  return Object.freeze({
    size: vocabulary.size,
    bos,
    addsBos,
    ends: new Set([...ends.filter((id) => id >= 0), ...named]),
    encode(/** @type {string} */ text, /** @type {any} */ options) {
      const { special, marks, continued } = read('options', options, 'special marks continued');
      const goesOn = yes('continued', continued) === 1;
      if (typeof text !== 'string') refuse('ARG', 'text', describe(text), 'a string');
      // half a surrogate pair has no bytes; as in any other encoding of it, U+FFFD takes its place
      const whole = /\p{Cs}/u.test(text)
        ? new TextDecoder().decode(new TextEncoder().encode(`\ufeff${text}`))
        : text;
      return encode(
        whole,
        yes('special', special) === 1,
        yes('marks', marks === undefined ? !goesOn : marks) === 1,
        goesOn,
      );
    },
    decode: (/** @type {ArrayLike<number>} */ ids, /** @type {any} */ options) =>
      vocabulary.decode(ids, decoding(options)),
    stream: (/** @type {any} */ options) => vocabulary.stream(decoding(options)),
    token: (/** @type {number} */ id) => vocabulary.token(id),
  });
}

/** @param {any} options */
function decoding(options) {
  const { special, continued } = read('options', options, 'special continued');
  return { special: yes('special', special) === 1, continued: yes('continued', continued) === 1 };
}

/** @param {any} types @param {string[]} tokens */
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

/** @param {any} scores @param {number} size @returns {Float32Array} */
const scoresOf = (scores, size) =>
  scores instanceof Float32Array && scores.length === size
    ? scores
    : refuse('FORMAT', 'tokenizer.ggml.scores', describe(scores), `${size} 32-bit floats`);

/** @param {any} merges @returns {string[]} */
const mergesOf = (merges) =>
  Array.isArray(merges)
    ? merges
    : refuse('FORMAT', 'tokenizer.ggml.merges', describe(merges), 'an array of strings');
