/** Everything that is measured of a model that writes stories. */
import { ask, readRepeats, readStories, sourcesOf } from './reading.js';
import { TAU, sample } from './samples.js';
import { questionSet, repeatSet, storySet } from './sets.js';

/**
 * @typedef {object} Sizes
 * @property {number} questions
 * @property {number} stories for perplexity
 * @property {number} repeats random sequences
 * @property {number} period after which they repeat
 * @property {number} samples stories that the model writes
 */

/** @type {Sizes} */
export const SIZES = { questions: 1000, stories: 100, repeats: 50, period: 64, samples: 100 };

/** The scores of heads that are told. Their definitions are those of the library. */
export const SCORES = /** @type {const} */ ([
  'previous',
  'first',
  'duplicate',
  'induction',
  'source',
]);

/** A shipped model reaches these. */
export const GOALS = { answers: 0.98, induction: 0.95, source: 0.5 };

/**
 * @param {import('../../../src/js/model/api.d.ts').Model} model
 * @param {Partial<Sizes>} [sizes]
 */
export async function evaluate(model, sizes) {
  const { questions, stories, repeats, period, samples } = { ...SIZES, ...sizes };
  const asked = questionSet(questions);
  const answers = await ask(model, asked);
  const sequences = repeatSet(repeats, { size: model.config.vocab, period });
  const induction = readRepeats(model, sequences);
  const texts = storySet(stories);
  const { perplexity, tokens } = readStories(model, texts);
  const { heads } = await model.heads.scores({
    scores: SCORES,
    texts,
    repeats: sequences,
    sources: sourcesOf(model, asked),
  });
  const written = await sample(model, { count: samples, tau: TAU });
  return { answers, induction, perplexity, tokens, heads, written };
}

/** @typedef {Awaited<ReturnType<typeof evaluate>>} Evaluation */

/**
 * Each goal with the number that was measured.
 * @param {Evaluation} evaluation
 */
export function verdicts({ answers, induction, heads }) {
  const measured = {
    answers: answers.right / answers.total,
    induction: induction.right / induction.total,
    source: heads.reduce((max, { scores }) => Math.max(max, scores.source ?? 0), 0),
  };
  return /** @type {(keyof typeof GOALS)[]} */ (Object.keys(GOALS)).map((name) => ({
    name,
    measured: measured[name],
    goal: GOALS[name],
    met: measured[name] >= GOALS[name],
  }));
}
