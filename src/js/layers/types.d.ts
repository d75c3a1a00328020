/**
 * The types of the layers: the parts of a transformer around attention, float32 throughout. x has m
 * rows for each of `batch` sequences. Weights are (outputs, inputs), as models store them, so that
 * y = x·Wᵀ.
 *
 * Every function may throw ARG, SHAPE, RANGE, DETACHED, DISPOSED or OOM (see ErrorCode). Its
 * comment names further codes and the source. Error rules are in src/include/layers.h.
 */
import type {
  AttendOptions,
  FloatArray,
  Fresh,
  KVCache,
  Layout,
  Output,
  Tensor,
  Want,
  Wanted,
} from '../types.d.ts';
import type {
  AttentionGradientOptions,
  GradientOut,
  WantGradient,
  WantedGradient,
} from './gradient.d.ts';

/** An input: copied for the call if it is an array, read where it is if it is a tensor. */
export type Floats = Float32Array | Tensor<Float32Array>;

export interface Out {
  /**
   * Where the result is written, instead of a new array. In place is allowed where a function does
   * not say otherwise.
   */
  out?: Floats | undefined;
}

/** The result: `out` where it was given, its data for a tensor; else a new array. */
export type Result<O> = Output<Float32Array, O>;

export interface MatmulOptions extends Out {
  /** The inner size; m and n follow from the lengths. */
  k: number;
  /** b is (n, k) instead of (k, n). Default false. */
  transposeB?: boolean | undefined;
}

export interface LinearOptions {
  /** Columns of the weights; the outputs follow from the length. */
  inputs: number;
  /** (outputs), added. */
  bias?: Floats | undefined;
}

/** A matrix packed once, for many products. */
export interface Linear {
  readonly inputs: number;
  readonly outputs: number;
  /** Bytes of wasm memory. */
  readonly bytes: number;
  /** y (m, outputs) = x·Wᵀ + bias for x (m, inputs). ALIAS: `out` is x. */
  forward<O extends Floats | undefined = undefined>(x: Floats, options?: { out?: O }): Result<O>;
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}

export interface NormOptions extends Out {
  /** Numbers normalised together; default: as many as the scale has. */
  size?: number | undefined;
  /** Added to the mean square or the variance; default 1e-5. */
  epsilon?: number | undefined;
}

export interface RmsNormOptions extends NormOptions {
  /** Multiply by 1 + scale, as Gemma stores it. Default false. */
  onePlus?: boolean | undefined;
}

export interface LayerNormOptions extends NormOptions {
  /** (rows): filled with the mean of each row. */
  mean?: Floats | undefined;
  /** (rows): filled with 1/√(variance + epsilon) of each row. */
  inverseDeviation?: Floats | undefined;
}

export interface GeluOptions extends Out {
  /** `none` (default): x·Φ(x), with erf. `tanh`: the approximation by tanh. */
  approximate?: 'none' | 'tanh' | undefined;
}

export interface SoftmaxOptions extends Out {
  /** Numbers in a row. Default: the last axis of a tensor, all numbers of an array. */
  size?: number | undefined;
  /** T ≥ 0, default 1, as in attention: 0 is the argmax, where ties share; Infinity is uniform. */
  temperature?: number | undefined;
}

/**
 * How frequencies are changed for contexts longer than a model was trained on. The fields of
 * `rope_scaling` in config.json, in camelCase, but for `type` (rope_type), `original`
 * (original_max_position_embeddings) and `length`; a field that a type does not have is refused.
 */
export type RopeScaling =
  | { type: 'none' }
  /** Every frequency divided by factor. */
  | { type: 'linear'; factor: number }
  /** NTK-aware: base·factor^(d/(d − 2)). */
  | { type: 'ntk'; factor: number }
  /** The same with the factor that `length` positions need, where `original` were trained on. */
  | { type: 'dynamic'; factor: number; length: number; original: number }
  /** Llama 3.1; defaults 1 and 4. */
  | {
      type: 'llama3';
      factor: number;
      original: number;
      lowFreqFactor?: number | undefined;
      highFreqFactor?: number | undefined;
    }
  /**
   * YaRN, as in Hugging Face transformers (modeling_rope_utils). Defaults 32, 1, true.
   *
   * cos and sin are multiplied by attentionFactor. Its default is y(1), where
   * y(m) = 0.1·m·log(factor) + 1, and 1 for factor ≤ 1. mscale and mscaleAllDim are given together,
   * without attentionFactor. If neither is 0, the default is y(mscale)/y(mscaleAllDim).
   *
   * Models of DeepSeek-V2's kind also multiply their softmax scale by y(mscaleAllDim)²: see
   * Latent.forward.
   */
  | {
      type: 'yarn';
      factor: number;
      original: number;
      betaFast?: number | undefined;
      betaSlow?: number | undefined;
      truncate?: boolean | undefined;
      attentionFactor?: number | undefined;
      mscale?: number | undefined;
      mscaleAllDim?: number | undefined;
    };

