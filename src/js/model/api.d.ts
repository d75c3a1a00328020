/**
 * The public types of `clearhead/model`: loading a model, generating text, looking inside. Words as
 * in `clearhead`: T is the attention temperature, τ the sampling temperature; a row is one head's
 * attention of one position.
 */
import type { Engine, Fresh, Layers } from '../types.d.ts';
import type { ModelCache } from './cache-types.d.ts';
import type { Heads } from './inspect/heads-types.d.ts';
import type {
  ChatMessage,
  ChatTemplate,
  LoadProgress,
  ModelConfig,
  ModelSource,
  TensorInfo,
  TensorType,
  Tokenizer,
} from './types.d.ts';
import type {
  Ledger,
  LedgerOptions,
  Lens,
  LensOptions,
  Sweep,
  SweepOptions,
} from './inspect/types.d.ts';
import type {
  UnknownIntervention,
  Intervention,
  RecordName,
  RecordOptions,
  Recorded,
  Trace,
  TraceOptions,
  TracePart,
} from './inside/types.d.ts';

export type {
  HeadScores,
  Ledger,
  LedgerOptions,
  Lens,
  LensOptions,
  Progress,
  RandomRepeats,
  ScoredHead,
  ScoreDefinition,
  ScoreName,
  ScoreOptions,
  Sweep,
  SweepOptions,
} from './inspect/types.d.ts';
export type {
  AddIntervention,
  UnknownIntervention,
  GainIntervention,
  Intervention,
  KnockOutIntervention,
  PatchIntervention,
  PatchSource,
  PatternIntervention,
  Recorded,
  RecordName,
  RecordOptions,
  TemperatureIntervention,
  Trace,
  TraceOptions,
  TracePart,
} from './inside/types.d.ts';
export { ClearheadError, type Engine, type ErrorCode } from '../types.js';
export type * from './inspect/heads-types.d.ts';
export type {
  ChatMessage,
  ChatPart,
  ChatTemplate,
  DecodeOptions,
  EncodeOptions,
  FileSource,
  LoadProgress,
  ModelConfig,
  ModelFiles,
  ModelSource,
  RopeFrequencies,
  RopeScaling,
  SampleOptions,
  TemplateOptions,
  TensorInfo,
  TensorType,
  TextStream,
  Tokenizer,
} from './types.d.ts';

export interface LoadOptions {
  /** One of `init({ layers: true })`, the default; with `threads` the model uses them as well. */
  engine?: (Engine & Layers) | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Ends loading. Its memory is released, and `loadModel` throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * `q8`: matrices of F32, F16 and BF16 are kept as Q8_0: a quarter or half of the memory, and
   * faster. Default `none`.
   */
  quantize?: 'none' | 'q8' | undefined;
  /**
   * Positions of the context, at most as many as the model was made for. Default that number, but
   * at most 2048. LIMIT: it would not fit below 4 GiB.
   */
  context?: number | undefined;
  /** How the KV cache keeps its numbers; as `type` of `kvCache`. */
  cacheType?: 'f32' | 'f16' | 'q8' | undefined;
}

/**
 * Loads a model. Its file is read once, in order, and packed as it arrives; of several addresses
 * the headers come first. FORMAT names what is not supported, before a weight is read; INTEGRITY:
 * the file is cut off or damaged; NET: it cannot be had; OOM: it does not fit.
 */
export function loadModel(source: ModelSource, options?: LoadOptions): Promise<Model>;

/** Reads what a model is, and not its weights. */
export function inspectModel(
  source: ModelSource,
  options?: { signal?: AbortSignal | undefined },
): Promise<ModelInspection>;

export interface ModelInspection {
  readonly format: 'gguf' | 'safetensors';
  readonly config: ModelConfig;
  readonly tensors: readonly TensorInfo[];
  /** How many tensors there are of each type. */
  readonly types: Readonly<Partial<Record<TensorType, number>>>;
  readonly parameters: number;
  /** Of all tensors in the file. */
  readonly bytes: number;
  /** Tokens of its tokenizer; 0 where there is none. */
  readonly vocabulary: number;
  /** Whether there is a chat template, and it can be run. */
  readonly hasTemplate: boolean;
  /** Of a float32 cache, for 1024 positions. */
  readonly cacheBytes: number;
}

import type {
  ChatOptions,
  GenerateOptions,
  Given,
  Observe,
  Observed,
  ObserveOptions,
  ObserveSpans,
  Ranked,
  RankOptions,
  Watched,
} from './observe-types.d.ts';
export type * from './observe-types.d.ts';
export type * from './cache-types.d.ts';

