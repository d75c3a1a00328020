import { describe, refuse } from '../../errors.js';
import { PARTS, checkStep, isObject } from './tokenizer-steps.js';

/**
 * The check of tokenizer.json, before it is used.
 * @typedef {import('./tokenizer-steps.js').Step} Step
 * @typedef {{ id: number, content: string, special: boolean, normalized?: boolean,
 *   lstrip?: boolean, rstrip?: boolean }} AddedToken
 *
 * @typedef {object} TokenizerFile
 * @property {{ vocab: object, merges: (string | string[])[], byte_fallback?: boolean,
 *   ignore_merges?: boolean, fuse_unk?: boolean, unk_token?: string | null }} model
 * @property {AddedToken[]} added_tokens
 * @property {Step | null} [normalizer]
 * @property {Step | null} [pre_tokenizer]
 * @property {Step | null} [post_processor]
 * @property {Step | null} [decoder]
 */

const MAX_TOKENS = 2 ** 22;
const MAX_MERGES = 2 ** 22;
const MAX_ADDED = 65536;
const MAX_LENGTH = 1024;
const MAX_ADDED_LENGTH = 96;

/** Characters of all added tokens together, as the steps may make them. */
const MAX_ADDED_CHARACTERS = 2 ** 20;

/** Tokens that are checked in one step. */
const STEP = 4096;

/**
 * Refuses a file that is not known to be harmless. Returns the ids of the vocabulary. It is an
 * object in a small file and a map in a large one.
 * @param {Record<string, any>} json
 * @returns {import('../../engine/yield.js').Steps<{ file: TokenizerFile,
 *   ids: Map<string, number> }>}
 */
export function* checkTokenizer(json) {
  const { model, added_tokens: added } = json;
  if (!isObject(model)) refuse('FORMAT', 'model of tokenizer.json', describe(model), 'an object');
  if (model.type !== undefined && model.type !== 'BPE')
    refuse('FORMAT', 'the type of model in tokenizer.json', describe(model.type), '"BPE"');
  const { vocab, merges } = model;
  if (!isObject(vocab)) refuse('FORMAT', 'vocab of tokenizer.json', describe(vocab), 'an object');
  if (!Array.isArray(added) || added.length > MAX_ADDED)
    refuse(
      'FORMAT',
      'added_tokens of tokenizer.json',
      describe(added),
      `an array of at most ${MAX_ADDED}`,
    );
  const entries = vocab instanceof Map ? vocab : Object.entries(vocab);
  const size = (entries instanceof Map ? entries.size : entries.length) + added.length;
  const used = new Uint8Array(
    size <= MAX_TOKENS
      ? size
      : refuse('LIMIT', 'the vocabulary', `${size} tokens`, `at most ${MAX_TOKENS}`),
  );
  /** @type {Map<string, number>} */
  const ids = new Map();
  for (const [text, id] of entries) {
    checkToken(text, id, size, MAX_LENGTH);
    if (used[id]++) refuse('FORMAT', `the id ${id} in tokenizer.json`, 'there twice', 'each once');
    ids.set(text, id);
    if (ids.size % STEP === 0) yield 0;
  }
  for (const token of added) {
    checkToken(token?.content, token?.id, size, MAX_ADDED_LENGTH);
    if (!token.content || typeof token.special !== 'boolean')
      refuse('FORMAT', `the added token ${token.id}`, 'without text or special', 'both');
    // a regular expression would be made of it
    if (token.single_word) refuse('FORMAT', 'single_word of an added token', 'true', 'false');
  }
  if (!Array.isArray(merges) || merges.length > MAX_MERGES)
    refuse(
      'FORMAT',
      'merges of tokenizer.json',
      describe(merges),
      `an array of at most ${MAX_MERGES}`,
    );
  // whether their parts and joins are tokens is checked where they are merged
  const odd = merges.findIndex(
    (merge) =>
      typeof merge !== 'string' &&
      !(
        Array.isArray(merge) &&
        merge.length === 2 &&
        merge.every((part) => typeof part === 'string')
      ),
  );
  if (odd >= 0)
    refuse('FORMAT', `merge ${odd} of tokenizer.json`, describe(merges[odd]), 'two tokens');
  for (const name of [
    'continuing_subword_prefix',
    'end_of_word_suffix',
    'continuing_subword_suffix',
    'dropout',
  ])
    if (model[name]) refuse('FORMAT', `${name} of tokenizer.json`, describe(model[name]), 'none');
  const grown = { steps: 0, by: 1 };
  for (const part of PARTS) checkStep(part, json[part], grown, 0);
  const characters =
    grown.by *
    added.reduce(
      (/** @type {number} */ sum, /** @type {AddedToken} */ { content }) => sum + content.length,
      0,
    );
  if (characters > MAX_ADDED_CHARACTERS)
    refuse(
      'LIMIT',
      'added_tokens of tokenizer.json',
      `of ${Math.ceil(characters)} characters after all steps`,
      `at most ${MAX_ADDED_CHARACTERS}`,
    );
  return { file: /** @type {TokenizerFile} */ (json), ids };
}

/**
 * @param {unknown} text
 * @param {unknown} id
 * @param {number} size
 * @param {number} maxLength
 */
function checkToken(text, id, size, maxLength) {
  if (typeof text !== 'string' || text.length > maxLength)
    refuse(
      'FORMAT',
      'a token of tokenizer.json',
      describe(text),
      `a string of at most ${maxLength}`,
    );
  if (!(typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < size))
    refuse(
      'FORMAT',
      `the id of ${describe(text)}`,
      describe(id),
      `below ${size}, the number of tokens`,
    );
}
