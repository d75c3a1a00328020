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

/** @type {import('./tokens/stream.js').Kind[]} */
const EXERCISES = ['exercises', 'exercise answers', 'repeats'];

/** @type {import('./tokens/stream.js').Kind[]} */
const STORIES = [
  'stories',
  'answers',
  'exercise answers',
  'stories',
  'answers',
  'exercise answers',
  'stories',
  'repeats',
];

/** @type {import('./tokens/stream.js').Kind[]} */
const MOSTLY_STORIES = [
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
const COLOURS = ['colour answers', 'exercise answers', 'colour answers', 'stories'];

/** @type {import('./tokens/stream.js').Kind[]} */
const STORIES_AND_COLOURS = [
  ...MOSTLY_STORIES,
  ...MOSTLY_STORIES.map((kind) => (kind === 'exercise answers' ? 'colour answers' : kind)),
];

/** @type {import('../../src/js/train/types.d.ts').OptimizerOptions} */
const OPTIMIZER = { learningRate: 3e-3, warmup: 100, steps: 18250, weightDecay: 0.1 };

const SHORT = { batch: 16, context: 64 };
const SMALL = { batch: 8, context: 128, kinds: EXERCISES };
const LONG = { batch: 4, context: 512, questions: 8 };

/**
 * The steps of training, one phase after the other. Random sequences come first, in which induction
 * heads form. In exercises, heads learn to bind a thing to a name and a place. Both stay among the
 * stories, so that these heads are kept. Colours are learnt last. From the sixth phase on, rows are
 * as long as the context of the model.
 *
 * @type {({ steps: number, batch: number, context: number, questions?: number, level?: number,
 *   kinds: import('./tokens/stream.js').Kind[] })[]}
 */
export const PHASES = [
  { steps: 800, ...SHORT, kinds: ['repeats'] },
  { steps: 700, ...SHORT, kinds: EXERCISES, level: 0 },
  { steps: 300, ...SMALL, level: 2 },
  { steps: 400, ...SMALL, level: 4 },
  { steps: 500, ...SMALL, level: 8 },
  { steps: 2700, ...LONG, kinds: EXERCISES },
  { steps: 6400, ...LONG, kinds: STORIES },
  { steps: 500, ...LONG, kinds: MOSTLY_STORIES },
  { steps: 800, ...LONG, kinds: COLOURS },
  { steps: 5150, ...LONG, kinds: STORIES_AND_COLOURS },
];

export const STEPS = PHASES.reduce((sum, { steps }) => sum + steps, 0);

/** @type {import('../../src/js/train/types.d.ts').TrainOptions} */
export const TRAINING = {
  seed: SEED,
  batch: PHASES[0].batch,
  context: PHASES[0].context,
  optimizer: OPTIMIZER,
};
