/**
 * The types of `clearhead/model` that describe files: where bytes come from, what is in them, how
 * text becomes tokens and logits become a token. Shapes are row-major, outermost axis first: a
 * matrix W of y = Wx is (outputs, inputs).
 */

/**
 * Where a file comes from. A string is an address, not a path: in Node that is given as
 * `pathToFileURL(path)`. A `Response` can be read once, and so can a stream of the web's kind or
 * Node's.
 */
export type FileSource =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A value, or a promise of it such as `fetch` gives. */
export type Pending<T> = T | PromiseLike<T>;

/**
 * Files of a model in the layout of Hugging Face. A list of weights is a sharded model; so is the
 * URL of a `….index.json`. Beside GGUF, `tokenizer` (with its config, if that is given) and
 * `chatTemplate` take the place of the file's own.
 */
export interface ModelFiles {
  weights: Pending<FileSource | readonly Pending<FileSource>[]>;
  /** config.json, which safetensors need and GGUF files have within them. */
  config?: Pending<FileSource | Record<string, unknown>> | undefined;
  /** tokenizer.json */
  tokenizer?: Pending<FileSource | Record<string, unknown>> | undefined;
  /** tokenizer_config.json: special tokens, chat template. */
  tokenizerConfig?: Pending<FileSource | Record<string, unknown>> | undefined;
  /** generation_config.json: the ids that end a text. */
  generationConfig?: Pending<FileSource | Record<string, unknown>> | undefined;
  /**
   * chat_template.jinja, which newer models keep in a file of its own. A text with `{%` or `{{` is
   * the template itself.
   */
  chatTemplate?: Pending<FileSource> | undefined;
}

/**
 * One GGUF file, or safetensors: their files, or the URL of the weights with the others beside it.
 */
export type ModelSource = Pending<FileSource | ModelFiles>;

export interface LoadProgress {
  /** Bytes received. */
  loaded: number;
  /**
   * Bytes in all. Before the headers of all files are read it is there only where each source says
   * its length, as most do.
   */
  total?: number;
}

export interface OpenOptions {
  /** Called after each chunk of weights, at least once at the end. */
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** How the numbers of a tensor are stored; the quantised ones in blocks along the last axis. */
export type TensorType =
  'F32' | 'F16' | 'BF16' | 'Q4_0' | 'Q4_1' | 'Q5_0' | 'Q5_1' | 'Q8_0' | 'Q4_K' | 'Q5_K' | 'Q6_K';

export interface TensorInfo {
  readonly name: string;
  readonly type: TensorType;
  readonly shape: readonly number[];
  /** Size in the file: exactly what `write` will bring for it. */
  readonly bytes: number;
  /** Byte in its file where it begins. */
  readonly offset: number;
}

/**
 * Takes the bytes of tensors as they arrive: consecutive pieces of one tensor after the other, in
 * file order.
 */
export interface WeightSink {
  /** `chunk` is valid during the call only; `offset` counts from the tensor's first byte. */
  write(tensor: TensorInfo, offset: number, chunk: Uint8Array): void | Promise<void>;
}

/**
 * A value of GGUF metadata: 64-bit integers beyond 2^53 are bigint; arrays of numbers are typed
 * arrays.
 */
export type MetadataValue =
  | number
  | bigint
  | boolean
  | string
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | MetadataValue[];

/** An opened model file whose header is read and checked, and whose weights have not been read. */
export interface ModelFile {
  readonly format: 'gguf' | 'safetensors';
  /** GGUF metadata; empty for safetensors. */
  readonly metadata: ReadonlyMap<string, MetadataValue>;
  /** The parsed JSON files beside safetensors. */
  readonly json: Readonly<{
    config?: any;
    tokenizer?: any;
    tokenizerConfig?: any;
    generationConfig?: any;
    chatTemplate?: string;
  }>;
  /** In file order. */
  readonly tensors: readonly TensorInfo[];
  /** Bytes of the whole model, where known. */
  readonly total?: number;
  /** Passes the bytes of every tensor for which `wanted` holds (default all) to the sink. Once. */
  stream(sink: WeightSink, wanted?: (tensor: TensorInfo) => boolean): Promise<void>;
  /** Lets the source go without reading the rest. */
  cancel(): Promise<void>;
}

/**
 * How rotary frequencies θ_i = base^(−2i/d) are changed for long contexts. `attentionScale`,
 * attn_factor in GGUF, multiplies cos and sin.
 */
export type RopeScaling = RopeFrequencies & { readonly attentionScale?: number };

export type RopeFrequencies =
  | { readonly type: 'none' }
  /** Every frequency divided by `factor`. */
  | { readonly type: 'linear'; readonly factor: number }
  /**
   * Llama 3.1: wavelengths above context/lowFreqFactor divided by factor, those below
   * context/highFreqFactor kept.
   */
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFreqFactor: number;
      readonly highFreqFactor: number;
      readonly originalContext: number;
    }
  /**
   * Peng et al., YaRN. cos and sin are multiplied by `attentionFactor` if config.json has one. If
   * not, it follows from factor, mscale and mscaleAllDim. See attn_rope_yarn_attention in
   * https://github.com/clearhead-js/clearhead/blob/main/src/include/layers.h.
   */
  | {
      readonly type: 'yarn';
      readonly factor: number;
      readonly originalContext: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      readonly truncate: boolean;
      readonly mscale?: number;
      readonly mscaleAllDim?: number;
      readonly attentionFactor?: number;
    }
  /**
   * Each frequency divided by its entry of the tensor `ropeFactors` (headDim/2), as GGUF files of
   * Llama 3 have it, and all of them by `factor`.
   */
  | { readonly type: 'factors'; readonly factor?: number };

/**
 * One configuration for every supported architecture: they differ in these fields and in nothing
 * else.
 */
