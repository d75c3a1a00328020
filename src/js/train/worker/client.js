/**
 * `clearhead/train/worker`: a trainer in a worker of its own, so that a page stays free. Every
 * method returns a promise; see client.d.ts.
 */
import { read } from '../../check.js';
import { ClearheadError } from '../../errors.js';
import { atMost, countArguments } from '../../names.js';
import { startLink } from '../../worker/link.js';
import { checkEngine, sendableEngine } from '../../worker/sendable.js';
import { checkpointBytes } from '../files/checkpoint.js';
import { checkThreads } from '../options.js';
import { RemoteTrainer } from './remote-trainer.js';
import { spawnTrainerHost } from './spawn.js';

export { ClearheadError };

countArguments(RemoteTrainer.prototype);

/** @typedef {import('./client.d.ts').RemoteTrainer} Remote */

/**
 * @param {import('../types.d.ts').TrainConfig} config
 * @param {import('./client.d.ts').RemoteTrainOptions} options
 * @param {unknown[]} more none
 * @returns {Promise<Remote>}
 */
export async function createTrainer(config, options, ...more) {
  atMost('createTrainer', [config, options, ...more], 2);
  const { engine, worker, ...rest } = read('options', options, [
    ...['engine', 'worker', 'threads', 'seed', 'batch', 'context', 'initialDeviation', 'optimizer'],
  ]);
  return start('create', [config, rest], engine, worker);
}

/**
 * @param {Uint8Array | ArrayBuffer} checkpoint
 * @param {import('./client.d.ts').RemoteResumeOptions} [options]
 * @param {unknown[]} more none
 * @returns {Promise<Remote>}
 */
export async function resume(checkpoint, options, ...more) {
  atMost('resume', [checkpoint, options, ...more], 2);
  const { engine, worker, ...rest } = read('options', options, [
    'engine',
    'worker',
    'threads',
    'batch',
    'context',
  ]);
  return start('resume', [checkpointBytes(checkpoint), rest], engine, worker);
}

/**
 * @param {'create' | 'resume'} f
 * @param {unknown[]} values
 * @param {import('../../types.d.ts').InitOptions | undefined} engine
 * @param {(() => object) | undefined} worker
 */
async function start(f, values, engine, worker) {
  checkEngine(engine);
  checkThreads(engine, /** @type {{ threads?: unknown }} */ (values[1]).threads);
  const name = f === 'create' ? 'createTrainer' : f;
  const link = await startLink(worker, spawnTrainerHost, () => {});
  try {
    const { signal } = new AbortController();
    const sent = engine && (await sendableEngine(engine, signal));
    return new RemoteTrainer(link, await link.call(f, [...values, sent], { name }));
  } catch (error) {
    link.end(error);
    throw error;
  }
}
