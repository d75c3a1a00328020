/** The stories: number `index` of a seed is the same on every engine. */
import { createRandom, mixed } from '../random.js';
import { questionsOf, withQuestions } from './asking.js';
import { Cast } from './cast.js';
import { festival, race } from './plots/company.js';
import { present, thief, tidying } from './plots/home.js';
import { market, packing, picnic } from './plots/lists.js';
import { naming, visitor } from './plots/newcomers.js';
import { band, beach, letter, stuck } from './plots/outings.js';
import { round, secret, swap } from './plots/passing.js';
import { lost, noise, treasure } from './plots/searching.js';
import { Telling } from './telling.js';

/**
 * @typedef {import('./asking.js').Question} Question
 * @typedef {import('./telling.js').Event} Event
 *
 * @typedef {object} Story
 * @property {string} plot
 * @property {string} body the story without questions
 * @property {string} text the body and its questions with their answers
 * @property {Event[]} events the facts that it states, in order
 * @property {import('./telling.js').Span[]} again by characters: pronouns, and each name that was
 *   there before. Of a thing it is the noun alone.
 * @property {Question[]} questions those of the text
 * @property {import('./telling.js').Span[]} answers of the questions, by characters of the text
 */

/** @type {Record<string, (t: Telling, cast: Cast) => void>} */
export const PLOTS = {
  lost,
  treasure,
  noise,
  round,
  swap,
  secret,
  packing,
  market,
  picnic,
  tidying,
  present,
  thief,
  visitor,
  festival,
  race,
  beach,
  band,
  stuck,
  letter,
  naming,
};
const NAMES = Object.keys(PLOTS);
/** Characters of a text. It keeps stories within 250 tokens. */
const MAX_LENGTH = 600;

/**
 * @param {number} seed
 * @param {number} index
 * @param {object} [options]
 * @param {boolean} [options.open] combinations that training never shows may come
 * @param {number} [options.questions] at most this number of them, default 3
 * @param {boolean} [options.ordered] whether places come in the order of their prepositions, as a
 *   small model needs it; default true
 * @returns {Story}
 */
export function tellStory(seed, index, options = {}) {
  const { open = false, questions: limit = 3, ordered = true } = options;
  const random = createRandom(mixed(seed, index, open ? 1 : 0));
  const plot = random.pick(NAMES);
  for (;;) {
    const telling = new Telling(random);
    PLOTS[plot](telling, new Cast(random, open, ordered));
    const { text: body, events, again } = telling;
    const questions = random.some(questionsOf(telling), 1 + random.below(limit));
    const { text, answers } = withQuestions(body, questions);
    if (text.length <= MAX_LENGTH) return { plot, body, text, events, again, questions, answers };
  }
}
