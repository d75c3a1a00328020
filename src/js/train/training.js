/** A trainer in wasm memory, and the passes of batches through it. */
import {
  ATTN_HEAD_CHI,
  ATTN_HEAD_INDUCTION,
  ATTN_HEAD_PREVIOUS,
  ATTN_HEAD_RHO,
  ATTN_HEAD_SCORES,
} from '../engine/constants.js';
import { checkStatus } from '../engine/status.js';
import { together } from '../engine/team.js';
import { Block, F32, placeOf } from '../engine/tensor.js';
import { refuse } from '../errors.js';
import { partOf } from './batch.js';
import { ACTIVATIONS } from './options.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {import('./types.d.ts').TrainedConfig} TrainedConfig
 * @typedef {import('../engine/exports.d.ts').Functions} Functions
 * @typedef {import('../engine/exports.d.ts').Pointer} Pointer
 * @typedef {keyof typeof ARRAYS} Numbers
 */

/**
 * Where the numbers of a trainer lie.
 * @satisfies {Record<string, (c: Functions, trainer: Pointer) => Pointer>}
 */
const ARRAYS = {
  parameters: (c, trainer) => c.attn_trainer_parameters(trainer),
  gradients: (c, trainer) => c.attn_trainer_gradients(trainer),
  firstMoments: (c, trainer) => c.attn_trainer_first_moments(trainer),
  secondMoments: (c, trainer) => c.attn_trainer_second_moments(trainer),
};

/** Those that last from step to step. */
const LASTING = /** @type {const} */ (['parameters', 'firstMoments', 'secondMoments']);

export class Training {
  #memory;
  #config;
  #context;
  #batch;
  /** attn_trainer, and the memory that it lays out. @type {[Block, Block]} */
  #blocks;
  /** Those that a lost thread may still write to. @type {Block[]} */
  #lost = [];

  /**
   * @param {Memory} memory
   * @param {TrainedConfig} config
   * @param {{ seed: number, batch: number, context: number, initialDeviation: number }} options
   */
  constructor(memory, config, { seed, batch, context, initialDeviation }) {
    this.#memory = memory;
    this.#config = config;
    this.#context = context;
    this.#batch = batch;
    this.#blocks = this.#allocate();
    memory.c.attn_trainer_randomize(this.at, seed, initialDeviation);
    this.count = memory.c.attn_trainer_parameter_count(this.at) >>> 0;
  }

  /** The address of attn_trainer. */
  get at() {
    return placeOf(this.#blocks[0]);
  }

  /** Sequences of a part. */
  get sequences() {
    return this.#memory.c.attn_trainer_sequences(this.at);
  }

  /** @returns {[Block, Block]} */
  #allocate() {
    const { c } = this.#memory;
    const config = this.#config;
    const { layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab } = config;
    const widths = `${modelDim}, ${ffnDim} and ${vocab} channels`;
    const sizes = `of ${layers} layers, ${heads}/${kvHeads} heads of ${headDim}, and ${widths}`;
    const trainer = new Block(this.#memory, c.attn_trainer_bytes(), 'trainer');
    const at = placeOf(trainer);
    try {
      checkStatus(
        c.attn_trainer_init(
          ...[at, layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab],
          ...[this.#context, this.#batch],
        ) ||
          c.attn_trainer_set_model(
            ...[at, Number(config.tiedOutput), ACTIVATIONS.indexOf(config.activation)],
            ...[config.ropeTheta, config.normEps],
          ),
        'config',
        sizes,
        'sizes that fit',
      );
      const bytes = c.attn_trainer_memory_bytes(at) >>> 0;
      if (!bytes) refuse('LIMIT', 'config', sizes, 'a model in training below 4 GiB');
      const block = new Block(this.#memory, bytes, 'trainer');
      c.attn_trainer_place(at, placeOf(block));
      return [trainer, block];
    } catch (error) {
      trainer.dispose();
      throw error;
    }
  }

  /** After a thread was lost in a pass: the same parameters in new memory. */
  #move() {
    const lasting = this.lasting();
    this.#lost.push(...this.#blocks);
    this.#blocks = this.#allocate();
    this.setLasting(lasting);
  }

  /**
   * Calls `body` with a team of all threads. To be called where the stack is empty, as it may move
   * the training.
   * @template T
   * @param {number} bytes of scratch for each
   * @param {Batch} batch
   * @param {number} first sequence
   * @param {(team: number, tokens: number, targets: number, sequences: number, shared: number) =>
   *   T} body
   * @returns {T | undefined} undefined if a thread was lost; then the training is in new memory
   */
  #pass(bytes, batch, first, body) {
    const memory = this.#memory;
    const { c } = memory;
    const part = partOf(batch, first, this.sequences, this.#context);
    const size = this.count * part.tokens.length;
    const done = memory.scope(() => {
      const tokens = memory.put(part.tokens, 'int32');
      const targets = memory.put(part.targets, 'int32');
      /** @type {T | undefined} */
      let result;
      const whole = together(memory, bytes >>> 0, size, (team) => {
        const shared = memory.push(
          c.attn_trainer_shared_bytes(this.at, team, part.sequences) >>> 0,
        );
        result = body(team, tokens, targets, part.sequences, shared);
      });
      return whole ? result : undefined;
    });
    if (done === undefined) this.#move();
    return done;
  }

  /**
   * Σ losses of a batch, part by part. With a weight it leaves weight·their gradient.
   * @param {Batch} batch
   * @param {number | undefined} weight
   * @param {import('./gate.js').Passage} passage
   */
  async losses(batch, weight, { wait, tell }) {
    const { c } = this.#memory;
    const { sequences: total } = batch;
    let sum = 0;
    for (let first = 0; first < total;) {
      await wait();
      if (first === 0) {
        sum = 0;
        if (weight !== undefined) c.attn_trainer_clear(this.at);
      }
      const loss = this.#pass(c.attn_trainer_scratch_bytes(this.at), batch, first, (...values) => {
        const [team, tokens, targets, sequences, shared] = values;
        return weight === undefined
          ? c.attn_trainer_loss(this.at, team, tokens, targets, sequences, shared)
          : c.attn_trainer_gradient(this.at, team, tokens, targets, sequences, weight, shared);
      });
      first = loss === undefined ? 0 : first + this.sequences;
      sum += loss ?? 0;
      if (first) tell({ sequences: Math.min(first, total), total });
    }
    return sum;
  }

