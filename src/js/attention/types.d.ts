/**
 * Arrays, tensors and one call of attention. There are n keys and m queries; d is the head size
 * (`headDim`) and dv the value size (`valueDim`). T is the attention temperature. Logits are
 * z_j = scale·⟨q, k_j⟩, and weights p = softmax(z/T). Logarithms are natural (nats).
 */

declare global {
  /** As in the libraries of newer TypeScript, so that older ones can read these types. */
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
}

/**
 * float32 data runs the float32 kernels, float64 data the float64 ones; results have the type of
 * the query.
 */
export type FloatArray = Float32Array | Float64Array;
export type DType = 'float32' | 'float64';
/**
 * An array in a buffer of its own, as results are: `Float32Array<ArrayBuffer>` in TypeScript 5.7
 * and later, where arrays name their buffers, and `Float32Array` before.
 */
export type Fresh<A extends { slice(): unknown }> = ReturnType<A['slice']>;
/** The output: `out` where it was given, its data for a tensor; else a new array. */
export type Output<A extends FloatArray, O> = O extends FloatArray
  ? O
  : O extends { readonly data: infer D }
    ? D
    : Fresh<A>;
/**
 * `bhsd`: (batch, heads, positions, size). `bshd`: (batch, positions, heads, size), heads side by
 * side in a row.
 */
export type Layout = 'bhsd' | 'bshd';

/**
 * An absent option is `undefined`; unknown names are refused. Floats (mask.data, keyScale, alibi,
 * sinks, out) are of q's type; NaN among them makes NaN of the rows it meets.
 */
export interface AttendOptions<A extends FloatArray = Float32Array> {
  /**
   * Query heads H; default 1, over a cache its kvHeads. A multiple of the key/value heads. Query
   * head h reads kv head ⌊h / (H/G)⌋.
   */
  heads?: number | undefined;
  /** Multiplies ⟨q, k⟩; default 1/√d. Finite. */
  scale?: number | undefined;
  /**
   * T ≥ 0, default 1. 0 is the exact argmax, where ties share; Infinity is exactly uniform. A
   * weight of 0 is still a factor: times an infinite value it is NaN, except for a masked key.
   */
  temperature?: number | undefined;
  /** (n): one multiplier λ_j for each key, on the scaled score (README, source 1, Eq. 16). */
  keyScale?: A | Tensor<A> | undefined;
  /** Query i sees keys j ≤ i + offset. Default false. */
  causal?: boolean | undefined;
  /**
   * Number of past keys, one for all or one for each batch; may be negative. Default 0;
   * with a cache, its length − m. There `causal` allows no more queries than positions (SHAPE).
   */
  offset?: number | Int32Array | undefined;
  /**
   * [left, right]: how many previous and following positions are visible besides the query's own.
   * Infinity is open, the default.
   */
  window?: readonly [number, number] | undefined;
  /** c > 0: z becomes c·tanh(z/c) before any mask, as in Gemma 2. 0 (default): off. */
  softcap?: number | undefined;
  /**
   * `{ data, shape }`: 1 to 4 axes, aligned from the right with (batch, heads, m, n). Axes of 1
   * are repeated. Uint8Array: nonzero means attend. Float: added to the logits; −Infinity masks.
   * A last axis shorter than n (and not 1) masks the missing keys.
   */
  mask?: { data: Uint8Array | A | Tensor<A>; shape: readonly number[] } | undefined;
  /** (batch): keys from there on are padding. Default n. */
  keyLengths?: Int32Array | undefined;
  /** (heads): slopes s_h. Adds −s_h·|i + offset − j| (Press et al., ALiBi). */
  alibi?: A | Tensor<A> | undefined;
  /**
   * (heads): one logit for each head that joins the denominator of the weights only, as in gpt-oss.
   * lse and stats describe the keys alone. At T = 0 it takes all, shares or takes nothing; at
   * Infinity it counts as one key.
   */
  sinks?: A | Tensor<A> | undefined;
  /**
   * Order of the axes of q and of the output (and of k and v in `attention`). Default `bhsd`:
   * batch, heads, positions, size. `bshd`: batch, positions, heads, size.
   */
  layout?: Layout | undefined;
  /** Where the output is written, instead of a new array; must not overlap any input. */
  out?: A | Tensor<A> | undefined;
  /** Further results beside the output: weights, scores, lse, stats, spans. */
  want?: Want | undefined;
}

