/** Everything that decides the bytes of the shipped model, but for its texts and the code. */
import { PIECES } from './tokens/tokenizer.js';

/** Of `batchOf`, and of the first parameters. */
export const SEED = 1;

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
const EXERCISES = ['exercises', 'exercise answers', 'repeats'];

/** @type {import('./tokens/stream.js').Kind[]} */
const STORIES = [
  'stories',
  'answers',
  'exercise answers',
  'stories',
  'names',
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
  'stories',
  'answers',
  'stories',
  'stories',
  'repeats',
  'stories',
  'stories',
  'answers',
  'stories',
];

/** @type {import('../../src/js/train/types.d.ts').OptimizerOptions} */
const OPTIMIZER = { learningRate: 3e-3, warmup: 100, steps: 17000, weightDecay: 0.1 };

const SHORT = { batch: 16, context: 64 };
const SMALL = { batch: 8, context: 128, kinds: EXERCISES };
const STORY = { batch: 8, context: 256, questions: 8 };
const LONG = { batch: 4, context: 512, questions: 8 };

/**
 * The steps of training, one phase after the other. Random sequences come first, in which induction
 * heads form. In exercises, heads learn to bind a thing to a name and a place. Both stay among the
 * stories, so that these heads are kept. A row of 256 tokens has a whole story and the beginning of
 * another. Rows of 512 tokens are as long as the context of the model. The last phase has them,
 * too.
 *
 * @type {({ steps: number, batch: number, context: number, questions?: number, level?: number,
 *   kinds: import('./tokens/stream.js').Kind[] })[]}
 */
export const PHASES = [
  { steps: 800, ...SHORT, kinds: ['repeats'] },
  { steps: 700, ...SHORT, kinds: PLAINEST, level: 0 },
  { steps: 300, ...SMALL, level: 2 },
  { steps: 400, ...SMALL, level: 4 },
  { steps: 500, ...SMALL, level: 8 },
  { steps: 2700, ...LONG, kinds: EXERCISES },
  { steps: 500, ...LONG, kinds: STORIES },
  { steps: 3600, ...STORY, kinds: STORIES },
  { steps: 5000, ...STORY, kinds: MORE_STORIES },
  { steps: 2000, ...STORY, kinds: MOSTLY_STORIES },
  { steps: 500, ...LONG, kinds: MOSTLY_STORIES },
];

export const STEPS = PHASES.reduce((sum, { steps }) => sum + steps, 0);

/** @type {import('../../src/js/train/types.d.ts').TrainOptions} */
export const TRAINING = {
  seed: SEED,
  batch: PHASES[0].batch,
  context: PHASES[0].context,
  optimizer: OPTIMIZER,
};
