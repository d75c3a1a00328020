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
 * The steps of training, one phase after the other. The first is random sequences alone, in which
 * induction heads form. Some stay among the stories, so that these heads are kept. The last phase
 * has rows as long as the context of the model.
 */
export const PHASES = [
  { steps: 800, batch: 16, context: 64, repeats: 1 },
  { steps: 5600, batch: 8, context: 256, repeats: 6, questions: 8 },
  { steps: 1600, batch: 4, context: 512, repeats: 6, questions: 8 },
];

export const STEPS = PHASES.reduce((sum, { steps }) => sum + steps, 0);

/** @type {import('../../src/js/train/types.d.ts').TrainOptions} */
export const TRAINING = {
  seed: SEED,
  batch: PHASES[0].batch,
  context: PHASES[0].context,
  optimizer: { learningRate: 3e-3, warmup: 100, steps: STEPS, weightDecay: 0.1 },
};
