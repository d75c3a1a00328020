import { ClearheadError } from '../../errors.js';
import { utf8Encoder } from '../../engine/utf8.js';
import { merge } from './merge.js';
import { BYTE, NORMAL, SPACE, USER, byteOf } from './vocabulary.js';

/**
 * SentencePiece vocabularies (`llama` in GGUF; Kudo and Richardson 2018, the BPE kind): neighbours
 * whose join is a token are joined, the highest score first. Symbols that are no token in the end
 * become bytes.
 */

/** Tokens or characters in one step. */
const STEP = 2 ** 14;

/**
 * @template T
 * @typedef {import('../../engine/yield.js').Steps<T>} Steps
 */

/**
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @param {Float32Array} scores
 * @param {{ unknown: number, addsSpace: boolean }} options
 * @returns {Steps<(text: string, found: number[], first: boolean) => Steps<void>>} adds the ids of
 *   a stretch of text to `found`; `first` where nothing but control tokens came before it
 */
export function* sentencePiece({ texts, kinds }, scores, { unknown, addsSpace }) {
  const wrong = scores.findIndex((score) => !(Math.abs(score) < Infinity));
  if (wrong >= 0)
    throw new ClearheadError(
      'FORMAT',
      `tokenizer.ggml.scores: the score of token ${wrong} is ${scores[wrong]}; ` +
        'expected a finite number',
    );
  /** @type {Map<string, number>} */
  const ids = new Map();
  const bytes = new Int32Array(256).fill(unknown);
  let longest = 1;
  for (let id = 0; id < texts.length; id++) {
    if (kinds[id] === BYTE) bytes[byteOf(texts[id])] = id;
    else if ((kinds[id] === NORMAL || kinds[id] === USER) && texts[id] && !ids.has(texts[id])) {
      ids.set(texts[id], id);
      longest = Math.max(longest, texts[id].length);
    }
    if (id % STEP === STEP - 1) yield 0;
  }
  const hasBytes = !bytes.includes(unknown);
  if (!hasBytes && unknown < 0)
    throw new ClearheadError(
      'FORMAT',
      'the vocabulary has neither a token for each byte nor one for unknown text',
    );
  const encoder = utf8Encoder();
  return function* (plain, found, first) {
    const text = (addsSpace && first ? ' ' : '') + plain;
    const symbols = text.replaceAll(' ', SPACE);
    // symbol i is symbols.slice(begin[i], end[i])
    const begin = new Int32Array(symbols.length);
    const end = new Int32Array(symbols.length);
    let count = 0;
    for (let at = 0; at < symbols.length; count++) {
      begin[count] = at;
      end[count] = at += /** @type {number} */ (symbols.codePointAt(at)) > 0xffff ? 2 : 1;
      if (count % STEP === STEP - 1) yield 0;
    }
    yield* merge(
      count,
      (left, right) => {
        const id =
          end[right] - begin[left] > longest
            ? undefined
            : ids.get(symbols.slice(begin[left], end[right]));
        return id === undefined ? NaN : -scores[id];
      },
      (left, right) => void (end[left] = end[right]),
      (symbol) => {
        const piece = symbols.slice(begin[symbol], end[symbol]);
        const id = ids.get(piece);
        if (id !== undefined) found.push(id);
        else if (hasBytes) for (const byte of encoder.encode(piece)) found.push(bytes[byte]);
        else found.push(unknown);
      },
    );
  };
}