/** With `observe`, `heads` are those of the row that chose this token. */
export type GeneratedToken<
  O extends Observe | ObserveSpans | undefined = Observe,
  R extends RecordName = RecordName,
  L extends boolean | undefined = boolean,
  M extends RecordOptions | undefined = RecordOptions,
> = Token & Observed<O> & TracedLast<R, M> & Itemised<L>;

/** With `trace: M`, of the last token that was read. In a text its row chose this one. */
export type TracedLast<
  R extends RecordName,
  M extends RecordOptions | undefined = RecordOptions,
> = [RecordName] extends [R]
  ? { trace?: TracePart }
  : [R] extends [never]
    ? { trace?: undefined }
    : undefined extends M
      ? { trace?: TracePart<R> }
      : { trace: TracePart<R> };

/** With `ledger`: the sum that the token's logit is, at the position before it. */
export type Itemised<L extends boolean | undefined> = [L] extends [true]
  ? { ledger: Ledger<false> }
  : [L] extends [false | undefined]
    ? { ledger?: undefined }
    : { ledger?: Ledger<false> };

interface Token {
  token: number;
  /** Text that can be shown now: whole characters, often '', and no part of a stop string. */
  text: string;
  /**
   * With `logprobs`: log softmax of the model's own logits at this token, and at the most probable
   * ones.
   */
  logprob?: number;
  top?: { token: number; logprob: number }[];
  /**
   * With the last token, the reason of the end: an end mark of the model, a stop string, maxTokens,
   * or a full context.
   */
  finish?: 'end' | 'stop' | 'length' | 'context';
}

/**
 * One head's attention from one position: weights (n), query q (headDim), keys k and values v (n,
 * headDim), as `theory` takes them.
 */
export interface Row {
  weights: Fresh<Float32Array>;
  q: Fresh<Float32Array>;
  k: Fresh<Float32Array>;
  v: Fresh<Float32Array>;
}

/**
 * The logits (vocab) for the token after the last; with `observe`, `heads` are those of all tokens
 * read, (layers, heads, tokens).
 */
export type Prediction<
  O extends Observe | ObserveSpans | undefined = Observe,
  R extends RecordName = RecordName,
  M extends RecordOptions | undefined = RecordOptions,
> = { logits: Fresh<Float32Array> } & Observed<O> & TracedLast<R, M>;

export interface ModelInfo {
  readonly format: 'gguf' | 'safetensors';
  readonly parameters: number;
  /** How many tensors there are of each type, in the file. */
  readonly types: Readonly<Partial<Record<TensorType, number>>>;
  /** Whether float matrices were quantised when loading. */
  readonly quantized: boolean;
  /**
   * Of wasm memory, packed: about as many as in the file. With at most two threads and 1 GiB of
   * weights, matrices of Q5_0 may be repacked as bytes. This costs up to 32 MB.
   */
  readonly weightBytes: number;
  /** Positions of the context. */
  readonly context: number;
  readonly loadMilliseconds: number;
}

