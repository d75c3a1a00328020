/**
 * The types of `clearhead/train`. Shapes are row-major, outermost axis first: a matrix W of y = Wx
 * is (outputs, inputs).
 */
import type { Engine } from '../types.js';

export { ClearheadError } from '../types.js';

/** A model of the Llama kind. */
export interface TrainConfig {
  vocab: number;
  /** Width of the residual stream. */
  modelDim: number;
  layers: number;
  heads: number;
  /** A divisor of heads; default heads. */
  kvHeads?: number | undefined;
  /** Even; default modelDim/heads. */
  headDim?: number | undefined;
  /** Width of the feed-forward layers; 0: a model of attention alone. */
  ffnDim: number;
  /** Base of rotary positions, default 10,000. */
  ropeTheta?: number | undefined;
  /** Epsilon of the norms, default 1e-5. */
  normEps?: number | undefined;
  /** Default silu. */
  activation?: 'silu' | 'gelu' | 'gelu_tanh' | undefined;
  /** Whether the embedding is the output matrix too; default true. */
  tiedOutput?: boolean | undefined;
}

/** The same with every default in its place. */
export type TrainedConfig = {
  readonly [K in keyof TrainConfig]-?: Exclude<TrainConfig[K], undefined>;
};

/**
 * AdamW with decoupled decay of all matrices. The rate rises in `warmup` steps to learningRate, and
 * falls along half a cosine to minLearningRate at `steps`.
 */
export interface OptimizerOptions {
  /** Default 1e-3. */
  learningRate?: number | undefined;
  /** Default a tenth of learningRate. */
  minLearningRate?: number | undefined;
  /** Steps, at most `steps`. Default 100, or `steps` if that is less. */
  warmup?: number | undefined;
  /** Steps until the rate stays at minLearningRate, default 1,000. */
  steps?: number | undefined;
  /** Default 0.9. */
  beta1?: number | undefined;
  /** Default 0.95. */
  beta2?: number | undefined;
  /** Default 1e-8. */
  epsilon?: number | undefined;
  /** Default 0.1. */
  weightDecay?: number | undefined;
  /** The largest norm of the gradient; a larger one is scaled down. 0: none. Default 1. */
  clip?: number | undefined;
}

/** The same with every default in its place. */
export type TrainedOptimizer = {
  readonly [K in keyof OptimizerOptions]-?: Exclude<OptimizerOptions[K], undefined>;
};

export interface TrainOptions {
  /**
   * An engine of `init({ layers: true, variant: 'simd' })`. Other kernels have other bits. Default:
   * one of its own.
   */
  engine?: Engine | undefined;
  /** Threads of its own engine, default 1. The bits do not depend on it. ARG: `engine` is given. */
  threads?: number | undefined;
  /** Of the first parameters: an integer from 0 to 2^53 − 1, default 0. */
  seed?: number | undefined;
  /** Sequences of a step. */
  batch: number;
  /** Tokens of a sequence. */
  context: number;
  /**
   * Standard deviation of the first parameters, default 0.02. The matrices that write to the
   * residual stream have it divided by √(2·layers).
   */
  initialDeviation?: number | undefined;
  optimizer?: OptimizerOptions | undefined;
}

/**
 * Scores of each head (layers, heads): the means over the query rows of some sequences. Rows with a
 * single key do not count.
 */
export interface HeadScores {
  /** ρ_eff = KL(p‖u), from the fused kernel, in nats. */
  rho: Float64Array;
  /** χ = Var_p(z), the variance of the scores under the weights. */
  chi: Float64Array;
  /** The weight of the token before. */
  previousToken: Float64Array;
  /**
   * The weight of the tokens that followed an earlier occurrence of the query's token; over rows
   * whose token occurred before, and 0 if there is none.
   */
  induction: Float64Array;
}

export interface StepOptions {
  /**
   * (batch, context): the target of each token, or −1 for none. Then tokens is (batch, context) as
   * well.
   */
  targets?: Int32Array | undefined;
  /** Whether the result has the scores of heads, on the first sequences of the batch. */
  heads?: boolean | undefined;
  /** Ends the step between two parts of the batch. Parameters and moments stay as they were. */
  signal?: AbortSignal | undefined;
  /** Called after each part of the batch. If it throws, the step throws the same. */
  onProgress?: ((progress: StepProgress) => void) | undefined;
}

/** How far a batch is. */
export interface StepProgress {
  /** Sequences that are done. */
  sequences: number;
  /** Sequences of the batch. */
  total: number;
}

export interface StepResult {
  /** Steps that are done, this one among them. */
  step: number;
  /** The mean loss of the batch before the step, in nats. */
  loss: number;
  /** The norm of the gradient before it was clipped. */
  gradNorm: number;
  learningRate: number;
  tokensPerSecond: number;
  heads?: HeadScores;
}