export interface AttentionOptions<A extends FloatArray = FloatArray> extends AttendOptions<A> {
  /** B, sequences that follow each other in every array; default 1. */
  batch?: number | undefined;
  /** Key/value heads G; default `heads`, which is MHA. 1 < G < H is GQA, G = 1 is MQA. */
  kvHeads?: number | undefined;
  /**
   * Required: d, the size of a query or key head, at most 1024. m and n follow from the lengths of
   * q and k.
   */
  headDim: number;
  /** dv, the size of a value head; default `headDim`, at most 1024. */
  valueDim?: number | undefined;
  /**
   * `int8`: both products in integers of 8 bits, for float32 inputs (after SageAttention, arXiv
   * 2410.02367). Not exact, and faster where the engine has an 8-bit dot product. Scores are those
   * of rounded queries and keys. Weights and statistics are those of these scores. How keys are
   * rounded depends on all finite keys of their 512 within `keyLengths`, hidden ones too. Bounds:
   * ATTN_INT8 in https://github.com/clearhead-js/clearhead/blob/main/src/include/attn.h. Default
   * `float`.
   */
  precision?: 'float' | 'int8' | undefined;
}

export interface Want {
  /**
   * True: all weights, (batch, heads, m, n). Or chosen heads and query rows: (batch, heads.length,
   * rows.length, n).
   */
  weights?:
    | boolean
    | { heads?: readonly number[] | undefined; rows?: readonly number[] | undefined }
    | undefined;
  /**
   * (batch, heads, m, n): `raw` = scaled, `capped` = after softcap, `masked` = after masks and
   * biases (−∞ = not attended).
   */
  scores?: 'raw' | 'capped' | 'masked' | undefined;
  /**
   * (batch, heads, m): log Σ exp(z_j/T) over the attended keys, at T = 0 and ∞ its limit; −∞ for an
   * empty row.
   */
  lse?: boolean | undefined;
  /** Per row, accumulated inside the fused kernel (README, sources 2 and 3). */
  stats?: boolean | undefined;
  /**
   * Up to 1024 spans [from, to], keys from ≤ j < to. Gives the sums of their weights, (batch,
   * heads, m, spans), without storing weights. They may overlap or be empty.
   */
  spans?: readonly (readonly [from: number, to: number])[] | undefined;
}

/** Each (batch, heads, m). A row without keys has zeros. Sinks are not part of it. */
export interface Stats<A extends FloatArray = FloatArray> {
  /** Keys attended. */
  n: Fresh<Int32Array>;
  /** H(p) in nats. */
  entropy: Fresh<A>;
  /** ρ = KL(p‖uniform over the attended keys) = log n − H = ⟨z⟩/T − lse + log n, in nats. */
  kl: Fresh<A>;
  /** ⟨z⟩ = Σ p_j z_j, before the temperature. */
  expectedScore: Fresh<A>;
  maxWeight: Fresh<A>;
  /** Position of the largest weight, the lowest index of a tie. */
  argmax: Fresh<Int32Array>;
  /** Var_p(z) = Σ p_j (z_j − ⟨z⟩)². With β = 1/T it is the susceptibility: ∂ρ/∂β = β·Var_p(z). */
  variance: Fresh<A>;
}

export interface AttentionResult<A extends FloatArray = FloatArray, O = unknown> {
  /**
   * q's layout with valueDim; `out` itself (or its fresh view, for a tensor) when one was given.
   */
  output: Output<A, O>;
  weights?: Fresh<A>;
  scores?: Fresh<A>;
  lse?: Fresh<A>;
  stats?: Stats<A>;
  spans?: Fresh<A>;
}

/** The result of a call that wants W and writes to O. The results that W asks for are there. */
export type Wanted<A extends FloatArray, W, O = unknown> = AttentionResult<A, O> &
  (W extends { weights: true | object } ? { weights: Fresh<A> } : unknown) &
  (W extends { scores: string } ? { scores: Fresh<A> } : unknown) &
  (W extends { lse: true } ? { lse: Fresh<A> } : unknown) &
  (W extends { stats: true } ? { stats: Stats<A> } : unknown) &
  (W extends { spans: readonly unknown[] } ? { spans: Fresh<A> } : unknown);

/**
 * An array in wasm memory. Pass the tensor itself where a function accepts a typed array, and not
 * its `data`; it is copied for the call. SHAPE: its axes are not those of the argument in its
 * layout, such as (batch, heads, m, headDim). Neighbouring axes may be one, so a flat shape fits.
 * Axes of 1 do not count. Where a function reads rows, the last axes must make whole rows.
 */
export interface Tensor<A extends FloatArray = FloatArray> {
  readonly shape: readonly number[];
  /** The product of the shape. */
  readonly length: number;
  readonly dtype: DType;
  /**
   * A fresh view at every access: wasm memory may have grown since the last one, so do not keep it
   * across calls.
   */
  readonly data: A;
  /** Gives the memory back; a second call does nothing. */
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}
