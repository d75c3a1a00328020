/**
 * The types of the layers: the parts of a transformer around attention, float32 throughout. x has m
 * rows for each of `batch` sequences. Weights are (outputs, inputs), as models store them, so that
 * y = x·Wᵀ.
 *
 * Every function may throw ARG, SHAPE, RANGE, DETACHED, DISPOSED or OOM (see ErrorCode). Its
 * comment names further codes and the source. Error rules are in
 * https://github.com/clearhead-js/clearhead/blob/main/src/include/layers.h.
 */
import type { KVCache } from '../attention/cache-types.d.ts';
import type { FloatArray, Tensor, Want, Wanted } from '../attention/types.d.ts';
import type {
  AttentionGradientOptions,
  GradientOut,
  WantGradient,
  WantedGradient,
} from './gradient.d.ts';
import type { Latent, LatentConfig, LatentWeights } from './latent-types.d.ts';
import type {
  Floats,
  ForwardOptions,
  GeluOptions,
  LayerNormOptions,
  Linear,
  LinearOptions,
  MadeRopeTable,
  MatmulOptions,
  Result,
  RmsNormOptions,
  RopeOptions,
  RopeTable,
  RopeTableOptions,
  SoftmaxOptions,
} from './operation-types.d.ts';

export type * from './latent-types.d.ts';
export type * from './operation-types.d.ts';

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

export interface Layers {
  /**
   * The gradient of `attention` with the same arguments and options, given that of its output,
   * dOutput: dq, dk and dv, and those of options that `want` names. The formula is in
   * https://github.com/clearhead-js/clearhead/blob/main/src/include/gradients.h, and the tiles are
   * Dao's (arXiv 2307.08691). T must be finite and above 0, and the precision float: RANGE. A
   * masked key has no influence and gets nothing. ALIAS: a result shares memory with an input or
   * another result. LIMIT: it needs 4 GiB.
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