export interface EvaluateOptions {
  /** As in StepOptions. */
  targets?: Int32Array | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: StepProgress) => void) | undefined;
}

/** A parameter by its name in Hugging Face's Llama. */
export interface Parameter {
  name: string;
  shape: number[];
  data: Float32Array;
}

/** Everything that the next steps depend on, but for their tokens. */
export interface TrainerState {
  steps: number;
  /** All parameters, and both moments of AdamW, (parameterCount) each. */
  parameters: Float32Array;
  firstMoments: Float32Array;
  secondMoments: Float32Array;
}

export type SaveFormat = 'safetensors' | 'gguf';

export interface SaveOptions<F extends SaveFormat = SaveFormat> {
  /** Default safetensors. */
  format?: F | undefined;
  /**
   * Of matrices; vectors stay F32 in GGUF. Default F32. Q8_0 is for GGUF, and for matrices whose
   * rows are multiples of 32.
   */
  type?: 'F32' | 'F16' | 'Q8_0' | undefined;
  /** The object of a tokenizer.json. GGUF takes a byte-level BPE. */
  tokenizer?: Record<string, unknown> | undefined;
  /** The tokens that begin and end a text. */
  bos?: number | undefined;
  eos?: number | undefined;
}

export type Saved<F extends SaveFormat> = F extends 'gguf' ? Uint8Array : SavedFiles;

/** Files in the layout of Hugging Face, as `loadModel` takes them. */
export interface SavedFiles {
  /** The bytes of model.safetensors. */
  weights: Uint8Array;
  /** The object of config.json. */
  config: Record<string, unknown>;
  /** The tokenizer that was given. */
  tokenizer?: Record<string, unknown>;
}

/**
 * A model in training. BUSY: it is in a step or an evaluation. After an error nothing has changed.
 */
export interface Trainer {
  readonly config: TrainedConfig;
  readonly optimizer: TrainedOptimizer;
  readonly seed: number;
  readonly batch: number;
  readonly context: number;
  readonly parameterCount: number;
  /** Steps that are done. */
  readonly steps: number;
  /**
   * One step over tokens (batch, context + 1), each token the target of the one before it. RANGE:
   * the gradient is not finite.
   */
  step(tokens: Int32Array | Uint32Array, options?: StepOptions): Promise<StepResult>;
  /** The mean loss over sequences of context + 1 tokens, and the number of targets. */
  evaluate(
    tokens: Int32Array | Uint32Array,
    options?: EvaluateOptions,
  ): Promise<{ loss: number; count: number }>;
  /** Scores of heads on sequences of context + 1 tokens, on as many as make about 1,024 tokens. */
  heads(tokens: Int32Array | Uint32Array): HeadScores;
  /** Copies of all parameters. */
  parameters(): Parameter[];
  /**
   * Copies of the gradients of the last step, before they were clipped. In a step, and after one
   * that was ended, they are those of its parts so far.
   */
  gradients(): Parameter[];
  /** Replaces all parameters; the moments stay. */
  setParameters(parameters: readonly Parameter[]): void;
  /** A copy for `restore`, with which training goes on to the same bits. */
  state(): TrainerState;
  restore(state: TrainerState): void;
  /**
   * The model as files: one of GGUF, or those of Hugging Face. A model of attention alone gets a
   * feed-forward block that adds nothing, since readers expect one. FORMAT: a part of the model is
   * unknown to the files of Llama. RANGE: the type cannot hold a number.
   */
  save<F extends SaveFormat = 'safetensors'>(options?: SaveOptions<F>): Saved<F>;
  /** A file for `resume`. */
  checkpoint(): Uint8Array;
  /**
   * A step or an evaluation stops before the next part of its batch, until `proceed`. Its signal
   * still ends it.
   */
  pause(): void;
  proceed(): void;
  /** Gives the memory back, and ends the trainer's own engine. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A trainer with its first parameters drawn from the seed. */
export function createTrainer(config: TrainConfig, options: TrainOptions): Promise<Trainer>;

export interface ResumeOptions {
  /** As in TrainOptions. */
  engine?: Engine | undefined;
  threads?: number | undefined;
  /** Sequences of a step from here on. Default: as before. */
  batch?: number | undefined;
  /** Tokens of a sequence from here on. Default: as before. */
  context?: number | undefined;
}

/**
 * The trainer of a checkpoint, which goes on with the bits of an uninterrupted run. Another batch
 * or context begins a next phase. INTEGRITY: the file is cut off or damaged. FORMAT: it is another
 * file, or of a later version.
 */
export function resume(
  checkpoint: Uint8Array | ArrayBuffer,
  options?: ResumeOptions,
): Promise<Trainer>;
