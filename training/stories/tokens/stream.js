/**
 * The tokens of training, by the number of the step: any batch can be made without those before it,
 * so a run resumes anywhere. A row is stories one after the other, each behind a mark, and the last
 * of them is cut off. Some rows can be random sequences that repeat. They teach to find the last
 * place of a token, and to copy the token behind it. Their first time cannot be known and is no
 * target.
 */
import { createRandom, mixed } from '../random.js';
import { tellStory } from '../world/index.js';
import { MARK_ID } from './tokenizer.js';

/** Lengths of the part that repeats. */
const SHORTEST = 8;
const LONGEST = 64;
/** The target of a token whose next one cannot be known. */
export const UNKNOWN = -1;
/** No story is shorter, so a row has at most length / MIN_STORY of them. */
export const MIN_STORY = 60;

/** @typedef {import('../../../src/js/model/types.d.ts').Tokenizer} Tokenizer */

/**
 * @typedef {object} StreamOptions
 * @property {Tokenizer} tokenizer
 * @property {number} seed
 * @property {number} batch rows of a step
 * @property {number} context tokens of a row
 * @property {number} [questions] at most this number behind each story, default 3
 * @property {number} [repeats] one row in this number is a random sequence; default 0: none
 */

/**
 * Random tokens, none of them the mark.
 * @param {import('../random.js').Random} random
 * @param {number} size of the vocabulary
 * @param {number} period after which they repeat
 * @param {number} length
 */
export function repeatedTokens(random, size, period, length) {
  const first = Array.from({ length: period }, () => 1 + random.below(size - 1));
  return Int32Array.from({ length }, (_, i) => first[i % period]);
}

/**
 * A row with a token more than the context, and the first token in it that is a target.
 * @param {StreamOptions} options
 * @param {number} number of the row among all
 */
function rowOf({ tokenizer, seed, context, questions, repeats = 0 }, number) {
  const length = context + 1;
  const random = createRandom(mixed(seed, number, 2));
  if (repeats && random.chance(1, repeats)) {
    const longest = Math.max(SHORTEST, Math.min(LONGEST, length >> 1));
    const period = SHORTEST + random.below(longest - SHORTEST + 1);
    return { row: repeatedTokens(random, tokenizer.size, period, length), first: period };
  }
  const row = new Int32Array(length);
  const stories = Math.ceil(length / MIN_STORY);
  for (let at = 0, story = 0; at < length; story++) {
    const { text } = tellStory(seed, number * stories + story, { questions });
    const ids = [MARK_ID, ...tokenizer.encode(text, { marks: false })].slice(0, length - at);
    row.set(ids, at);
    at += ids.length;
  }
  return { row, first: 1 };
}

/**
 * The batch of a step: tokens and the target of each, both (batch, context).
 * @param {StreamOptions} options
 * @param {number} step from 0
 */
export function batchOf(options, step) {
  const { batch, context } = options;
  const tokens = new Int32Array(batch * context);
  const targets = new Int32Array(batch * context).fill(UNKNOWN);
  for (let i = 0; i < batch; i++) {
    const { row, first } = rowOf(options, step * batch + i);
    tokens.set(row.subarray(0, context), i * context);
    targets.set(row.subarray(first), i * context + first - 1);
  }
  return { tokens, targets };
}
