import { ClearheadError, describe } from '../../errors.js';
import { utf8Encoder } from '../../engine/platform.js';
import { Merger } from './merge.js';
import { cut } from './pretokenize.js';
import { CONTROL, UNKNOWN, written } from './vocabulary.js';

/**
 * Byte-level BPE (`gpt2` in GGUF; Sennrich et al. 2016 on bytes, as in GPT-2): within each word
 * neighbours are merged, the pair that comes first in the list of merges first.
 */

/** Words kept with their ids: most of a text is words that have been met. */
const KEPT = 8192;
const KEPT_LENGTH = 32;

/**
 * Merges pairs of ids in place: those that come first in the list first.
 * @param {ReadonlyMap<string, number>} ids of tokens
 * @param {readonly (string | readonly string[])[]} merges pairs, or "left right"
 * @param {string} name of the list, for errors
 * @returns {(symbols: Int32Array, emit: (symbol: number) => void) => void} −1 is a symbol that
 *   merges with none
 */
export function merging(ids, merges, name) {
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
  }
  const merger = new Merger();
  return (symbols, emit) =>
    merger.run(
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
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @param {readonly string[]} merges "left right", best first
 * @param {{ unknown: number, stages: import('./pretokenize.js').Stage[], wholeWords: boolean }}
 *   options wholeWords: a word that is a token is not cut
 * @returns {(text: string) => number[]}
 */
export function byteLevel({ texts, kinds }, merges, { unknown, stages, wholeWords }) {
  const ids = new Map();
  for (let id = texts.length - 1; id >= 0; id--) ids.set(texts[id], id);
  const ofByte = Int32Array.from(
    { length: 256 },
    (_, byte) => ids.get(written(Uint8Array.of(byte))) ?? unknown,
  );
  const merge = merging(ids, merges, 'tokenizer.ggml.merges');
  const encoder = utf8Encoder();
  const cache = new Map();

  /** @param {string} word @returns {number[]} */
  const encodeWord = (word) => {
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
    merge(symbols, (symbol) => void found.push(symbols[symbol]));
    return found;
  };
  return (text) => {
    /** @type {number[]} */
    const all = [];
    cut(text, stages, (word) => {
      let found = cache.get(word);
      if (!found) {
        found = encodeWord(word);
        if (cache.size >= KEPT) cache.clear();
        if (word.length <= KEPT_LENGTH) cache.set(word, found);
      }
      for (const id of found) all.push(id);
    });
    return all;
  };
}
