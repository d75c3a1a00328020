/**
 * The texts of the evaluation. All are about combinations that training never shows, or are random
 * sequences that training never draws.
 */
import { createRandom, mixed } from '../random.js';
import { repeatedTokens } from '../tokens/stream.js';
import { GAP } from '../world/asking.js';
import { tellStory } from '../world/index.js';

/** No training has this seed. */
const SEED = 0x5eed;

/**
 * @typedef {object} Asked
 * @property {string} kind of question
 * @property {string} prompt a story and one question
 * @property {string} answer
 * @property {[start: number, end: number][]} sources words of the story that tell it, by characters
 * @property {string} core the word of the answer that they are
 */

/** Stories with a question about an unseen combination. */
function* unseen() {
  for (let index = 0; ; index++) {
    const story = tellStory(SEED, index, { open: true });
    const questions = story.questions.filter((question) => question.unseen);
    if (questions.length) yield { ...story, questions };
  }
}

/** The first questions, each behind its own story. @param {number} count @returns {Asked[]} */
export function questionSet(count) {
  /** @type {Asked[]} */
  const asked = [];
  for (const { body, questions } of unseen())
    for (const { kind, text, answer, sources, core } of questions) {
      if (asked.length === count) return asked;
      asked.push({ kind, prompt: body + GAP + text, answer, sources, core });
    }
  return asked;
}

/** Stories with their questions and answers, for perplexity. @param {number} count */
export function storySet(count) {
  /** @type {string[]} */
  const texts = [];
  for (const { text } of unseen()) {
    if (texts.length === count) break;
    texts.push(text);
  }
  return texts;
}

/**
 * Random sequences that come twice.
 * @param {number} count
 * @param {{ size: number, period: number }} options size: of the vocabulary
 */
export const repeatSet = (count, { size, period }) =>
  Array.from({ length: count }, (_, index) =>
    repeatedTokens(createRandom(mixed(SEED, index, 3)), size, period, 2 * period),
  );
