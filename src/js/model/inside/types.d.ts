/** Recordings. Names are those of TransformerLens; docs/interventions.md has the table. */
import type { Fresh } from '../../types.d.ts';

/**
 * - `resid_pre`, `resid_mid`, `resid_post`: the residual stream before a layer, between its
 *   attention and feed-forward, and behind it.
 * - `z`: the result of each head, before W_O.
 * - `attn_out`, `mlp_out`: the additions of attention and feed-forward to the residual stream,
 *   after a norm of their own where the architecture has one.
 * - `pattern`: the weights of attention.
 * - `final_scale`: √(mean x² + ε) of the last norm, which divides the residual stream x by it.
 */
export type RecordName =
  | 'resid_pre'
  | 'z'
  | 'attn_out'
  | 'resid_mid'
  | 'mlp_out'
  | 'resid_post'
  | 'pattern'
  | 'final_scale';

export interface RecordOptions {
  record: readonly RecordName[];
  /** Default all. */
  layers?: ArrayLike<number> | undefined;
}

export interface TraceOptions extends RecordOptions {
  /** Positions of the prompt. Default all. */
  positions?: ArrayLike<number> | 'last' | undefined;
  /**
   * LIMIT, before anything is read, if the trace has more bytes; `traceBytes` tells them. Default
   * 2^28. It does not hold with `onPart`.
   */
  maxBytes?: number | undefined;
  /** Receives the recording chunk by chunk. The trace itself then has no arrays. */
  onPart?: ((part: TracePart) => void) | undefined;
  /** Ends the trace, typically within 100 ms. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The arrays that were asked for. */
export interface Recorded {
  /** (layers, positions, modelDim), as the other points but z. */
  resid_pre?: Fresh<Float32Array>;
  /** (layers, positions, heads, headDim). */
  z?: Fresh<Float32Array>;
  attn_out?: Fresh<Float32Array>;
  resid_mid?: Fresh<Float32Array>;
  mlp_out?: Fresh<Float32Array>;
  resid_post?: Fresh<Float32Array>;
  /** (layers, heads, positions, keys), 0 for later positions. */
  pattern?: Fresh<Float32Array>;
  /** (positions). */
  final_scale?: Fresh<Float32Array>;
}

export interface Trace extends Recorded {
  /** The prompt. It is as long as a pattern has keys. */
  tokens: Fresh<Int32Array>;
  /** Those of the arrays, in order. */
  layers: number[];
  positions: Fresh<Int32Array>;
  /** Of the last token (vocab). */
  logits: Fresh<Float32Array>;
}

/** The part of a trace that one chunk of the prompt has. */
export interface TracePart extends Recorded {
  positions: Fresh<Int32Array>;
  /** How many a pattern has. */
  keys: number;
}
