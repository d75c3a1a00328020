/** Inputs, options and results of the operations around attention, and of a layer's `forward`. */
import type { AttendOptions, Fresh, Layout, Output, Tensor } from '../attention/types.d.ts';

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
