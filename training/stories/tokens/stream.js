/**
 * The tokens of training, by the number of the step: any batch can be made without those before it,
 * so a run resumes anywhere. All rows of a step are of one kind. A row of texts has one after the
 * other, each behind a mark, and the last of them is cut off. A row of random tokens repeats its
 * first ones. It teaches to find the last place of a token, and to copy the token behind it.
 */
import { createRandom, mixed } from '../random.js';
import { LEVELS, tellExercise } from '../world/exercises.js';
import { tellStory } from '../world/index.js';
import { tellPronouns } from '../world/pronouns.js';
import { MARK_ID } from './tokenizer.js';

/** Lengths of the part that repeats. */
const SHORTEST = 8;
const LONGEST = 64;
/** The target of a token whose next one is not to be learnt. */
export const UNKNOWN = -1;
/** Tokens. No story and no exercise is shorter, so a row has at most length / MIN of them. */
export const MIN_STORY = 60;
export const MIN_EXERCISE = 24;

/** @typedef {import('../../../src/js/model/types.d.ts').Tokenizer} Tokenizer */

/**
 * The tokens of a step, and which of them are targets.
 *
 * | kind             | tokens                  | targets                                     |
 * |------------------|-------------------------|---------------------------------------------|
 * | stories          | stories                 | all                                         |
 * | answers          | stories                 | the answers                                 |
 * | again            | stories                 | names that come again, pronouns, answers    |
 * | exercises        | exercises               | all                                         |
 * | exercise answers | exercises               | the answers                                 |
 * | colour answers   | exercises about colours | the answers                                 |
 * | pronouns         | exercises about those   | “he” and “she”, and their other forms       |
 * | repeats          | random, and they repeat | all but the first time: it cannot be known  |
 *
 * @typedef {'stories' | 'answers' | 'again' | 'exercises' | 'exercise answers' | 'colour answers' |
 *   'pronouns' | 'repeats'} Kind
 *
 * @typedef {object} StreamOptions
 * @property {Tokenizer} tokenizer
 * @property {number} seed
 * @property {number} batch rows of a step
 * @property {number} context tokens of a row
 * @property {Kind[]} [kinds] of the steps, in turn; default stories alone
 * @property {number} [questions] at most this number behind a story whose answers are
 *   targets, default 3; any other story has at most 3
 * @property {number} [level] of exercises, default the highest
 *
 * @typedef {object} Row
 * @property {Int32Array} row a token more than the context
 * @property {Uint8Array} wanted 1 for each of them that is a target
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

/** @param {StreamOptions} options @param {number} number of the row among all @returns {Row} */
function repeatedRow({ tokenizer, seed, context }, number) {
  const length = context + 1;
  const random = createRandom(mixed(seed, number, 2));
  const longest = Math.max(SHORTEST, Math.min(LONGEST, length >> 1));
  const period = SHORTEST + random.below(longest - SHORTEST + 1);
  return {
    row: repeatedTokens(random, tokenizer.size, period, length),
    wanted: new Uint8Array(length).fill(1, period),
  };
}

/** @type {WeakMap<Tokenizer, number[]>} */
const lengths = new WeakMap();

/** The characters of each piece. The texts are ASCII, so no character has two pieces. */
const lengthsOf = (/** @type {Tokenizer} */ tokenizer) => {
  const known = lengths.get(tokenizer);
  if (known) return known;
  const all = Array.from({ length: tokenizer.size }, (_, id) => tokenizer.decode([id]).length);
  lengths.set(tokenizer, all);
  return all;
};

/**
 * Which tokens of a text are in one of the spans, or reach into it.
 * @param {Tokenizer} tokenizer
 * @param {number[]} ids
 * @param {import('../world/telling.js').Span[]} spans
 */
function within(tokenizer, ids, spans) {
  const lengthOf = lengthsOf(tokenizer);
  let end = 0;
  return ids.map((id) => {
    const start = end;
    end += lengthOf[id];
    return spans.some(([from, to]) => start < to && end > from);
  });
}

/**
 * A text, and those of its words that are targets. Without `spans` all are.
 * @param {StreamOptions} options
 * @param {Kind} kind
 * @param {number} index
 * @returns {{ text: string, spans?: import('../world/telling.js').Span[] }}
 */
function textOf({ seed, questions, level = LEVELS }, kind, index) {
  switch (kind) {
    case 'answers':
    case 'again': {
      const { text, answers, again } = tellStory(seed, index, { questions });
      return { text, spans: kind === 'again' ? [...again, ...answers] : answers };
    }
    case 'exercises':
      return { text: tellExercise(seed, index, level).text };
    case 'exercise answers':
    case 'colour answers': {
      const { text, answers } = tellExercise(seed, index, level, kind === 'colour answers');
      return { text, spans: answers };
    }
    case 'pronouns': {
      const { text, pronouns } = tellPronouns(seed, index);
      return { text, spans: pronouns };
    }
    default:
      return { text: tellStory(seed, index).text };
  }
}

/** @param {StreamOptions} options @param {Kind} kind @param {number} number @returns {Row} */
function rowOfTexts(options, kind, number) {
  const { tokenizer, context } = options;
  const length = context + 1;
  const row = new Int32Array(length);
  const wanted = new Uint8Array(length);
  const shortest = ['stories', 'answers', 'again'].includes(kind) ? MIN_STORY : MIN_EXERCISE;
  const maxTexts = Math.ceil(length / shortest);
  for (let at = 0, index = number * maxTexts; at < length; index++) {
    const { text, spans } = textOf(options, kind, index);
    const ids = tokenizer.encode(text, { marks: false });
    row.set([MARK_ID, ...ids].slice(0, length - at), at);
    const targets = spans ? within(tokenizer, ids, spans) : ids.map(() => true);
    // the mark ends the last answer of the text before
    wanted.set([at > 0, ...targets].map(Number).slice(0, length - at), at);
    at += 1 + ids.length;
  }
  return { row, wanted };
}

/**
 * The batch of a step: tokens and the target of each, both (batch, context).
 * @param {StreamOptions} options
 * @param {number} step from 0
 */
export function batchOf(options, step) {
  const { batch, context, kinds = ['stories'] } = options;
  const kind = kinds[step % kinds.length];
  const tokens = new Int32Array(batch * context);
  const targets = new Int32Array(batch * context).fill(UNKNOWN);
  for (let i = 0; i < batch; i++) {
    const number = step * batch + i;
    const { row, wanted } =
      kind === 'repeats' ? repeatedRow(options, number) : rowOfTexts(options, kind, number);
    tokens.set(row.subarray(0, context), i * context);
    for (let at = 0; at < context; at++)
      if (wanted[at + 1]) targets[i * context + at] = row[at + 1];
  }
  return { tokens, targets };
}
