import { choice, integer, read } from '../../check.js';
import { runAtOnce } from '../../engine/yield.js';
import { describe, refuse } from '../../errors.js';
import { isPlain } from '../../kinds.js';
import { jsonTokenizer } from '../../model/text/tokenizer-json.js';
import { readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { writeGguf } from './gguf.js';
import { writeModel } from './safetensors.js';

/**
 * The files of a trainer: its model for others, and itself to go on from.
 * @typedef {import('../types.d.ts').Trainer} Trainer
 * @typedef {import('../types.d.ts').TrainConfig} TrainConfig
 * @typedef {import('../types.d.ts').TrainedConfig} TrainedConfig
 * @typedef {import('../types.d.ts').TrainOptions} TrainOptions
 */

/** The types that matrices may have in each format. */
const GGUF_TYPES = /** @type {const} */ (['F32', 'F16', 'Q8_0']);
const SAFETENSORS_TYPES = /** @type {const} */ (['F32', 'F16']);

/**
 * @param {Trainer} trainer
 * @param {import('../types.d.ts').SaveOptions} [options]
 */
export function saveModel(trainer, options) {
  const o = read('options', options, ['format', 'type', 'tokenizer', 'bos', 'eos']);
  const gguf = choice('format', o.format, 'safetensors', 'gguf') === 1;
  const { vocab } = trainer.config;
  for (const name of /** @type {const} */ (['bos', 'eos']))
    if (o[name] !== undefined) integer(name, o[name], 0, vocab - 1);
  const { tokenizer, bos, eos } = o;
  if (tokenizer !== undefined && !isPlain(tokenizer))
    refuse('ARG', 'tokenizer', describe(tokenizer), 'the object of a tokenizer.json');
  const sizes = { ...trainer.config, context: trainer.context };
  const typeOf = (/** @type {readonly string[]} */ types) => choice('type', o.type, ...types);
  if (gguf) {
    const type = GGUF_TYPES[typeOf(GGUF_TYPES)];
    return writeGguf(sizes, trainer.parameters(), type, { tokenizer, bos, eos });
  }
  const type = SAFETENSORS_TYPES[typeOf(SAFETENSORS_TYPES)];
  // readers of the files would refuse a tokenizer that is damaged or too large
  if (tokenizer) runAtOnce(jsonTokenizer({ tokenizer }, vocab));
  const files = writeModel(sizes, trainer.parameters(), type, { bos, eos });
  return tokenizer ? { ...files, tokenizer } : files;
}

/** @param {Trainer} trainer */
export function checkpointOf(trainer) {
  const { config, seed, batch, context, optimizer } = trainer;
  return writeCheckpoint({
    settings: { config, seed, batch, context, optimizer },
    ...trainer.state(),
  });
}

/**
 * The trainer of a checkpoint.
 * @param {unknown} checkpoint
 * @param {(config: TrainConfig) => TrainedConfig} readConfig checks it
 * @param {(config: TrainedConfig, options: TrainOptions) => Promise<Trainer>} createTrainer
 *   checks its options
 */
export async function resumed(checkpoint, readConfig, createTrainer) {
  const { settings, ...state } = readCheckpoint(checkpoint);
  const { config: given, ...options } = settings;
  const config = readConfig(/** @type {TrainConfig} */ (given));
  // a damaged file may describe a large model, for which no memory should be allocated
  const count = parameterCount(config);
  if (state.parameters.length !== count)
    refuse(
      'FORMAT',
      'checkpoint',
      `of ${state.parameters.length} parameters`,
      `${count}, as its settings say`,
    );
  const trainer = await createTrainer(
    config,
    /** @type {TrainOptions} */ (/** @type {unknown} */ (options)),
  );
  try {
    trainer.restore(state);
  } catch (error) {
    trainer.dispose();
    throw error;
  }
  return trainer;
}

/** @param {TrainedConfig} config */
function parameterCount({ vocab, modelDim, layers, heads, kvHeads, headDim, ffnDim, tiedOutput }) {
  const attention = 2 * (heads + kvHeads) * headDim + 1;
  const feedForward = ffnDim ? 3 * ffnDim + 1 : 0;
  const ends = vocab * (tiedOutput ? 1 : 2) + 1;
  return modelDim * (ends + layers * (attention + feedForward));
}
