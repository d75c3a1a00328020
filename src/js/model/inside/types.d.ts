/**
 * Recordings. Names are those of TransformerLens. The table is in
 * https://github.com/clearhead-js/clearhead/blob/main/docs/interventions.md.
 */
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

export interface RecordOptions<R extends RecordName = RecordName> {
  record: readonly R[];
  /** Default all. */
  layers?: ArrayLike<number> | undefined;
}

export interface TraceOptions<R extends RecordName = RecordName> extends RecordOptions<R> {
  /** Positions of the prompt. Default all. */
  positions?: ArrayLike<number> | 'last' | undefined;
  /**
   * LIMIT, before anything is read, if the trace has more bytes; `traceBytes` tells them. Default
   * 2^28. It does not hold with `onPart`.
   */
  maxBytes?: number | undefined;
  /** Receives the recording chunk by chunk. The trace itself then has no arrays. */
  onPart?: ((part: TracePart<R>) => void) | undefined;
  /** Ends the trace, typically within 100 ms. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

interface Records {
  /** (layers, positions, modelDim), as the other points but z. */
  resid_pre: Fresh<Float32Array>;
  /** (layers, positions, heads, headDim). */
  z: Fresh<Float32Array>;
  attn_out: Fresh<Float32Array>;
  resid_mid: Fresh<Float32Array>;
  mlp_out: Fresh<Float32Array>;
  resid_post: Fresh<Float32Array>;
  /** (layers, heads, positions, keys), 0 for later positions. */
  pattern: Fresh<Float32Array>;
  /** (positions). */
  final_scale: Fresh<Float32Array>;
}

/** The arrays that were asked for; without names in `R`, any may be there. */
export type Recorded<R extends RecordName = RecordName> = [RecordName] extends [R]
  ? Partial<Records>
  : Pick<Records, R>;

export type Trace<R extends RecordName = RecordName> = Traced & Recorded<R>;

interface Traced {
  /** The prompt. It is as long as a pattern has keys. */
  tokens: Fresh<Int32Array>;
  /** Those of the arrays, in order. */
  layers: number[];
  positions: Fresh<Int32Array>;
  /** Of the last token (vocab). */
  logits: Fresh<Float32Array>;
}

/** The part of a trace that one chunk of the prompt has. */
export type TracePart<R extends RecordName = RecordName> = Part & Recorded<R>;

interface Part {
  positions: Fresh<Int32Array>;
  /** How many a pattern has. */
  keys: number;
}

/** Where an intervention acts. Without a head it acts on all heads of the layer. */
interface Place {
  layer: number;
  head?: number | undefined;
}

interface AtPositions {
  /** Positions of the text. Default all, also of tokens to come. */
  positions?: ArrayLike<number> | undefined;
}

/** z is multiplied: 0 ablates, 1 is as trained. `mean`: z is its mean over the prompt. */
export interface GainIntervention extends Place, AtPositions {
  gain: number | 'mean';
}

/**
 * Queries do not see keys, both by position; default all. The other weights of a row sum to 1. If
 * none is left, z is 0.
 */
export interface KnockOutIntervention extends Place {
  knockOut: {
    queries?: ArrayLike<number> | undefined;
    keys?: ArrayLike<number> | undefined;
  };
}

/**
 * A fixed pattern of attention at these positions: uniform over the keys that are seen, the
 * previous or the first of them, or rows of weights. A row has a weight for each position up to its
 * own, with the sum 1. Rows have the order of `positions`, by default 0, 1, ….
 */
export interface PatternIntervention extends Place, AtPositions {
  pattern: 'uniform' | 'previous' | 'first' | readonly ArrayLike<number>[];
}

/** As `setTemperature`: default all layers and heads. */
export interface TemperatureIntervention {
  layer?: number | undefined;
  head?: number | undefined;
  temperature: number;
}

/** gain·add is added. Only z has heads. */
export interface AddIntervention extends Place, AtPositions {
  add: ArrayLike<number>;
  /** Default `resid_pre`. */
  at?: Exclude<RecordName, 'pattern' | 'final_scale'> | undefined;
  /** Default 1. */
  gain?: number | undefined;
}

/**
 * A trace, or the same members as JSON has them. A pattern needs the tokens, and so does a patch
 * without positions.
 */
export type PatchSource = {
  [name in Exclude<RecordName, 'final_scale'>]?: ArrayLike<number> | undefined;
} & {
  layers: readonly number[];
  positions: ArrayLike<number>;
  tokens?: ArrayLike<number> | undefined;
};

/**
 * Numbers of a trace, at its positions or some of them. Only z and pattern have heads. Without
 * `positions`, a prompt of another length than the trace's tokens is refused with SHAPE. This holds
 * in `generate`, `chat`, `trace` and `sweep`, and for each text of `heads.fingerprint` and
 * `heads.scores`. For `rank` the prompt is all passages. The text that follows it may have any
 * length. `prefill` and `step`, which read a text in parts, take positions by their number.
 */
export interface PatchIntervention extends Place, AtPositions {
  patch: Exclude<RecordName, 'final_scale'>;
  from: PatchSource;
}

export type Intervention =
  | GainIntervention
  | KnockOutIntervention
  | PatternIntervention
  | TemperatureIntervention
  | AddIntervention
  | PatchIntervention;

/**
 * No entry. TypeScript tells its property where an entry has none of the kinds, since of types that
 * fit alike it explains the last by name.
 */
export interface UnknownIntervention extends Partial<Place>, AtPositions {
  'one of gain, knockOut, pattern, temperature, add, patch': never;
}
