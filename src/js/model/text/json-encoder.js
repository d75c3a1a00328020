import { ClearheadError, describe } from '../../errors.js';
import { utf8Encoder } from '../../engine/utf8.js';
import { bothKinds, splitter } from './added-tokens.js';
import { remembering } from './bpe.js';
import { normalized } from './normalizer.js';
import { byteToken } from './vocabulary.js';
import { cut } from './words.js';

/**
 * Encodes as tokenizer.json says: added tokens, normalizer, words, and the merging of each word.
 * @typedef {import('./tokenizer-check.js').TokenizerFile} TokenizerFile
 * @typedef {import('./tokenizer-steps.js').Step} Step
 * @typedef {import('../../engine/yield.js').Steps<number[]>} Ids
 */

/**
 * @param {TokenizerFile} tokenizer checked
 * @param {ReadonlyMap<string, number>} ids of the vocabulary
 * @param {import('./bpe.js').Merge} merge
 * @returns {(text: string, how: { special: boolean, continued: boolean }) => Ids}
 */
export function jsonEncoder(tokenizer, ids, merge) {
  const { added_tokens: all, normalizer, pre_tokenizer: preTokenizer } = tokenizer;
  const ordinary = all.filter((token) => !token.special);
  const encodeWords = remembering(wordEncoder(tokenizer.model, ids, merge));
  /** The steps of a stretch of text. @param {Step | null | undefined} own its normalizer */
  const stretches = (own, /** @type {Step | null | undefined} */ words) =>
    [ordinary, all].map((tokens) => ({
      normalizer: own,
      words,
      split: splitter(bothKinds(tokens, own).after),
    }));
  const usual = stretches(normalizer, preTokenizer);
  // a space is put before each stretch between added tokens but one that continues another text
  const continuing = stretches(continuedStep(normalizer), continuedStep(preTokenizer));
  const splits = [ordinary, all].map((tokens) => splitter(bothKinds(tokens, normalizer).before));
  return function* (text, { special, continued }) {
    /** @type {number[]} */
    const found = [];
    for (const [at, part] of splits[Number(special)](text).entries()) {
      if (typeof part !== 'string') {
        found.push(part.id);
        continue;
      }
      const first = at === 0;
      const how = (first && continued ? continuing : usual)[Number(special)];
      for (const [x, piece] of how.split(normalized(part, how.normalizer)).entries())
        if (typeof piece !== 'string') found.push(piece.id);
        else yield* encodeWords(cut(piece, how.words, first && x === 0), found);
    }
    return found;
  };
}

/**
 * @param {TokenizerFile['model']} model
 * @param {ReadonlyMap<string, number>} ids
 * @param {import('./bpe.js').Merge} merge
 * @returns {(word: string) => Ids}
 */
function wordEncoder(model, ids, merge) {
  const { ignore_merges: wholeWords, byte_fallback: hasBytes, unk_token: unknown } = model;
  /** @param {number[]} found @param {string} character that is no token */
  const addUnknown = (found, character) => {
    const bytes = hasBytes
      ? Array.from(utf8Encoder().encode(character), (byte) => ids.get(byteToken(byte)))
      : [];
    if (bytes.length && bytes.every((id) => id !== undefined))
      for (const id of bytes) found.push(/** @type {number} */ (id));
    else if (unknown !== undefined && unknown !== null) {
      const id = ids.get(unknown);
      if (id === undefined)
        throw new ClearheadError(
          'FORMAT',
          'tokenizer.json has no token for a piece of the text, and its unk_token, ' +
            `${describe(unknown)}, is none`,
        );
      if (!(model.fuse_unk && found.at(-1) === id)) found.push(id);
    }
  };
  return function* (word) {
    const whole = wholeWords ? ids.get(word) : undefined;
    if (whole !== undefined) return [whole];
    const characters = Array.from(word);
    const symbols = Int32Array.from(characters, (c) => ids.get(c) ?? -1);
    /** @type {number[]} */
    const found = [];
    yield* merge(symbols, (symbol) => {
      if (symbols[symbol] >= 0) found.push(symbols[symbol]);
      else addUnknown(found, characters[symbol]);
    });
    return found;
  };
}

/**
 * A step as it is in the middle of a text, where no space is put before a word.
 * @param {Step | null | undefined} step checked
 * @returns {Step | null | undefined}
 */
function continuedStep(step) {
  switch (step?.type) {
    case 'Sequence':
      return Object.fromEntries(
        Object.entries(step).map(([key, x]) => [key, Array.isArray(x) ? x.map(continuedStep) : x]),
      );
    case 'Prepend':
      return { ...step, prepend: '' };
    case 'Metaspace':
      return { ...step, prepend_scheme: 'never' };
    case 'ByteLevel':
      return step.add_prefix_space ? { ...step, add_prefix_space: false } : step;
    default:
      return step;
  }
}
