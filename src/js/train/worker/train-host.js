/**
 * The worker behind client.js: it holds one trainer and does what messages ask.
 *
 *   { id, f, values }     a call, answered by { id, value } or { id, error }
 *   { id, progress }      an answer before the last one: how far a step is
 *   { stop: id }          ends a step between two parts of its batch; it has no answer of its own
 */
import { init } from '../../index.js';
import { threadsOfPage } from '../../worker/host-threads.js';
import { errorOf, foreign, serve } from '../../worker/serve.js';
import { createTrainer, resume } from '../index.js';

/**
 * @typedef {import('../types.d.ts').Trainer} Trainer
 * @typedef {{ id: number, f: string, values: unknown[], stop?: number }} Message
 * @typedef {(answer: unknown) => void} Post
 */

/** @type {Trainer} */
let trainer;
/** Steps and evaluations that can be ended. @type {Map<number, AbortController>} */
const running = new Map();

/** They make the trainer. @type {Record<string, (x: never, options: never) => Promise<Trainer>>} */
const MAKERS = { create: createTrainer, resume };

/**
 * @param {Post} post
 * @param {string} f
 * @param {unknown[]} values
 */
async function make(post, f, [given, options, engine]) {
  const { threads, ...rest } = /** @type {{ threads?: number }} */ (options);
  const ch = await init({
    variant: 'simd',
    threads,
    .../** @type {object | undefined} */ (engine),
    layers: true,
    worker: threadsOfPage(post),
  });
  trainer = await MAKERS[f](
    /** @type {never} */ (given),
    /** @type {never} */ ({ ...rest, engine: ch }),
  );
  const { config, optimizer, seed, batch, context, parameterCount, steps } = trainer;
  const info = { ...ch.info };
  return { config, optimizer, seed, batch, context, parameterCount, steps, engine: info };
}

/**
 * A call that can be ended, and that tells its progress.
 * @param {Post} post
 * @param {number} id
 * @param {'step' | 'evaluate'} f
 * @param {unknown[]} values
 */
async function pass(post, id, f, [tokens, options]) {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    return await trainer[f](/** @type {Int32Array} */ (tokens), {
      .../** @type {object} */ (options),
      signal: controller.signal,
      onProgress: (progress) => post({ id, progress }),
    });
  } finally {
    running.delete(id);
  }
}

/** @param {unknown} object @returns {Record<string, (...values: unknown[]) => unknown>} */
const methodsOf = (object) => /** @type {ReturnType<typeof methodsOf>} */ (object);

/** @param {Post} post @param {Message} message */
async function answer(post, { id, f, values, stop }) {
  if (stop !== undefined) return void running.get(stop)?.abort();
  try {
    if (f in MAKERS) return post({ id, value: await make(post, f, values) });
    if (!trainer) foreign('training', f);
    const value = await (f === 'step' || f === 'evaluate'
      ? pass(post, id, f, values)
      : methodsOf(trainer)[f](...values));
    post({ id, value: { value, steps: trainer.steps } });
  } catch (error) {
    post({ id, error: errorOf(error) });
  }
}

serve(answer);