export interface ModelConfig {
  readonly architecture: 'llama' | 'qwen2' | 'qwen3' | 'gemma3';
  readonly vocab: number;
  readonly layers: number;
  readonly modelDim: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly ffnDim: number;
  /** The context the model was made for, with the positions that YaRN adds. */
  readonly context: number;
  readonly normEps: number;
  /**
   * A norm multiplies by normOffset + w: 1 for Gemma in safetensors; GGUF files hold 1 + w already.
   */
  readonly normOffset: 0 | 1;
  /** Rotary base of layers that see everything, and of those that see a window. */
  readonly ropeTheta: number;
  readonly ropeLocalTheta: number;
  /** Of the layers that see everything; those with a window are not scaled. */
  readonly ropeScaling: RopeScaling;
  /**
   * Pairs (i, i + headDim/2), or (2i, 2i + 1) as GGUF files of the llama architecture have them.
   */
  readonly ropeLayout: 'half' | 'interleaved';
  /** The output matrix is the embedding. */
  readonly tiedOutput: boolean;
  /** Biases on q, k and v. */
  readonly qkvBias: boolean;
  /** A bias on the result of attention, and biases on the feed-forward matrices. */
  readonly outBias: boolean;
  readonly ffnBias: boolean;
  /** RMSNorm over headDim of each query and key head, before RoPE. */
  readonly qkNorm: boolean;
  /** Keys a layer with a window sees, the query's own included; 0: no layer has one. */
  readonly slidingWindow: number;
  /** Per layer: whether it sees only the window. */
  readonly localLayers: readonly boolean[];
  /** Embeddings are multiplied by it. */
  readonly embeddingScale: number;
  readonly activation: 'silu' | 'gelu_tanh';
  /** RMSNorm also after attention and after the feed-forward block, before each is added. */
  readonly postNorms: boolean;
  /** c·tanh(z/c) on the attention logits and on the output logits; 0: none. */
  readonly attnSoftcap: number;
  readonly finalSoftcap: number;
  /** Multiplies ⟨q, k⟩. */
  readonly attnScale: number;
}

/**
 * The tensors of a layer by role; `null` where the architecture has none. Shapes (outputs, inputs).
 */
export interface LayerTensors<T> {
  attnNorm: T; // (modelDim)
  q: T; // (heads*headDim, modelDim)
  k: T; // (kvHeads*headDim, modelDim)
  v: T; // (kvHeads*headDim, modelDim)
  qBias: T | null; // (heads*headDim)
  kBias: T | null; // (kvHeads*headDim)
  vBias: T | null; // (kvHeads*headDim)
  qNorm: T | null; // (headDim)
  kNorm: T | null; // (headDim)
  attnOut: T; // (modelDim, heads*headDim)
  attnOutBias: T | null; // (modelDim)
  attnPostNorm: T | null; // (modelDim)
  ffnNorm: T; // (modelDim)
  gate: T; // (ffnDim, modelDim)
  up: T; // (ffnDim, modelDim)
  down: T; // (modelDim, ffnDim)
  gateBias: T | null; // (ffnDim)
  upBias: T | null; // (ffnDim)
  downBias: T | null; // (modelDim)
  ffnPostNorm: T | null; // (modelDim)
}

export interface ModelTensors<T> {
  embedding: T; // (vocab, modelDim)
  outputNorm: T; // (modelDim)
  output: T | null; // (vocab, modelDim); null when tied
  ropeFactors: T | null; // (headDim/2)
  layers: LayerTensors<T>[];
}

export type * from './text/types.d.ts';

export interface SampleOptions {
  /**
   * Sampling temperature τ ≥ 0 (not the attention temperature). 0: the largest logit, of equals the
   * lowest id. Default 0.
   */
  tau?: number | undefined;
  /** Only the k largest; 0 (default): all. The filters and `seed` have no effect at τ = 0. */
  topK?: number | undefined;
  /**
   * Only the smallest set of largest tokens whose probabilities reach topP in (0, 1]; default 1.
   */
  topP?: number | undefined;
  /** Only tokens at least minP times as probable as the most probable, in [0, 1]; default 0. */
  minP?: number | undefined;
  /**
   * Positive logits of tokens among the last `repetitionWindow` are divided by it, negative ones
   * multiplied. Default 1.
   */
  repetitionPenalty?: number | undefined;
  /** Default 64. */
  repetitionWindow?: number | undefined;
  /**
   * Integer from 0 to 2^53 − 1. Same seed, same logits: same tokens on every engine. Default 0.
   * `generate` and `chat` refuse it without `tau`.
   */
  seed?: number | undefined;
  /**
   * Whether to give log-probabilities: of the token (0), and of that many most probable ones.
   * Default −1, none.
   */
  logprobs?: number | undefined;
}

export interface Sample {
  token: number;
  /**
   * log softmax(logits) of the token: of the model's own distribution, before penalty, τ and
   * filters.
   */
  logprob?: number;
  /** The most probable tokens of that distribution, most probable first. */
  top?: { token: number; logprob: number }[];
}

export interface Sampler {
  /**
   * Takes the next random number (unless τ = 0). `history`: the ids so far, for the repetition
   * penalty.
   */
  sample(logits: Float32Array, history?: ArrayLike<number>): Sample;
  /** The state of the random generator, to continue from later. */
  save(): Uint32Array;
  restore(state: Uint32Array): void;
}

/** Text as it streams. A possible beginning of a stop string is kept back. */
export interface StopFilter {
  /**
   * The text that may be shown, and the stop string that has been found, if any; after that nothing
   * more comes.
   */
  push(text: string): { text: string; stopped: string | null };
  /** The text that was kept back, when no stop string came. */
  end(): string;
}
