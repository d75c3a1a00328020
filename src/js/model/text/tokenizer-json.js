import { refuse } from '../../errors.js';
import { merging } from './bpe.js';
import { jsonEncoder } from './json-encoder.js';
import { shrinkage } from './normalizer.js';
import { makeTokenizer } from './make-tokenizer.js';
import { checkTokenizer } from './tokenizer-check.js';
import { decoderOf } from './tokenizer-steps.js';
import {
  BYTE,
  CONTROL,
  NORMAL,
  UNUSED,
  USER,
  Vocabulary,
  byteOf,
  byteToken,
  filledUp,
  written,
} from './vocabulary.js';

/** Tokens that are read in one step. */
const STEP = 4096;

/** @typedef {import('./tokenizer-steps.js').Step} Step */

/**
 * @template T
 * @typedef {import('../../engine/yield.js').Steps<T>} Steps
 */

/**
 * The tokenizer of tokenizer.json, which is checked before.
 * @param {import('../types.d.ts').ModelFile['json']} json
 * @param {number} [rows] of the embedding
 * @returns {Steps<import('../types.d.ts').Tokenizer>}
 */
export function* jsonTokenizer(
  { tokenizer, tokenizerConfig = {}, config = {}, generationConfig = {} },
  rows,
) {
  const { file, ids } = yield* checkTokenizer(tokenizer);
  const vocabulary = yield* vocabularyOf(file, ids, rows);
  const { texts } = vocabulary;
  const merge = yield* merging(ids, file.model.merges, 'tokenizer.json');
  const idsOf = jsonEncoder(file, ids, merge);
  const added = new Map(
    file.added_tokens.map(({ content, id }) => /** @type {const} */ ([content, id])),
  );
  const named = (/** @type {string} */ text) => {
    const found = added.get(text) ?? ids.get(text) ?? -1;
    return texts[found] === text ? found : -1; // an added token may have replaced it
  };
  /** An id, or the name of a token. @param {any} x @returns {number} */
  const id = (x) => {
    if (typeof x !== 'number') return named(x?.content ?? x);
    return Number.isInteger(x) && x >= 0 && x < texts.length ? x : -1;
  };
  const [before, after] = marksOf(file.post_processor, id);
  const bos =
    [tokenizerConfig.bos_token, generationConfig.bos_token_id, config.bos_token_id]
      .map(id)
      .find((one) => one >= 0) ?? -1;
  const ends = [generationConfig.eos_token_id, config.eos_token_id, tokenizerConfig.eos_token]
    .flat(1)
    .map(id);
  return makeTokenizer(vocabulary, {
    bos,
    addsBos: bos >= 0 && before[0] === bos,
    ends: [...ends, bos],
    shrinks: keepsAll(file, ids) ? shrinkage(file.normalizer) : Infinity,
    *encode(text, special, marks, continued) {
      const found = yield* idsOf(text, { special, continued });
      return marks ? [...before, ...found, ...after] : found;
    },
  });
}

/**
 * Whether every character of a text becomes part of a token of its own word.
 * @param {import('./tokenizer-check.js').TokenizerFile} tokenizer
 * @param {ReadonlyMap<string, number>} ids
 */
function keepsAll({ model, added_tokens: added, pre_tokenizer: step }, ids) {
  const steps = JSON.stringify(step ?? null);
  if (/"removed"/i.test(steps) || added.some((token) => token.lstrip || token.rstrip)) return false;
  if (ids.has(model.unk_token ?? '') && !model.fuse_unk) return true;
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  return steps.includes('"ByteLevel"')
    ? bytes.every((byte) => ids.has(written(Uint8Array.of(byte))))
    : model.byte_fallback === true && bytes.every((byte) => ids.has(byteToken(byte)));
}

/**
 * The tokens that the post-processor puts before and after a text.
 * @param {Step | null | undefined} step checked
 * @param {(token: unknown) => number} id of a token, or −1
 * @returns {[number[], number[]]}
 */
function marksOf(step, id) {
  if (step?.type === 'Sequence') {
    /** @type {Step[]} */
    const steps = step.processors;
    const all = steps.map((one) => marksOf(one, id));
    return [[...all].reverse().flatMap(([before]) => before), all.flatMap(([, after]) => after)];
  }
  if (step?.type !== 'TemplateProcessing') return [[], []];
  /** @type {Step[]} */
  const parts = step.single;
  const at = parts.findIndex((part) => part.Sequence);
  const ids = parts.map(({ SpecialToken: token, Sequence: text }) =>
    text ? [] : [step.special_tokens?.[token?.id]?.ids ?? token?.id].flat().map(id),
  );
  const texts = parts.filter((part) => part.Sequence);
  if (texts.length !== 1 || ids.flat().includes(-1))
    refuse(
      'FORMAT',
      'post_processor of tokenizer.json',
      texts.length === 1 ? 'with a token that the vocabulary lacks' : `with ${texts.length} texts`,
      'tokens before and after the text',
    );
  return [ids.slice(0, at).flat(), ids.slice(at).flat()];
}

/**
 * @param {import('./tokenizer-check.js').TokenizerFile} tokenizer
 * @param {ReadonlyMap<string, number>} ids
 * @param {number} [rows] of the embedding
 * @returns {Steps<Vocabulary>}
 */
function* vocabularyOf({ model, added_tokens: added, decoder }, ids, rows) {
  const size =
    Math.max(
      -1,
      added.reduce((max, { id }) => Math.max(max, id), -1),
      [...ids.values()].reduce((a, b) => Math.max(a, b), -1),
    ) + 1;
  /** @type {string[]} */
  const texts = new Array(size).fill('');
  const kinds = new Uint8Array(size).fill(UNUSED);
  for (const [text, id] of ids) {
    texts[id] = text;
    kinds[id] = model.byte_fallback && byteOf(text) >= 0 ? BYTE : NORMAL;
    if (id % STEP === 0) yield 0;
  }
  for (const { id, content, special } of added) {
    texts[id] = content;
    kinds[id] = special ? CONTROL : USER;
  }
  return new Vocabulary(...filledUp(texts, kinds, rows), decoderOf(decoder));
}
