/**
 * A model of two layers of attention alone, and sequences that repeat a random block. To predict
 * them it must look for the last occurrence of a token, and copy the one that followed.
 */
import { createRandom, mixed } from '../stories/random.js';

/** Steps of a run. */
export const STEPS = 600;
/** Steps between two points of the curves. */
export const INTERVAL = 25;
/** The mean weight that makes a head an induction head. */
export const THRESHOLD = 0.8;
/** Seconds in which one has to form. */
export const SECONDS = 90;

export const CONFIG = Object.freeze({
  vocab: 32,
  layers: 2,
  modelDim: 64,
  heads: 8,
  headDim: 16,
  ffnDim: 0,
});

export const OPTIONS = Object.freeze({
  batch: 16,
  context: 64,
  initialDeviation: 0.1,
  optimizer: Object.freeze({
    learningRate: 0.005,
    minLearningRate: 0.003,
    warmup: 50,
    steps: STEPS,
    weightDecay: 0,
  }),
});

/** Tokens of a block. With one length alone, a fixed distance would tell the next token. */
const BLOCK = { min: 8, max: OPTIONS.context / 2 };

/** No target: the first block cannot be predicted. */
const IGNORED = -1;

/** Kinds of sequences; they are drawn from different seeds. */
const [TRAINED, UNSEEN] = [1, 2];

/**
 * Sequences of context + 1 tokens that repeat a block of different ones. Beside them, the tokens
 * without the last of each sequence, and their targets.
 * @param {number[]} seed
 * @param {number} min tokens of a block
 * @param {number} max
 */
function repeats(seed, min, max) {
  const random = createRandom(mixed(...seed));
  const { batch, context } = OPTIONS;
  const vocabulary = Array.from({ length: CONFIG.vocab }, (_, token) => token);
  const rows = Array.from({ length: batch }, () => {
    const length = min + random.below(max - min + 1);
    const block = random.shuffled(vocabulary).slice(0, length);
    const row = Array.from({ length: context + 1 }, (_, i) => block[i % length]);
    const targets = row.map((token, i) => (i < length ? IGNORED : token)).slice(1);
    return { row, targets };
  });
  return {
    sequences: Int32Array.from(rows.flatMap(({ row }) => row)),
    tokens: Int32Array.from(rows.flatMap(({ row }) => row.slice(0, -1))),
    targets: Int32Array.from(rows.flatMap(({ targets }) => targets)),
  };
}

/** The batch of a step. @param {number} seed @param {number} step */
export const batchOf = (seed, step) => repeats([TRAINED, seed, step], BLOCK.min, BLOCK.max);

/** Sequences that training never shows, of the longest blocks: each comes twice. */
export const unseen = () => repeats([UNSEEN], BLOCK.max, BLOCK.max);
