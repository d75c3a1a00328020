/** A run of training that goes on where it was stopped, and the files of its model. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as otherEvents } from 'node:timers/promises';
import { createTrainer, resume } from '../../src/js/train/index.js';
import { begin } from './first.js';
import { MODEL, PHASES, SEED, TRAINING } from './recipe.js';
import { batchOf } from './tokens/stream.js';
import { MARK_ID, TOKENIZER_CONFIG, learnTokenizer, openTokenizer } from './tokens/tokenizer.js';

/** @typedef {import('../../src/js/train/types.d.ts').Trainer} Trainer */

const CHECKPOINT = 'checkpoint.bin';
/** A sum of the recipe that the checkpoint belongs to. */
const RECIPE = 'recipe.sha256';
/** Steps between two lines of the curve. */
const LINE = 50;

/** Of the recipe, and of the tokenizer, which changes with the stories. */
export function sumOfRecipe() {
  const recipe = { SEED, MODEL, TRAINING, PHASES, tokenizer: learnTokenizer() };
  return createHash('sha256').update(JSON.stringify(recipe)).digest('hex');
}

/**
 * A trainer of the checkpoint in a folder, or one that begins. Throws where the checkpoint is of
 * another recipe.
 * @param {string} folder
 * @param {number} threads
 * @param {string} [recipe] its sum
 */
export async function openTrainer(folder, threads, recipe = sumOfRecipe()) {
  const file = join(folder, CHECKPOINT);
  const stated = join(folder, RECIPE);
  if (existsSync(file)) {
    if (!existsSync(stated) || readFileSync(stated, 'utf8') !== recipe)
      throw new Error(`${file} is of another recipe; remove it, or choose another --folder`);
    return resume(readFileSync(file), { threads });
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(stated, recipe);
  const trainer = await createTrainer(MODEL, { ...TRAINING, threads });
  begin(trainer, SEED);
  return trainer;
}

/**
 * A trainer for the next phase, with the parameters and moments of this one, which ends.
 * @param {Trainer} trainer
 * @param {object} phase
 * @param {number} phase.batch
 * @param {number} phase.context
 * @param {import('../../src/js/train/types.d.ts').OptimizerOptions} [phase.optimizer] default: as
 *   before
 * @param {number} threads
 */
export async function inPhase(trainer, { batch, context, optimizer }, threads) {
  const { config, seed } = trainer;
  const next = await createTrainer(config, {
    ...{ seed, batch, context, threads },
    optimizer: optimizer ?? trainer.optimizer,
  });
  next.restore(trainer.state());
  trainer.dispose();
  return next;
}

/** Writes a file anew in one piece, so that a crash leaves the old one. */
function replace(/** @type {string} */ file, /** @type {Uint8Array} */ bytes) {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}

/**
 * Goes on with a trainer to `steps`, and keeps a checkpoint in the folder.
 * @param {Trainer} trainer
 * @param {object} options
 * @param {string} options.folder
 * @param {number} options.steps
 * @param {number} options.minutes between two checkpoints
 * @param {{ kinds?: import('./tokens/stream.js').Kind[], questions?: number, level?: number }}
 *   [options.stream] as `batchOf` has them
 * @param {(line: { step: number, loss: number, tokensPerSecond: number }) => void} options.report
 * @param {AbortSignal} [options.signal] ends the run after a last checkpoint
 */
export async function run(trainer, { folder, steps, minutes, stream, report, signal }) {
  mkdirSync(folder, { recursive: true });
  const tokenizer = await openTokenizer(learnTokenizer());
  const { batch, context } = trainer;
  const keep = () => replace(join(folder, CHECKPOINT), trainer.checkpoint());
  let kept = performance.now();
  let sum = 0;
  let count = 0;
  while (trainer.steps < steps && !signal?.aborted) {
    const { tokens, targets } = batchOf(
      { ...stream, tokenizer, seed: SEED, batch, context },
      trainer.steps,
    );
    const { loss, tokensPerSecond } = await trainer.step(tokens, { targets });
    sum += loss;
    count += 1;
    await otherEvents(); // a step may end without them, and then no signal comes through
    if (trainer.steps % LINE === 0 || trainer.steps === steps) {
      report({ step: trainer.steps, loss: sum / count, tokensPerSecond });
      sum = count = 0;
    }
    if (performance.now() - kept > 60e3 * minutes) {
      keep();
      kept = performance.now();
    }
  }
  keep();
}

/**
 * The files of the model by name.
 * @param {Trainer} trainer
 * @returns {Record<string, Uint8Array>}
 */
export function modelFiles(trainer) {
  const tokenizer = learnTokenizer();
  const marks = { bos: MARK_ID, eos: MARK_ID };
  const { weights, config } = trainer.save({ type: 'F16', tokenizer, ...marks });
  const gguf = trainer.save({ format: 'gguf', type: 'Q8_0', tokenizer, ...marks });
  const text = (/** @type {object} */ content) =>
    new TextEncoder().encode(`${JSON.stringify(content, null, 1)}\n`);
  return {
    'model.safetensors': weights,
    'config.json': text(config),
    'tokenizer.json': text(tokenizer),
    'tokenizer_config.json': text(TOKENIZER_CONFIG),
    'stories-Q8_0.gguf': gguf,
  };
}

/** As `sha256sum` writes and checks them. @param {Record<string, Uint8Array>} files */
export const sumsOf = (files) =>
  Object.entries(files)
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .join('');
