import { ClearheadError, describe } from '../../errors.js';
import { utf8Encoder } from '../../engine/utf8.js';
import { merge } from './merge.js';
import { scan, words } from './pretokenize.js';
import { CONTROL, UNKNOWN, written } from './vocabulary.js';

/**
 * Byte-level BPE (`gpt2` in GGUF; Sennrich et al. 2016 on bytes, as in GPT-2): within each word
 * neighbours are merged, the pair that comes first in the list of merges first.
 */

/** Words that are kept with their ids, because most words of a text occur again. */
const KEPT = 8192;
const KEPT_LENGTH = 32;

/** Entries of a list, or words of a text, in one step. */
const STEP = 4096;

/**
 * @template T
 * @typedef {import('../../engine/yield.js').Steps<T>} Steps
 */

/**
 * Merges pairs of ids in place: those that come first in the list first.
 * @callback Merge
 * @param {Int32Array} symbols −1 is one that merges with none
 * @param {(symbol: number) => void} emit
 * @returns {Steps<void>}
 */

/**
 * @param {ReadonlyMap<string, number>} ids of tokens
 * @param {readonly (string | readonly string[])[]} merges pairs, or "left right"
 * @param {string} name of the list, for errors
 * @returns {Steps<Merge>}
 */
export function* merging(ids, merges, name) {
  const merged = new Int32Array(merges.length);
  let size = 0;
  for (const id of ids.values()) size = Math.max(size, id + 1);
  /** Of a pair left·size + right. @type {Map<number, number>} */
  const ranks = new Map();
  for (const [rank, merge] of merges.entries()) {
    const space = typeof merge === 'string' ? merge.indexOf(' ', 1) : -1;
    const [first, second] =
      typeof merge === 'string' ? [merge.slice(0, space), merge.slice(space + 1)] : merge;
    const left = ids.get(first);
    const right = ids.get(second);
    const both = ids.get(first + second);
    if (
      (typeof merge === 'string' && space < 0) ||
      left === undefined ||
      right === undefined ||
      both === undefined
    )
      throw new ClearheadError(
        'FORMAT',
        `${name}: merge ${rank} is ${describe(merge)}; expected two tokens whose join is a token`,
      );
    merged[rank] = both;
    if (!ranks.has(left * size + right)) ranks.set(left * size + right, rank);
    if (rank % STEP === STEP - 1) yield 0;
  }
  return (symbols, emit) =>
    merge(
      symbols.length,
      (left, right) =>
        symbols[left] < 0 || symbols[right] < 0
          ? NaN
          : (ranks.get(symbols[left] * size + symbols[right]) ?? NaN),
      (left, right) =>
        void (symbols[left] =
          merged[/** @type {number} */ (ranks.get(symbols[left] * size + symbols[right]))]),
      emit,
    );
}

/**
 * Encodes words, and remembers most of them.
 * @param {(word: string) => Steps<number[]>} encodeWord
 * @returns {(all: Iterable<string>, found: number[]) => Steps<void>} adds their ids to `found`, and
 *   gives the number of those so far
 */
export function remembering(encodeWord) {
  /** @type {Map<string, number[]>} */
  const cache = new Map();
  return function* (all, found) {
    let count = 0;
    for (const word of all) {
      let ids = cache.get(word);
      if (!ids) {
        ids = yield* encodeWord(word);
        if (cache.size >= KEPT) cache.clear();
        if (word.length <= KEPT_LENGTH) cache.set(word, ids);
      }
      for (const id of ids) found.push(id);
      if (++count % STEP === 0) yield found.length;
    }
  };
}

/**
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @param {readonly string[]} merges "left right", best first
 * @param {{ unknown: number, stages: import('./pretokenize.js').Stage[], wholeWords: boolean }}
 *   options wholeWords: a word that is a token is not cut
 * @returns {Steps<(text: string, found: number[]) => Steps<void>>}
 */
export function* byteLevel({ texts, kinds }, merges, { unknown, stages, wholeWords }) {
  const ids = new Map();
  for (let id = texts.length - 1; id >= 0; id--) {
    ids.set(texts[id], id);
    if (id % STEP === 0) yield 0;
  }
  const ofByte = Int32Array.from(
    { length: 256 },
    (_, byte) => ids.get(written(Uint8Array.of(byte))) ?? unknown,
  );
  const mergePairs = yield* merging(ids, merges, 'tokenizer.ggml.merges');
  const encoder = utf8Encoder();
  const encodeWords = remembering(function* (word) {
    const bytes = encoder.encode(word);
    const whole = wholeWords && bytes.length <= 1024 ? ids.get(written(bytes)) : undefined;
    if (whole !== undefined && kinds[whole] !== CONTROL && kinds[whole] !== UNKNOWN) return [whole];
    const symbols = Int32Array.from(bytes, (byte) => ofByte[byte]);
    const lack = symbols.indexOf(-1);
    if (lack >= 0)
      throw new ClearheadError(
        'FORMAT',
        `the vocabulary has no token for byte ${bytes[lack]}, and none for unknown text`,
      );
    /** @type {number[]} */
    const found = [];
    yield* mergePairs(symbols, (symbol) => void found.push(symbols[symbol]));
    return found;
  });
  return function* (text, found) {
    yield* encodeWords(words(yield* scan(text), stages), found);
  };
}
