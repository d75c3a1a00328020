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
  'stories',
  'answers',
  'stories',
  'stories',
  'repeats',
];

const weightDecay = 0.1;
/** Of all phases but the last. */
const FIRST = { learningRate: 3e-3, warmup: 100, steps: 8800, weightDecay };
/** Its rate goes back up at once. Steps are counted from the first of all. */
const LAST = { learningRate: 2e-3, warmup: 8900, steps: 12800, weightDecay };

const SMALL = { batch: 8, context: 128, kinds: EXERCISES, optimizer: FIRST };
const LONG = { batch: 4, context: 512, questions: 8 };

/**
 * The steps of training, one phase after the other. Random sequences come first, in which induction
 * heads form. In exercises, heads learn to bind a thing to a name and a place. Both stay among the
 * stories, so that these heads are kept. The last two phases have rows as long as the context of
 * the model. The last one is for the language of the stories.
 *
 * @type {({ steps: number, batch: number, context: number, questions?: number, level?: number,
 *   kinds: import('./tokens/stream.js').Kind[], optimizer: typeof FIRST })[]}
 */
export const PHASES = [
  { steps: 800, batch: 16, context: 64, kinds: ['repeats'], optimizer: FIRST },
  { steps: 600, batch: 16, context: 64, kinds: EXERCISES, level: 0, optimizer: FIRST },
  { steps: 400, ...SMALL, level: 2 },
  { steps: 400, ...SMALL, level: 4 },
  { steps: 400, ...SMALL, level: 7 },
  { steps: 800, ...SMALL },
  { steps: 4600, batch: 8, context: 256, kinds: STORIES, questions: 8, optimizer: FIRST },
  { steps: 800, ...LONG, kinds: STORIES, optimizer: FIRST },
  { steps: 4000, ...LONG, kinds: MOSTLY_STORIES, optimizer: LAST },
];

export const STEPS = PHASES.reduce((sum, { steps }) => sum + steps, 0);

/** @type {import('../../src/js/train/types.d.ts').TrainOptions} */
export const TRAINING = {
  seed: SEED,
  batch: PHASES[0].batch,
  context: PHASES[0].context,
  optimizer: FIRST,
};
