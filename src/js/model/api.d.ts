/**
 * The public types of `clearhead/model`: loading a model, generating text, looking inside. Words as
 * in `clearhead`: T is the attention temperature, τ the sampling temperature; a row is one head's
 * attention of one position.
 */
import type { Engine, Layers } from '../types.d.ts';
import type {
  ChatMessage,
  ChatTemplate,
  LoadProgress,
  ModelConfig,
  ModelSource,
  SampleOptions,
  TensorInfo,
  TensorType,
  Tokenizer,
} from './types.d.ts';

export { ClearheadError, type Engine, type ErrorCode } from '../types.js';
export type * from './types.d.ts';

export interface LoadOptions {
  /** One of `init({ layers: true })`, the default; with `threads` the model uses them as well. */
  engine?: Engine & Layers;
  onProgress?: (progress: LoadProgress) => void;
  /** Ends loading: what was taken is given back, and `loadModel` throws the signal's reason. */
  signal?: AbortSignal;
  /**
   * `q8`: matrices of F32, F16 and BF16 are kept as Q8_0: a quarter or half of the memory, and
   * faster. Default `none`.
   */
  quantize?: 'none' | 'q8';
  /**
   * Positions there is room for, no more than the model was made for; default as many, but at most
   * 2048. LIMIT: it would not fit below 4 GiB.
   */
  context?: number;
  /** How the KV cache keeps its numbers; as `type` of `kvCache`. */
  cacheType?: 'f32' | 'f16' | 'q8';
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
  options?: { signal?: AbortSignal },
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

export type Observe = 'none' | 'stats' | 'weights';

export interface ObserveOptions<O extends Observe = Observe> {
  /**
   * `stats`: statistics of every head, from the fused kernel. `weights`: rows of chosen heads as
   * well. Default `none`.
   */
  observe?: O;
  /** Whose rows, with `observe: 'weights'` alone; pairs [layer, head]. Default all. */
  heads?: readonly (readonly [number, number])[];
}

export interface GenerateOptions<O extends Observe = Observe>
  extends ObserveOptions<O>, SampleOptions {
  /** Default 256. */
  maxTokens?: number;
  /**
   * Generation ends where one of these would begin to show: one text or up to 64, each of 1 to 256
   * characters.
   */
  stop?: string | readonly string[];
  /** Ends generation within 100 ms; the iterator then throws the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Statistics of all heads, each array (layers, heads, tokens), where generation brings one token at
 * a time. Of the row that attends from that token; its prediction is the next.
 */
export interface HeadStats {
  /** Positions attended. */
  n: Int32Array;
  /** H(p) in nats. */
  entropy: Float32Array;
  /** ρ_eff = KL(p‖uniform) = log n − H, in nats. */
  kl: Float32Array;
  /** e^H: among how many positions attention is spread. */
  effectiveKeys: Float32Array;
  /** ⟨z⟩ = Σ p_j z_j. */
  expectedScore: Float32Array;
  /** The largest weight, and its position. */
  maxWeight: Float32Array;
  argmax: Int32Array;
  /**
   * The weight of position 0, where attention goes that finds nothing to look at. 0 where a window
   * hides it.
   */
  firstWeight: Float32Array;
  /** With `observe: 'weights'`: one weight for each position, of the last token. */
  weights?: HeadRow[];
}

export interface HeadRow {
  layer: number;
  head: number;
  weights: Float32Array;
}

/** What is seen of the heads with `observe: O`. */
export type Observed<O extends Observe> = O extends 'none'
  ? { heads?: undefined }
  : { heads: O extends 'weights' ? HeadStats & { weights: HeadRow[] } : HeadStats };

/** With `observe`, `heads` are those of the row that chose this token. */
export type GeneratedToken<O extends Observe = Observe> = Token & Observed<O>;

interface Token {
  token: number;
  /** What this token lets be shown: whole characters, often '', and nothing of a stop string. */
  text: string;
  /**
   * With `logprobs`: log softmax of the model's own logits at this token, and at the most probable
   * ones.
   */
  logprob?: number;
  top?: { token: number; logprob: number }[];
  /**
   * With the last token: an end mark of the model, a stop string, maxTokens, or no room left in the
   * context.
   */
  finish?: 'end' | 'stop' | 'length' | 'context';
}

/**
 * What a model has read, with its keys and values. After `generate` that is the prompt and all
 * tokens of the text but the last, which has been chosen and not yet read.
 */
export interface ModelCache {
  readonly length: number;
  /** Most positions it can hold. */
  readonly capacity: number;
  /** Bytes of wasm memory. */
  readonly bytes: number;
  /** A copy of the ids that have been read. */
  readonly tokens: Int32Array;
  /** Keeps the first `length` positions. */
  truncate(length: number): void;
  clear(): void;
  /**
   * Copies, to be kept anywhere that takes typed arrays: IndexedDB, `structuredClone`, in Node
   * `v8.serialize` (not JSON).
   */
  snapshot(): CacheSnapshot;
  /**
   * A snapshot of the same model, wherever it was taken. FORMAT: of another one; INTEGRITY:
   * damaged. On failure the cache is as before.
   */
  restore(snapshot: CacheSnapshot): void;
}

export interface CacheSnapshot {
  /** A checksum of the configuration and a sample of the weights. */
  model: number;
  tokens: Int32Array;
  layers: Uint8Array[];
  /**
   * The attention temperatures (layers, heads) that the first `alike` positions were read with, so
   * that `generate` knows what to read anew.
   */
  temperatures: Float64Array;
  alike: number;
  /** Of tokens, temperatures, `alike`, and the checksums that layers have of their own. */
  checksum: number;
}

/**
 * One head's attention from one position: weights (n), query q (headDim), keys k and values v (n,
 * headDim), as `theory` takes them.
 */
export interface Row {
  weights: Float32Array;
  q: Float32Array;
  k: Float32Array;
  v: Float32Array;
}

/**
 * The logits (vocab) for the token after the last; with `observe`, `heads` are those of all tokens
 * read, (layers, heads, tokens).
 */
export type Prediction<O extends Observe = Observe> = { logits: Float32Array } & Observed<O>;

export interface ModelInfo {
  readonly format: 'gguf' | 'safetensors';
  readonly parameters: number;
  /** How many tensors there are of each type, in the file. */
  readonly types: Readonly<Partial<Record<TensorType, number>>>;
  /** Whether float matrices were quantised when loading. */
  readonly quantized: boolean;
  /**
   * Of wasm memory, packed: about as many as in the file. With one or two threads matrices of Q5_0
   * lie in bytes, up to 32 MB more in all, except where the engine has products for them, where
   * there is more than 1 GiB of weights, and an embedding of which only rows are read.
   */
  readonly weightBytes: number;
  /** Positions there is room for. */
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
  /**
   * Goes on from a prompt, text or ids: token by token, leaving the thread to others every 20 ms
   * (in a web worker 40). What the cache has of the prompt's beginning is not read again; to go on
   * where a text ended, give its prompt's ids and tokens, and then what is new, encoded with `{
   * continued: true }`. Options and prompt are checked at once; LIMIT if the prompt is longer than
   * the context. One at a time: BUSY otherwise, until the token with `finish`, `return()` or the
   * signal, also where nobody waits for the next token.
   */
  generate<O extends Observe = 'none'>(
    prompt: string | ArrayLike<number>,
    options?: GenerateOptions<O>,
  ): AsyncGenerator<GeneratedToken<O>, void, void>;
  /**
   * The same for the answer to a conversation, written as the model's own template has it. ARG
   * where it has none. Control tokens are the template's alone: their text in a message's content
   * stays text (with zero-width spaces in it where the tokenizer reads text next to a token
   * differently).
   */
  chat<O extends Observe = 'none'>(
    messages: readonly ChatMessage[],
    options?: GenerateOptions<O>,
  ): AsyncGenerator<GeneratedToken<O>, void, void>;
  /**
   * Reads tokens behind what the cache has, at once; `step` reads one. On failure the cache is as
   * before. LIMIT: the context is full.
   */
  prefill<O extends Observe = 'none'>(
    tokens: ArrayLike<number>,
    options?: ObserveOptions<O>,
  ): Prediction<O>;
  step<O extends Observe = 'none'>(token: number, options?: ObserveOptions<O>): Prediction<O>;
  /**
   * A row of the past, computed again from the cache, with the bits of then as long as no attention
   * temperature was changed since.
   */
  row(layer: number, head: number, position: number): Row;
  /** The attention temperature T of a head; 1 to begin with. */
  temperature(layer: number, head: number): number;
  /**
   * T ≥ 0 for all heads, those of a layer, or one: 0 is the hard argmax, Infinity uniform. Holds
   * from the next token on, or the next chunk of a prompt. What the cache has that was read with
   * others is read anew by `generate`. A head is given with its layer.
   */
  setTemperature(temperature: number, layer?: number, head?: number): void;
  /** Gives its memory back. A text that is being generated ends with DISPOSED. */
  dispose(): void;
}
