import { abortSignal, array, integer, list, read, sized, yes } from '../check.js';
import { ClearheadError, describe, refuse } from '../errors.js';
import {
  ATTN_HEAD_CHI,
  ATTN_HEAD_INDUCTION,
  ATTN_HEAD_PREVIOUS,
  ATTN_HEAD_RHO,
  ATTN_HEAD_SCORES,
} from '../engine/constants.js';
import { now } from '../engine/platform.js';
import { checkStatus } from '../engine/status.js';
import { Block, DISPOSE, F32 } from '../engine/tensor.js';
import { yieldToOthers } from '../engine/yield.js';
import { together } from '../engine/team.js';
import { partOf, readBatch } from './batch.js';
import { ACTIVATIONS } from './options.js';
import { placesOf } from './parameters.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('./types.d.ts').TrainedConfig} TrainedConfig
 * @typedef {Omit<ReturnType<typeof import('./options.js').readOptions>, 'engine' | 'threads'>} Options
 * @typedef {ReturnType<typeof partOf>} Part
 */

/** The blocks of a trainer that last, in the order of TrainerState. */
const STATE = /** @type {const} */ (['parameters', 'first_moments', 'second_moments']);

const BUSY = 'the trainer is in a step or an evaluation; expected to be called after it';

/** See types.d.ts. */
export class Trainer {
  #memory;
  #end;
  /** attn_trainer, and the memory that it lays out. @type {[Block, Block]} */
  #blocks;
  /** Those that a lost thread may still write to. @type {Block[]} */
  #lost = [];
  #busy = false;
  #steps = 0;

