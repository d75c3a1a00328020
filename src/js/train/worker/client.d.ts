/**
 * The types of `clearhead/train/worker`: those of `clearhead/train`, where every call returns a
 * promise.
 */
import type { EngineInfo, InitOptions } from '../../types.d.ts';
import type {
  EvaluateOptions,
  HeadScores,
  Parameter,
  ResumeOptions,
  Saved,
  SaveFormat,
  SaveOptions,
  StepOptions,
  StepResult,
  TrainConfig,
  TrainedConfig,
  TrainedOptimizer,
  TrainerState,
  TrainOptions,
} from '../types.d.ts';

export { ClearheadError } from '../../types.js';
export type * from '../types.js';

export interface InWorker {
  /**
   * For the engine in the worker, as for `init`: where the wasm file is, as an address or bytes.
   * Its kernels are `simd` by default.
   */
  engine?: Omit<InitOptions, 'worker'> | undefined;
  /** Makes the worker, of `clearhead/train/host`. Default: one of the file of this package. */
  worker?: (() => object) | undefined;
}

export interface RemoteTrainOptions extends Omit<TrainOptions, 'engine'>, InWorker {}
export interface RemoteResumeOptions extends Omit<ResumeOptions, 'engine'>, InWorker {}

/**
 * A trainer in a worker. Tokens and results are copied. A page's policy needs `worker-src 'self'`.
 */
export interface RemoteTrainer {
  readonly config: TrainedConfig;
  readonly optimizer: TrainedOptimizer;
  readonly seed: number;
  readonly batch: number;
  readonly context: number;
  readonly parameterCount: number;
  /** The worker's engine. */
  readonly engine: EngineInfo;
  /** Steps that are done, at the last answer. */
  readonly steps: number;
  /**
   * As that of `Trainer`. A signal ends it between two parts of the batch, and so does a listener
   * that throws. After the last part the step is done. Then a signal leaves its result, and an
   * error of the listener is thrown all the same.
   */
  step(tokens: Int32Array | Uint32Array, options?: StepOptions): Promise<StepResult>;
  evaluate(
    tokens: Int32Array | Uint32Array,
    options?: EvaluateOptions,
  ): Promise<{ loss: number; count: number }>;
  heads(tokens: Int32Array | Uint32Array): Promise<HeadScores>;
  parameters(): Promise<Parameter[]>;
  gradients(): Promise<Parameter[]>;
  setParameters(parameters: readonly Parameter[]): Promise<void>;
  state(): Promise<TrainerState>;
  restore(state: TrainerState): Promise<void>;
  save<F extends SaveFormat = 'safetensors'>(options?: SaveOptions<F>): Promise<Saved<F>>;
  checkpoint(): Promise<Uint8Array>;
  /** When it has returned, the worker computes no further part until `proceed`. */
  pause(): Promise<void>;
  proceed(): Promise<void>;
  /** Ends the worker. */
  dispose(): Promise<void>;
  /** For `await using`: the same as `dispose`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a worker, and a trainer in it. */
export function createTrainer(
  config: TrainConfig,
  options: RemoteTrainOptions,
): Promise<RemoteTrainer>;

/** Starts a worker, and the trainer of a checkpoint in it. */
export function resume(
  checkpoint: Uint8Array | ArrayBuffer,
  options?: RemoteResumeOptions,
): Promise<RemoteTrainer>;