export interface Model {
  readonly config: ModelConfig;
  readonly info: ModelInfo;
  /**
   * Null where the files have none; prompts are ids then. Where they cut words in a way that is not
   * known, `encode` throws FORMAT.
   */
  readonly tokenizer: Tokenizer | null;
  readonly template: ChatTemplate | null;
  readonly cache: ModelCache;
  /** Questions about all heads. */
  readonly heads: Heads;
  /**
   * Goes on from a prompt, text or ids, token by token. It yields to other tasks of the thread
   * every 20 ms (in a web worker 40).
   *
   * Tokens at the beginning of the prompt that are in the cache are not read again. To go on where
   * a text ended, give its ids and tokens, then the new text encoded with `{ continued: true }`.
   *
   * Options and prompt are checked at once. LIMIT: the prompt is longer than the context. BUSY:
   * another text is not over. A text is over after the token with `finish`, after `return()`, and
   * after its signal has aborted.
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
  /**
   * The same for the answer to a conversation, written as the model's own template has it. ARG
   * where it has none. Control tokens are the template's alone: their text in a message or variable
   * stays text (with zero-width spaces in it where the tokenizer reads text next to a token
   * differently). The files may say that a text begins with a token. If the template does not
   * write it, `chat` does.
   */
  chat<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const L extends boolean | undefined = false,
    const M extends RecordOptions | undefined = undefined,
  >(
    messages: readonly ChatMessage[],
    options?: ChatOptions<O, R, L> & Given<'ledger', L> & Watched<O, M>,
  ): AsyncGenerator<GeneratedToken<O, R, L, M>, void, void>;
  /**
   * Ranks passages for a query by attention alone, the best first (Chen et al., arXiv 2410.02642).
   * Passages and query are read as one text, a line each. LIMIT: it is longer than the context.
   * The cache holds the passages afterwards, so another query is fast. BUSY: a text is not over.
   */
  rank(
    query: string | ArrayLike<number>,
    passages: readonly (string | ArrayLike<number>)[],
    options?: RankOptions,
  ): Promise<Ranked[]>;
  /**
   * Reads tokens behind what the cache has, at once; `step` reads one. On failure the cache is as
   * before. LIMIT: the context is full.
   */
  prefill<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const M extends RecordOptions | undefined = undefined,
  >(
    tokens: ArrayLike<number>,
    options?: ObserveOptions<O, R> & Watched<O, M>,
  ): Prediction<O, R, M>;
  step<
    const O extends Observe | ObserveSpans | undefined = 'none',
    const R extends RecordName = never,
    const M extends RecordOptions | undefined = undefined,
  >(
    token: number,
    options?: ObserveOptions<O, R> & Watched<O, M>,
  ): Prediction<O, R, M>;
  /**
   * A row of the past, computed again from the cache, with the bits of then as long as no
   * intervention was changed since. RANGE: no such layer, head or position. BUSY: in the middle of
   * a trace, a sweep, scores, or a ranking.
   */
  row(layer: number, head: number, position: number): Row;
  /**
   * Reads a prompt and records what the layers compute. The cache then holds the prompt; tokens
   * before the first position may come from it. Bits are those of `generate` and `prefill`. RANGE:
   * no such layer or position. SHAPE: a patch is of another length. BUSY: a text is not over.
   */
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
  /** Bytes of the arrays that a trace would return. */
  traceBytes(prompt: string | ArrayLike<number>, options: TraceOptions): number;
  /**
   * The logit lens: the probabilities behind each layer, at a position of the cache. RANGE: another
   * position. ARG: it was read with other interventions; clear the cache and read it again. BUSY as
   * for `row`. Both are the same for `ledger`.
   */
  lens(position: number, options?: LensOptions): Promise<Lens>;
  /**
   * A logit at a position of the cache, or the difference of two. It is a sum over the embedding,
   * all heads, the feed-forward blocks and biases. RANGE: no such position or token. ARG: the
   * tokens are equal.
   */
  ledger<const S extends boolean | undefined = false>(
    position: number,
    token: number | readonly [number, number],
    options?: LedgerOptions<S> & Given<'sources', S>,
  ): Promise<Ledger<S>>;
  /**
   * Ablates or patches each head, or each layer and position, and tells the change of a metric. It
   * computes anew only the layers and positions behind the change. The cache is lent meanwhile, and
   * holds the same afterwards. Rejects with BUSY while a text is generated.
   */
  sweep(prompt: string | ArrayLike<number>, options?: SweepOptions): Promise<Sweep>;
  /** The attention temperature T of a head; 1 to begin with. */
  temperature(layer: number, head: number): number;
  /**
   * Sets T ≥ 0 for all heads, those of a layer, or one: 0 is the hard argmax, Infinity uniform. It
   * holds from the next token on, or the next chunk of a prompt. Tokens in the cache that were read
   * with other temperatures are read anew by `generate`. A head is given with its layer.
   *
   * It is short for a `temperature` at the end of `interventions`.
   */
  setTemperature(temperature: number, layer?: number, head?: number): void;
  /**
   * Replaces the interventions, from the next token on or the next chunk of a prompt. They act in
   * the order of the list; [] takes all back, temperatures too. Tokens in the cache that were read
   * with others are read anew by `generate`, `chat` and `trace`. On failure the list is as before.
   * ARG: an entry without a kind, or with an option of another. RANGE: a place or number that the
   * model does not have. SHAPE: arrays of another size. BUSY as for `row`.
   */
  intervene(interventions: readonly (Intervention | UnknownIntervention)[]): void;
  /** The list of now, with the temperatures of `setTemperature`. */
  readonly interventions: readonly Readonly<Intervention>[];
  /** Gives its memory back. A text that is being generated ends with DISPOSED. */
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}