export interface RopeTableOptions {
  /** Numbers of a head that turn, even. Less than the head: the rest stays (partial RoPE). */
  dim: number;
  /** Rows of the table: positions from, from + 1, … */
  positions: number;
  /** Default 0. */
  from?: number | undefined;
  /** Default 10000. */
  base?: number | undefined;
  /** Pairs (2p, 2p + 1) instead of (p, p + dim/2). Default false. */
  interleaved?: boolean | undefined;
  scaling?: RopeScaling | undefined;
}

/** cos and sin, (positions, dim/2). One made elsewhere does as well. */
export interface RopeTable {
  readonly cos: Floats;
  readonly sin: Floats;
  readonly dim: number;
  readonly interleaved?: boolean | undefined;
}

export interface MadeRopeTable extends RopeTable {
  readonly cos: Fresh<Float32Array>;
  readonly sin: Fresh<Float32Array>;
  readonly interleaved: boolean;
  /** (dim/2), radians per position. */
  readonly frequencies: Fresh<Float64Array>;
  /** The factor of cos and sin. */
  readonly attentionFactor: number;
}

export interface RopeOptions extends Out {
  headDim: number;
  /** Default 1. */
  heads?: number | undefined;
  /** Default 1. */
  batch?: number | undefined;
  /** Default `bhsd`. */
  layout?: Layout | undefined;
  /** (batch, m): rows of the table. Default offset, offset + 1, … in each sequence. */
  positions?: Int32Array | undefined;
  /** Default 0; none beside positions. */
  offset?: number | undefined;
}

/**
 * The options of attention that a layer's `forward` takes; heads and layout are the layer's own.
 */
export interface ForwardOptions extends Omit<AttendOptions, 'heads' | 'layout'> {
  /** Sequences in x; default 1, with a cache always. */
  batch?: number | undefined;
  /**
   * (batch, m): rows of the RoPE table. Default: a sequence that goes on behind the cache, or
   * starts at 0.
   */
  positions?: Int32Array | undefined;
}

export interface MultiHeadWeights {
  /** (heads·headDim, modelDim) */
  q: Floats;
  /** (kvHeads·headDim, modelDim) */
  k: Floats;
  /** (kvHeads·valueDim, modelDim) */
  v: Floats;
  /** (outputs, heads·valueDim) */
  o: Floats;
  /** As long as their matrix has rows. */
  qBias?: Floats | undefined;
  kBias?: Floats | undefined;
  vBias?: Floats | undefined;
  oBias?: Floats | undefined;
  /** (headDim): the scales of QK-norm, an RMSNorm of each head before RoPE. */
  qNorm?: Floats | undefined;
  kNorm?: Floats | undefined;
}

export interface MultiHeadConfig {
  modelDim: number;
  heads: number;
  /** Default `heads`. */
  kvHeads?: number | undefined;
  /** Default modelDim/heads. */
  headDim?: number | undefined;
  /** Default `headDim`. */
  valueDim?: number | undefined;
  /** Numbers given back for each position; default modelDim. */
  outputs?: number | undefined;
  /** Positions; none without it. dim at most headDim. */
  rope?: RopeTable | undefined;
  /** Of QK-norm, default 1e-6. */
  normEpsilon?: number | undefined;
  /** QK-norm multiplies by 1 + scale. */
  onePlus?: boolean | undefined;
  /** Give back x + the layer's output: the update h + o. Default false. */
  residual?: boolean | undefined;
}

/**
 * Multi-head attention as a layer (Vaswani et al., arXiv 1706.03762; grouped: Ainslie et al., arXiv
 * 2305.13245; statements 10 and 11): projections, biases, QK-norm and RoPE as far as they are
 * there, attention, output projection, residual.
 */
export interface MultiHead {
  readonly modelDim: number;
  readonly outputs: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  /** Bytes of wasm memory. */
  readonly bytes: number;
  /**
   * x (batch, m, modelDim) → output (batch, m, outputs), and the wanted results of the attention
   * inside. With a cache of the layer's kvHeads, headDim and valueDim, x goes on behind it. The
   * cache receives the new keys and values; after an error it is as before. ALIAS: `out` shares
   * memory with an input. LIMIT: the cache is full, or the numbers between input and output are
   * above 4 GiB. RANGE: a position without a row in the table.
   */
  forward<const W extends Want = {}, O extends Floats | undefined = undefined>(
    x: Floats,
    options?: ForwardOptions & { cache?: KVCache | undefined; want?: W | undefined; out?: O },
  ): Wanted<Float32Array, W, O>;
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}

import type { Latent, LatentConfig, LatentWeights } from './latent-types.d.ts';
export type * from './latent-types.d.ts';