  /**
   * Of the first sequences of a batch, as many as fit in a part.
   * @param {Batch} batch
   * @returns {import('./types.d.ts').HeadScores}
   */
  heads(batch) {
    const memory = this.#memory;
    const length = this.#config.layers * this.#config.heads * ATTN_HEAD_SCORES;
    const scores = this.#pass(
      memory.c.attn_trainer_heads_bytes(this.at),
      batch,
      0,
      (team, tokens, _, sequences, shared) => {
        const to = memory.pushArray('float64', length);
        memory.c.attn_trainer_heads(this.at, team, to, tokens, sequences, shared);
        return memory.copy('float64', to, length);
      },
    );
    if (!scores) return this.heads(batch);
    const of = (/** @type {number} */ score) =>
      scores.filter((_, at) => at % ATTN_HEAD_SCORES === score);
    return {
      rho: of(ATTN_HEAD_RHO),
      chi: of(ATTN_HEAD_CHI),
      previousToken: of(ATTN_HEAD_PREVIOUS),
      induction: of(ATTN_HEAD_INDUCTION),
    };
  }

  /**
   * The update of a step, by this thread alone. If one were lost in it, it could not be done again.
   * @param {number} number of the step, counted from 1
   * @param {import('./types.d.ts').TrainedOptimizer} optimizer
   */
  update(number, optimizer) {
    const { c } = this.#memory;
    const { steps, warmup, learningRate, minLearningRate } = optimizer;
    const { clip, weightDecay, beta1, beta2, epsilon } = optimizer;
    const rate = c.attn_learning_rate(number - 1, steps, warmup, learningRate, minLearningRate);
    const gradNorm = c.attn_trainer_update(
      ...[this.at, 0, number, clip, rate, weightDecay, beta1, beta2, epsilon],
    );
    return { learningRate: rate, gradNorm };
  }

  /** A copy of some or all of them. @param {Numbers} which */
  copy(which, offset = 0, length = this.count) {
    const at = ARRAYS[which](this.#memory.c, this.at);
    return this.#memory.copy(F32, at + 4 * offset, length);
  }

  /** @param {Numbers} which @param {Float32Array} values */
  set(which, values, offset = 0) {
    const at = ARRAYS[which](this.#memory.c, this.at);
    this.#memory.view(F32, at + 4 * offset, values.length).set(values);
  }

  /** Parameters and both moments. */
  lasting() {
    return LASTING.map((which) => this.copy(which));
  }

  /** @param {Float32Array[]} values as of lasting() */
  setLasting(values) {
    values.forEach((numbers, i) => this.set(LASTING[i], numbers));
  }

  dispose() {
    for (const block of this.#blocks) block.dispose();
  }
}
