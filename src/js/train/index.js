/**
 * Small models, trained from nothing with the same bits on every machine.
 *
 *     const trainer = await createTrainer(
 *       { layers: 2, modelDim: 64, heads: 8, ffnDim: 0, vocab: 32 },
 *       { seed: 1, batch: 16, context: 64 },
 *     );
 *     const { loss, gradNorm } = await trainer.step(tokens);
 *
 * All arithmetic is in C (train.h): the forward pass, the gradients and the optimizer. This side
 * checks, cuts a batch into parts and throws. The public types are in types.d.ts.
 */
import { ClearheadError, describe, refuse } from '../errors.js';
import { modelFile } from '../engine/files.js';
import { memories } from '../engine/memory.js';
import { init } from '../index.js';
import { read } from '../check.js';
import { atMost, guard } from '../names.js';
import { resumed } from './files/save.js';
import { checkThreads, readConfig, readOptions } from './options.js';
import { Trainer, trainers } from './trainer.js';

export { ClearheadError };

guard(Trainer.prototype, (x) => x instanceof Trainer && trainers.has(x), 'a trainer');

/**
 * @param {import('./types.d.ts').TrainConfig} config
 * @param {import('./types.d.ts').TrainOptions} options
 * @param {unknown[]} more none
 * @returns {Promise<import('./types.d.ts').Trainer>}
 */
export async function createTrainer(config, options, ...more) {
  atMost('createTrainer', [config, options, ...more], 2);
  const sizes = readConfig(config);
  const { engine, threads, ...o } = readOptions(options);
  const own = engine === undefined;
  checkThreads(engine, threads);
  const ch = own ? await ownEngine(threads) : engine;
  const memory = memories.get(ch);
  if (!memory?.c.attn_trainer_bytes)
    return refuse(
      'ARG',
      'engine',
      memory ? 'without layers' : describe(engine),
      'one of init({ layers: true })',
    );
  const end = own ? () => ch.dispose() : () => {};
  try {
    return new Trainer(memory, sizes, o, end);
  } catch (error) {
    end();
    throw error;
  }
}

/** @param {number | undefined} threads */
async function ownEngine(threads) {
  try {
    modelFile(false);
  } catch (cause) {
    throw new ClearheadError(
      'ENV',
      'this bundle does not know its own address; expected options with engine: ' +
        'await init({ layers: true, wasm }) (docs/bundlers.md)',
      { cause },
    );
  }
  // simd has the same bits on every engine
  return init({ layers: true, variant: 'simd', threads });
}

/**
 * @param {Uint8Array | ArrayBuffer} checkpoint
 * @param {import('./types.d.ts').ResumeOptions} [options]
 * @param {unknown[]} more none
 * @returns {Promise<import('./types.d.ts').Trainer>}
 */
export async function resume(checkpoint, options, ...more) {
  atMost('resume', [checkpoint, options, ...more], 2);
  const { engine, threads, ...sizes } = read('options', options, [
    'engine',
    'threads',
    'batch',
    'context',
  ]);
  const given = Object.fromEntries(Object.entries(sizes).filter(([, size]) => size !== undefined));
  return resumed(checkpoint, readConfig, (config, others) =>
    createTrainer(config, { ...others, ...given, engine, threads }),
  );
}
