import { array, integer, list, read, sized, yes } from '../check.js';
import { now } from '../engine/platform.js';
import { DISPOSE } from '../engine/tensor.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import { readBatch } from './batch.js';
import { checkpointOf, saveModel } from './files/save.js';
import { Gate } from './gate.js';
import { placesOf } from './parameters.js';
import { Training } from './training.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {ReturnType<typeof import('./options.js').readOptions>} ReadOptions
 * @typedef {Omit<ReadOptions, 'engine' | 'threads'>} Options
 */

const BUSY = 'the trainer is in a step or an evaluation; expected to be called after it';

/** All trainers, which no proxy or heir of one is among. @type {WeakSet<object>} */
export const trainers = new WeakSet();

/** See types.d.ts. */
export class Trainer {
  #training;
  #places;
  #end;
  #busy = false;
  #steps = 0;
  #gate = new Gate();

  /**
   * @param {Memory} memory
   * @param {import('./types.d.ts').TrainedConfig} config
   * @param {Options} options
   * @param {() => void} end ends the engine, where it is the trainer's own
   */
  constructor(memory, config, options, end) {
    trainers.add(this);
    this.#end = end;
    this.#training = new Training(memory, config, options);
    this.#places = placesOf(memory, this.#training.at, config.layers);
    this.config = config;
    this.seed = options.seed;
    this.batch = options.batch;
    this.context = options.context;
    this.optimizer = options.optimizer;
    this.parameterCount = this.#training.count;
    Object.freeze(this);
  }

  /** Steps that are done. */
  get steps() {
    return this.#steps;
  }

  #checkFree() {
    if (this.#busy) throw new ClearheadError('BUSY', BUSY);
  }

  /**
   * Runs one thing at a time.
   * @template T
   * @param {() => Promise<T>} body
   */
  async #exclusively(body) {
    this.#checkFree();
    this.#busy = true;
    try {
      return await body();
    } finally {
      this.#busy = false;
    }
  }

  /** @param {unknown} tokens @param {unknown} targets @param {number} [batch] */
  #read(tokens, targets, batch) {
    const { context, config } = this;
    return readBatch(tokens, targets, { vocab: config.vocab, context, batch });
  }

  /**
   * @param {Int32Array | Uint32Array} tokens
   * @param {import('./types.d.ts').StepOptions} [options]
   * @returns {Promise<import('./types.d.ts').StepResult>}
   */
  async step(tokens, options) {
    const o = read('options', options, ['targets', 'heads', 'signal', 'onProgress']);
    const passage = this.#gate.forCall(o);
    const withHeads = yes('heads', o.heads);
    const batch = this.#read(tokens, o.targets, this.batch);
    return this.#exclusively(async () => {
      const started = now();
      // before the gradient, which does not outlast the loss of a thread
      const heads = withHeads ? { heads: this.#training.heads(batch) } : {};
      const loss = (await this.#training.losses(batch, 1 / batch.count, passage)) / batch.count;
      const { gradNorm, learningRate } = this.#training.update(this.#steps + 1, this.optimizer);
      if (!Number.isFinite(gradNorm))
        refuse('RANGE', 'gradNorm', gradNorm, 'a finite number; nothing was changed');
      this.#steps++;
      const tokensPerSecond = (1000 * this.batch * this.context) / (now() - started);
      return { step: this.#steps, loss, gradNorm, learningRate, tokensPerSecond, ...heads };
    });
  }

  /**
   * @param {Int32Array | Uint32Array} tokens
   * @param {import('./types.d.ts').EvaluateOptions} [options]
   */
  async evaluate(tokens, options) {
    const o = read('options', options, ['targets', 'signal', 'onProgress']);
    const passage = this.#gate.forCall(o);
    const batch = this.#read(tokens, o.targets);
    const { count } = batch;
    return this.#exclusively(async () => ({
      loss: (await this.#training.losses(batch, undefined, passage)) / count,
      count,
    }));
  }

  /** @param {Int32Array | Uint32Array} tokens */
  heads(tokens) {
    this.#checkFree();
    return this.#training.heads(this.#read(tokens, undefined));
  }

  /** @param {'parameters' | 'gradients'} which @returns {import('./types.d.ts').Parameter[]} */
  #named(which) {
    return this.#places.map(({ name, shape, offset, length }) => ({
      name,
      shape: [...shape],
      data: this.#training.copy(which, offset, length),
    }));
  }

  parameters() {
    return this.#named('parameters');
  }

  gradients() {
    return this.#named('gradients');
  }

  /** @param {readonly import('./types.d.ts').Parameter[]} parameters */
  setParameters(parameters) {
    const given = new Map(
      list('parameters', parameters).map((parameter, i) => {
        const { name, data } = read(`parameters[${i}]`, parameter, ['name', 'shape', 'data']);
        return [name, data];
      }),
    );
    const checked = this.#places.map(({ name, length, offset }) => {
      const data = array(name, given.get(name), 'Float32Array');
      given.delete(name);
      return { offset, data: sized(name, data, length, 'the numbers of its shape') };
    });
    for (const name of given.keys())
      refuse('ARG', 'parameters', `with ${describe(name)}`, 'only those of this model');
    this.#checkFree();
    for (const { offset, data } of checked) this.#training.set('parameters', data, offset);
  }

  /** @returns {import('./types.d.ts').TrainerState} */
  state() {
    const [parameters, firstMoments, secondMoments] = this.#training.lasting();
    return { steps: this.#steps, parameters, firstMoments, secondMoments };
  }

  /** @param {import('./types.d.ts').TrainerState} state */
  restore(state) {
    const o = read('state', state, ['steps', 'parameters', 'firstMoments', 'secondMoments']);
    const steps = integer('steps', o.steps, 0);
    const lasting = Object.entries({
      parameters: o.parameters,
      firstMoments: o.firstMoments,
      secondMoments: o.secondMoments,
    }).map(([name, x]) =>
      sized(name, array(name, x, 'Float32Array'), this.parameterCount, 'parameterCount'),
    );
    this.#checkFree();
    this.#training.setLasting(lasting);
    this.#steps = steps;
  }

  /** @type {import('./types.d.ts').Trainer['save']} */
  save(options) {
    return /** @type {never} */ (saveModel(this, options)); // as its format is
  }

  checkpoint() {
    return checkpointOf(this);
  }

  pause() {
    this.#gate.pause();
  }

  proceed() {
    this.#gate.proceed();
  }

  dispose() {
    this.#training.dispose();
    this.#end();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
