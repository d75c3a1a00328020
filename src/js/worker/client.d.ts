/**
 * The public types of `clearhead/worker`: those of `clearhead/model`, where every call returns a
 * promise. `interventions` and `cache.tokens` are calls too.
 */
import type { EngineInfo, Fresh, InitOptions } from '../types.d.ts';
import type {
  CacheSnapshot,
  ChatOptions,
  UnknownIntervention,
  GeneratedToken,
  GenerateOptions,
  Given,
  Heads,
  Intervention,
  LoadOptions,
  Model,
  ModelInfo,
  Observe,
  ObserveSpans,
  ObserveOptions,
  Prediction,
  RankOptions,
  Ranked,
  RecordName,
  RecordOptions,
  Recorded,
  Row,
  Trace,
  TraceOptions,
  TracePart,
  Watched,
} from '../model/api.d.ts';
import type {
  ChatMessage,
  DecodeOptions,
  EncodeOptions,
  ModelConfig,
  ModelSource,
} from '../model/types.d.ts';

export { ClearheadError } from '../types.js';
export * from './attention.js';
export type * from '../model/api.d.ts';

export interface RemoteLoadOptions extends Omit<LoadOptions, 'engine'> {
  /**
   * For the engine in the worker, as for `init`: threads, variant, and where the wasm file is, as
   * an address or bytes.
   */
  engine?: Omit<InitOptions, 'worker'> | undefined;
  /** Makes the worker, of `clearhead/worker/host`. Default: one of the file of this package. */
  worker?: (() => object) | undefined;
}

/**
 * Starts a worker and loads a model in it. Addresses are relative to the page. A Response is read
 * in the page and sent on; an ArrayBuffer is copied. A page's policy needs `worker-src 'self'`.
 */
export function loadModel(source: ModelSource, options?: RemoteLoadOptions): Promise<RemoteModel>;

export interface RemoteModel {
  readonly config: ModelConfig;
  readonly info: ModelInfo;
  /** The worker's engine. */
  readonly engine: EngineInfo;
  readonly hasTemplate: boolean;
  readonly tokenizer: RemoteTokenizer | null;
  /** Its numbers are those of the last answer. */
  readonly cache: RemoteCache;
  /** As those of `Model`. */
  readonly heads: Heads;
  /**
   * As that of `Model`, but it begins, and refuses options, when the first token is asked for. The
   * worker runs one or two tokens ahead. A temperature acts, and a row is computed, that much
   * later. If a text is ended early, the cache is truncated to the tokens that were received.
   */
  generate<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const L extends boolean | undefined = false,
    const M extends RecordOptions | undefined = undefined,
  >(
    prompt: string | ArrayLike<number>,
    options?: GenerateOptions<O, R, L> & Given<'ledger', L> & Watched<O, M>,
  ): AsyncGenerator<GeneratedToken<O, R, L, M>, void, void>;
  /** The same. */
  chat<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const L extends boolean | undefined = false,
    const M extends RecordOptions | undefined = undefined,
  >(
    messages: readonly ChatMessage[],
    options?: ChatOptions<O, R, L> & Given<'ledger', L> & Watched<O, M>,
  ): AsyncGenerator<GeneratedToken<O, R, L, M>, void, void>;
  prefill<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const M extends RecordOptions | undefined = undefined,
  >(
    tokens: ArrayLike<number>,
    options?: ObserveOptions<O, R> & Watched<O, M>,
  ): Promise<Prediction<O, R, M>>;
  step<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const M extends RecordOptions | undefined = undefined,
  >(
    token: number,
    options?: ObserveOptions<O, R> & Watched<O, M>,
  ): Promise<Prediction<O, R, M>>;
  row(layer: number, head: number, position: number): Promise<Row>;
  /** As that of `Model`, without a signal. */
  rank(
    query: string | ArrayLike<number>,
    passages: readonly (string | ArrayLike<number>)[],
    options?: Omit<RankOptions, 'signal'>,
  ): Promise<Ranked[]>;
  lens: Model['lens'];
  ledger: Model['ledger'];
  sweep: Model['sweep'];
  temperature(layer: number, head: number): Promise<number>;
  setTemperature(temperature: number, layer?: number, head?: number): Promise<void>;
  intervene(interventions: readonly (Intervention | UnknownIntervention)[]): Promise<void>;
  interventions(): Promise<readonly Readonly<Intervention>[]>;
  trace<const R extends RecordName>(
    prompt: string | ArrayLike<number>,
    options: TraceOptions<R> & { onPart: (part: TracePart<R>) => void },
  ): Promise<Trace<never>>;
  trace<const R extends RecordName>(
    prompt: string | ArrayLike<number>,
    options: TraceOptions<R> & { onPart?: undefined },
  ): Promise<Trace<R>>;
  /** Where it is not known whether there is an `onPart`. */
  trace<const R extends RecordName>(
    prompt: string | ArrayLike<number>,
    options: TraceOptions<R>,
  ): Promise<Trace<never> & Partial<Recorded<R>>>;
  traceBytes(prompt: string | ArrayLike<number>, options: TraceOptions): Promise<number>;
  /** Ends the worker. */
  dispose(): Promise<void>;
  /** For `await using`: the same as `dispose`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RemoteTokenizer {
  readonly size: number;
  readonly bos: number;
  readonly addsBos: boolean;
  readonly ends: ReadonlySet<number>;
  encode(text: string, options?: EncodeOptions): Promise<number[]>;
  decode(ids: ArrayLike<number>, options?: DecodeOptions): Promise<string>;
  token(id: number): Promise<string>;
}

export interface RemoteCache {
  readonly length: number;
  readonly capacity: number;
  readonly bytes: number;
  tokens(): Promise<Fresh<Int32Array>>;
  truncate(length: number): Promise<void>;
  clear(): Promise<void>;
  snapshot(): Promise<CacheSnapshot>;
  restore(snapshot: CacheSnapshot): Promise<void>;
}