export interface Layers {
  /**
   * The gradient of `attention` with the same arguments and options, given that of its output,
   * dOutput: dq, dk and dv, and those of options that `want` names. The formula is in
   * src/include/gradients.h (Dao, arXiv 2307.08691, for its tiles). T must be finite and above 0,
   * and the precision float: RANGE. A masked key has no influence and gets nothing. ALIAS: a result
   * shares memory with an input or another result. LIMIT: it needs 4 GiB.
   */
  attentionGradient<
    A extends FloatArray,
    const W extends WantGradient = {},
    O extends GradientOut<A> = {},
  >(
    q: A | Tensor<A>,
    k: A | Tensor<A>,
    v: A | Tensor<A>,
    dOutput: A | Tensor<A>,
    options: AttentionGradientOptions<A> & { want?: W | undefined; out?: O | undefined },
  ): WantedGradient<A, W, O>;
  /**
   * a (m, k) times b (k, n), or (n, k) with transposeB: (m, n). |error| ≤ u·(33 + ⌈k/32⌉)·Σ|a·b|, u
   * = 2⁻²⁴. ALIAS: `out` is a or b. LIMIT: b is above 2 GiB.
   */
  matmul<O extends Floats | undefined = undefined>(
    a: Floats,
    b: Floats,
    options: MatmulOptions & { out?: O },
  ): Result<O>;
  /** LIMIT: the weights are above 2 GiB. */
  linear(weights: Floats, options: LinearOptions): Linear;
  /**
   * x/√(mean(x²) + ε)·scale, for each `size` numbers in a row (Zhang and Sennrich, arXiv
   * 1910.07467).
   */
  rmsNorm<O extends Floats | undefined = undefined>(
    x: Floats,
    scale?: Floats,
    options?: RmsNormOptions & { out?: O },
  ): Result<O>;
  /**
   * (x − mean)/√(variance + ε)·scale + bias, for each `size` numbers in a row (Ba et al., arXiv
   * 1607.06450). ALIAS: mean or inverseDeviation shares memory with the other, with `out` or with
   * an input.
   */
  layerNorm<O extends Floats | undefined = undefined>(
    x: Floats,
    scale?: Floats,
    bias?: Floats,
    options?: LayerNormOptions & { out?: O },
  ): Result<O>;
  /** x/(1 + e^−x), also called Swish. */
  silu<O extends Floats | undefined = undefined>(x: Floats, options?: { out?: O }): Result<O>;
  /** x·Φ(x) (Hendrycks and Gimpel, arXiv 1606.08415), or its approximation. */
  gelu<O extends Floats | undefined = undefined>(
    x: Floats,
    options?: GeluOptions & { out?: O },
  ): Result<O>;
  /** silu(gate)·up (Shazeer, arXiv 2002.05202). */
  swiglu<O extends Floats | undefined = undefined>(
    gate: Floats,
    up: Floats,
    options?: { out?: O },
  ): Result<O>;
  /** gelu(gate)·up (the same paper). */
  geglu<O extends Floats | undefined = undefined>(
    gate: Floats,
    up: Floats,
    options?: GeluOptions & { out?: O },
  ): Result<O>;
  /**
   * softmax(x/T) of each `size` numbers in a row, with the rules of attention: −Infinity has no
   * weight, and a row of nothing else is zero. NaN and +Infinity make NaN of their row.
   */
  softmax<O extends Floats | undefined = undefined>(
    x: Floats,
    options?: SoftmaxOptions & { out?: O },
  ): Result<O>;
  /** a + b. Where b is shorter, it is a row that is added to each row of a. */
  add<O extends Floats | undefined = undefined>(
    a: Floats,
    b: Floats,
    options?: { out?: O },
  ): Result<O>;
  /**
   * Su et al., arXiv 2104.09864; scalings: linear, Chen et al., arXiv 2306.15595; YaRN, Peng et
   * al., arXiv 2309.00071.
   */
  ropeTable(options: RopeTableOptions): MadeRopeTable;
  /**
   * Turns the heads of x by their positions. RANGE: a position without a row in the table. ALIAS:
   * `out` shares memory with the table or the positions.
   */
  rope<O extends Floats | undefined = undefined>(
    x: Floats,
    table: RopeTable,
    options: RopeOptions & { out?: O },
  ): Result<O>;
  /**
   * SHAPE: also kvHeads that do not divide heads. LIMIT: headDim or valueDim above 1024, or a
   * matrix above 2 GiB.
   */
  multiHead(weights: MultiHeadWeights, config: MultiHeadConfig): MultiHead;
  /**
   * LIMIT: kvLatent + ropeDim, nopeDim + ropeDim or valueDim above 1024, or a matrix above 2 GiB.
   */
  latent(weights: LatentWeights, config: LatentConfig): Latent;
}
