/** Everything that decides the bytes of the shipped model, but for its texts and the code. */
import { PIECES } from './tokens/tokenizer.js';

/** Of `batchOf`, and of the first parameters. */
export const SEED = 2;

/** @type {import('../../src/js/train/types.d.ts').TrainConfig} */
export const MODEL = {
  vocab: PIECES,
  modelDim: 128,
  layers: 5,
  heads: 8,
  kvHeads: 4,
  ffnDim: 192,
};

/**
 * Of the first exercises.
 *
 * @type {import('./tokens/stream.js').Kind[]}
 */
const PLAINEST = ['exercises', 'exercise answers', 'repeats', 'colour answers'];

/** @type {import('./tokens/stream.js').Kind[]} */
const EXERCISES = ['exercises', 'exercise answers', 'repeats', 'pronouns'];

/** @type {import('./tokens/stream.js').Kind[]} */
const STORIES = [
  'stories',
  'answers',
  'exercise answers',
  'stories',
  'again',
  'answers',
  'stories',
  'repeats',
];

/** @type {import('./tokens/stream.js').Kind[]} */
const MORE_STORIES = [
  'stories',
  'answers',
  'stories',
  'exercise answers',
  'stories',
  'again',
  'stories',
  'answers',
  'stories',
  'repeats',
];

/** @type {import('./tokens/stream.js').Kind[]} */
const MOSTLY_STORIES = [
  'stories',
  'stories',
  'answers',
  'stories',
  'stories',
  'exercise answers',
  'stories',
  'again',
  'stories',
  'answers',
  'stories',
  'repeats',
  'stories',
  'stories',
  'answers',
  'stories',
];

/** @type {import('./tokens/stream.js').Kind[]} */
const LAST_STORIES = [
  'stories',
  'answers',
  'stories',
  'exercise answers',
  'stories',
  'answers',
  'stories',
  'answers',
  'stories',
  'repeats',
];

/** @typedef {import('../../src/js/train/types.d.ts').OptimizerOptions} OptimizerOptions */

/** Of all phases together. */
export const STEPS = 17250;
/** The last phase begins here. */
const LAST = 15750;

/** @type {OptimizerOptions} */
const OPTIMIZER = { learningRate: 3e-3, warmup: 100, steps: LAST, weightDecay: 0.1 };

/**
 * Of the exercises: the rate falls more slowly, as in a longer run.
 *
 * @type {OptimizerOptions}
 */
const SLOWER = { ...OPTIMIZER, steps: 24225 };

/**
 * Of the last phase, which has the end of a cosine: from 3e-4, where the rate is by then, to 0.
 *
 * @type {OptimizerOptions}
 */
const TO_ZERO = { ...OPTIMIZER, learningRate: 0.016, minLearningRate: 0, steps: STEPS };

const SHORT = { batch: 16, context: 64, optimizer: SLOWER };
const SMALL = { batch: 8, context: 128, kinds: EXERCISES, optimizer: SLOWER };
const STORY = { batch: 8, context: 256, questions: 8, optimizer: OPTIMIZER };
const LONG = { batch: 4, context: 512, questions: 8, optimizer: OPTIMIZER };

/**
 * The steps of training, one phase after the other. Random sequences come first, in which induction
 * heads form. In exercises, heads learn to bind a thing to a name and a place. Both stay among the
 * stories, so that these heads are kept. A row of 256 tokens has a whole story and the beginning of
 * another. Rows of 512 tokens are as long as the context of the model. The last two phases have
 * them, too.
 *
 * @type {({ steps: number, batch: number, context: number, optimizer: OptimizerOptions,
 *   questions?: number, level?: number, kinds: import('./tokens/stream.js').Kind[] })[]}
 */
export const PHASES = [
  { steps: 800, ...SHORT, kinds: ['repeats'] },
  { steps: 1000, ...SHORT, kinds: PLAINEST, level: 0 },
  { steps: 300, ...SMALL, level: 2 },
  { steps: 400, ...SMALL, level: 4 },
  { steps: 500, ...SMALL, level: 8 },
  { steps: 2300, ...LONG, kinds: EXERCISES, optimizer: SLOWER },
  { steps: 200, ...LONG, kinds: STORIES },
  { steps: 2500, ...STORY, kinds: STORIES },
  { steps: 1300, ...STORY, kinds: MORE_STORIES },
  { steps: 6150, ...STORY, kinds: MOSTLY_STORIES },
  { steps: 300, ...LONG, kinds: MOSTLY_STORIES },
  { steps: 1500, ...LONG, kinds: LAST_STORIES, optimizer: TO_ZERO },
];

/** @type {import('../../src/js/train/types.d.ts').TrainOptions} */
export const TRAINING = {
  seed: SEED,
  batch: PHASES[0].batch,
  context: PHASES[0].context,
  optimizer: PHASES[0].optimizer,
};