  /**
   * @param {Memory} memory
   * @param {TrainedConfig} config
   * @param {Options} options
   * @param {() => void} end ends the engine, where it is the trainer's own
   */
  constructor(memory, config, options, end) {
    this.#memory = memory;
    this.#end = end;
    this.config = config;
    this.seed = options.seed;
    this.batch = options.batch;
    this.context = options.context;
    this.optimizer = options.optimizer;
    this.#blocks = this.#allocate();
    memory.c.attn_trainer_randomize(this.#at, options.seed, options.initialDeviation);
    this.parameterCount = memory.c.attn_trainer_parameter_count(this.#at) >>> 0;
    Object.freeze(this);
  }

  get #at() {
    return this.#blocks[0].place();
  }

  /** Steps that are done. */
  get steps() {
    return this.#steps;
  }

  /** @returns {[Block, Block]} */
  #allocate() {
    const { c } = this.#memory;
    const { config } = this;
    const { layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab } = config;
    const trainer = new Block(this.#memory, c.attn_trainer_bytes(), 'trainer');
    const at = trainer.place();
    const sizes = `of ${layers} layers, ${heads}/${kvHeads} heads of ${headDim}, and ${modelDim}, \
${ffnDim} and ${vocab} channels`;
    checkStatus(
      c.attn_trainer_init(
        at,
        ...[layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab],
        this.context,
        this.batch,
      ) ||
        c.attn_trainer_set_model(
          at,
          Number(config.tiedOutput),
          ACTIVATIONS.indexOf(config.activation),
          config.ropeTheta,
          config.normEps,
        ),
      'config',
      sizes,
      'sizes that fit',
    );
    const bytes = c.attn_trainer_memory_bytes(at) >>> 0;
    if (!bytes) refuse('LIMIT', 'config', sizes, 'a model in training below 4 GiB');
    const block = new Block(this.#memory, bytes, 'trainer');
    c.attn_trainer_place(at, block.place());
    return [trainer, block];
  }

  /** After a thread was lost in a call: the same parameters in new memory. */
  #move() {
    const state = this.state();
    this.#lost.push(...this.#blocks);
    this.#blocks = this.#allocate();
    this.#set(state);
  }

  /**
   * Calls `body` with a team of all threads, until no thread was lost in it.
   * @param {Part} part
   * @param {(team: number, tokens: number, targets: number, shared: number) => number} body
   * @returns {number | undefined} undefined if a thread was lost
   */
  #pass({ tokens, targets, sequences }, body) {
    const memory = this.#memory;
    const { c } = memory;
    const size = this.parameterCount * sequences * this.context;
    return memory.scope(() => {
      const bytes = c.attn_trainer_heads_bytes(this.#at) >>> 0;
      const at = [memory.put(tokens, 'int32'), memory.put(targets, 'int32')];
      let result = 0;
      const whole = together(memory, bytes, size, (team) => {
        const shared = memory.push(c.attn_trainer_shared_bytes(this.#at, team) >>> 0);
        result = body(team, at[0], at[1], shared);
      });
      return whole ? result : undefined;
    });
  }

  /**
   * Σ losses of a batch, part by part, with their gradient if it is weighted.
   * @param {import('./batch.js').Batch} batch
   * @param {number | undefined} weight
   * @param {AbortSignal | undefined} signal
   */
  async #losses(batch, weight, signal) {
    const { c } = this.#memory;
    const pause = yieldToOthers();
    const size = c.attn_trainer_sequences(this.#at);
    let sum = 0;
    if (weight !== undefined) c.attn_trainer_clear(this.#at);
    for (let first = 0; first < batch.sequences; first += size) {
      await pause();
      signal?.throwIfAborted();
      const end = Math.min(first + size, batch.sequences);
      const part = partOf(batch, first, end, this.context);
      const loss = this.#pass(part, (team, tokens, targets, shared) =>
        weight === undefined
          ? c.attn_trainer_loss(this.#at, team, tokens, targets, part.sequences, shared)
          : c.attn_trainer_gradient(
              this.#at,
              ...[team, tokens, targets, part.sequences, weight, shared],
            ),
      );
      if (loss === undefined) {
        this.#move();
        first = -size;
        sum = 0;
      } else sum += loss;
    }
    return sum;
  }

  /**
   * Runs one thing at a time.
   * @template T
   * @param {() => Promise<T>} body
   */
  async #alone(body) {
    if (this.#busy) throw new ClearheadError('BUSY', BUSY);
    this.#busy = true;
    try {
      return await body();
    } finally {
      this.#busy = false;
    }
  }

  /**
   * @param {Int32Array | Uint32Array} tokens
   * @param {import('./types.d.ts').StepOptions} [options]
   * @returns {Promise<import('./types.d.ts').StepResult>}
   */
  async step(tokens, options) {
    const o = read('options', options, ['targets', 'heads', 'signal']);
    const signal = abortSignal(o.signal);
    const withHeads = yes('heads', o.heads);
    const { vocab } = this.config;
    const { context, batch, optimizer } = this;
    const given = readBatch(tokens, o.targets, { vocab, context, batch });
    return this.#alone(async () => {
      const { c } = this.#memory;
      const started = now();
      const loss = (await this.#losses(given, 1 / given.count, signal)) / given.count;
      const heads = withHeads ? this.#heads(given) : undefined;
      const { steps, warmup, learningRate, minLearningRate } = optimizer;
      const rate = c.attn_learning_rate(
        ...[this.#steps, steps, warmup, learningRate, minLearningRate],
      );
      const { clip, weightDecay, beta1, beta2, epsilon } = optimizer;
      // by this thread alone: if one were lost in the update, it could not be done again
      const gradNorm = c.attn_trainer_update(
        ...[this.#at, 0, this.#steps + 1, clip, rate, weightDecay, beta1, beta2, epsilon],
      );
      if (!Number.isFinite(gradNorm))
        refuse('RANGE', 'gradNorm', gradNorm, 'a finite number; nothing was changed');
      this.#steps++;
      const milliseconds = now() - started;
      return {
        step: this.#steps,
        loss,
        gradNorm,
        learningRate: rate,
        tokensPerSecond: (1000 * batch * context) / milliseconds,
        ...(heads && { heads }),
      };
    });
  }

  /**
   * @param {Int32Array | Uint32Array} tokens
   * @param {import('./types.d.ts').EvaluateOptions} [options]
   */
  async evaluate(tokens, options) {
    const o = read('options', options, ['targets', 'signal']);
    const signal = abortSignal(o.signal);
    const { vocab } = this.config;
    const given = readBatch(tokens, o.targets, { vocab, context: this.context });
    const { count } = given;
    return this.#alone(async () => ({
      loss: (await this.#losses(given, undefined, signal)) / count,
      count,
    }));
  }

  /**
   * Of the first sequences of a batch, as many as fit in a part.
   * @param {import('./batch.js').Batch} batch
   * @returns {import('./types.d.ts').HeadScores}
   */
  #heads(batch) {
    const memory = this.#memory;
    const { layers, heads } = this.config;
    const end = Math.min(batch.sequences, memory.c.attn_trainer_sequences(this.#at));
    const part = partOf(batch, 0, end, this.context);
    const length = layers * heads * ATTN_HEAD_SCORES;
    const scores = memory.scope(() => {
      const to = memory.pushArray('float64', length);
      const done = this.#pass(part, (team, tokens, _, shared) => {
        memory.c.attn_trainer_heads(this.#at, team, to, tokens, part.sequences, shared);
        return 1;
      });
      return done && memory.copy('float64', to, length);
    });
    if (!scores) {
      this.#move();
      return this.#heads(batch);
    }
    const of = (/** @type {number} */ score) =>
      scores.filter((_, at) => at % ATTN_HEAD_SCORES === score);
    return {
      rho: of(ATTN_HEAD_RHO),
      chi: of(ATTN_HEAD_CHI),
      previousToken: of(ATTN_HEAD_PREVIOUS),
      induction: of(ATTN_HEAD_INDUCTION),
    };
  }

  /** @param {Int32Array | Uint32Array} tokens */
  heads(tokens) {
    const { vocab } = this.config;
    return this.#heads(readBatch(tokens, undefined, { vocab, context: this.context }));
  }

  /** @param {number} at of all parameters @param {number} length */
  #copy(at, length = this.parameterCount) {
    return this.#memory.copy(F32, at, length);
  }

  /** @param {number} at of all parameters @returns {import('./types.d.ts').Parameter[]} */
  #named(at) {
    return placesOf(this.#memory, this.#at, this.config.layers).map(
      ({ name, shape, offset, length }) => ({
        name,
        shape,
        data: this.#copy(at + 4 * offset, length),
      }),
    );
  }

  parameters() {
    return this.#named(this.#memory.c.attn_trainer_parameters(this.#at));
  }

  gradients() {
    return this.#named(this.#memory.c.attn_trainer_gradients(this.#at));
  }

  /** @returns {import('./types.d.ts').TrainerState} */
  state() {
    const [parameters, firstMoments, secondMoments] = STATE.map((name) =>
      this.#copy(this.#memory.c[`attn_trainer_${name}`](this.#at)),
    );
    return { steps: this.#steps, parameters, firstMoments, secondMoments };
  }

  /** @param {import('./types.d.ts').TrainerState} state */
  #set({ steps, parameters, firstMoments, secondMoments }) {
    [parameters, firstMoments, secondMoments].forEach((values, i) => {
      const at = this.#memory.c[`attn_trainer_${STATE[i]}`](this.#at);
      this.#memory.view(F32, at, this.parameterCount).set(values);
    });
    this.#steps = steps;
  }

  /** @param {import('./types.d.ts').TrainerState} state */
  restore(state) {
    const o = read('state', state, ['steps', 'parameters', 'firstMoments', 'secondMoments']);
    const numbers = (/** @type {string} */ name, /** @type {unknown} */ x) =>
      sized(name, array(name, x, 'Float32Array'), this.parameterCount, 'parameterCount');
    const checked = {
      steps: integer('steps', o.steps, 0),
      parameters: numbers('parameters', o.parameters),
      firstMoments: numbers('firstMoments', o.firstMoments),
      secondMoments: numbers('secondMoments', o.secondMoments),
    };
    if (this.#busy) throw new ClearheadError('BUSY', BUSY);
    this.#set(checked);
  }

  /** @param {readonly import('./types.d.ts').Parameter[]} parameters */
  setParameters(parameters) {
    const places = placesOf(this.#memory, this.#at, this.config.layers);
    const given = new Map(
      list('parameters', parameters).map((parameter, i) => {
        const { name, data } = read(`parameters[${i}]`, parameter, ['name', 'shape', 'data']);
        return [name, data];
      }),
    );
    const checked = places.map(({ name, length, offset }) => {
      const data = array(name, given.get(name), 'Float32Array');
      given.delete(name);
      return { offset, data: sized(name, data, length, 'the numbers of its shape') };
    });
    for (const name of given.keys())
      refuse('ARG', 'parameters', `with ${describe(name)}`, 'only those of this model');
    if (this.#busy) throw new ClearheadError('BUSY', BUSY);
    const at = this.#memory.c.attn_trainer_parameters(this.#at);
    for (const { offset, data } of checked)
      this.#memory.view(F32, at + 4 * offset, data.length).set(data);
  }

  dispose() {
    for (const block of this.#blocks) block.dispose();
    this.#end();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
