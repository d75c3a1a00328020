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
  kvHeads: 2,
  ffnDim: 224,
};

export const STEPS = 8000;

/** @type {import('../../src/js/train/types.d.ts').TrainOptions} */
export const TRAINING = {
  seed: SEED,
  batch: 16,
  context: 512,
  optimizer: { learningRate: 3e-3, warmup: 200, steps: STEPS, weightDecay: 0.1 },
};
