/**
 * Scores of heads, the lens, the ledger and sweeps. The definitions are in
 * https://github.com/clearhead-js/clearhead/blob/main/docs/inspect.md.
 */
import type { Fresh } from '../../types.d.ts';

export interface Progress {
  done: number;
  total: number;
}

// ---- Scores of heads

/**
 * All are from 0 to 1, but for `copying`, which is from −1 to 1.
 *
 * - `previous`, `first`, `duplicate`, `induction`, `source`: mean weights.
 * - `robustness`: 1 − the slope of entropy over log n, and 0 or 1 where that is beyond them.
 * - `copying`: of the eigenvalues of the OV circuit.
 */
export type ScoreName =
  'previous' | 'first' | 'duplicate' | 'induction' | 'source' | 'robustness' | 'copying';

export interface ScoreDefinition {
  label: string;
  /** A head earns the label where its score is at least this. */
  threshold: number;
  /** The ground of its measurement. */
  on: 'texts' | 'repeats' | 'sources' | 'weights';
  is: string;
}

/** Random sequences of `period` tokens that come twice. Control tokens are not drawn. */
export interface RandomRepeats {
  /** Default 8. */
  count?: number | undefined;
  /** Default 32. */
  period?: number | undefined;
  /** Default 0. */
  seed?: number | undefined;
}

export interface ScoreOptions<N extends ScoreName = ScoreName> {
  /** Default all, `source` only where sources are given. */
  scores?: readonly N[] | undefined;
  /** Texts or ids for the scores on texts. Default the random repeats. */
  texts?: readonly (string | ArrayLike<number>)[] | undefined;
  /** How they are made, or ids that come twice, without the token that begins a text. */
  repeats?: RandomRepeats | readonly ArrayLike<number>[] | undefined;
  /** Prompts, and the positions that tell what comes behind the last token. Each counts once. */
  sources?:
    readonly { prompt: string | ArrayLike<number>; positions: ArrayLike<number> }[] | undefined;
  /** Counts tokens that are read, and heads whose eigenvalues are known. */
  onProgress?: ((progress: Progress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Of the scores that were asked for; others may be there, if their names are not known. */
export type ByScore<N extends ScoreName, T> = Partial<Record<ScoreName, T>> &
  ([ScoreName] extends [N] ? unknown : Record<N, T>);

export interface ScoredHead<N extends ScoreName = ScoreName> {
  layer: number;
  head: number;
  scores: ByScore<N, number>;
  /** Those whose threshold is reached. */
  labels: string[];
}

export interface HeadScores<N extends ScoreName = ScoreName> {
  definitions: ByScore<N, ScoreDefinition>;
  /** Each (layers, heads). NaN where a score is not defined (see the definitions). */
  scores: ByScore<N, Float64Array>;
  /** The same as a table with labels, layer by layer. */
  heads: ScoredHead<N>[];
}

// ---- Lens and ledger of a past position

export interface LensOptions {
  /** How many of the likeliest tokens are listed. Default 5. */
  top?: number | undefined;
}

export interface Lens {
  position: number;
  /**
   * Of the last norm and the output matrix on the residual stream behind each layer (layers,
   * vocab). The last row has the bits of the model's own logits.
   */
  logits: Fresh<Float32Array>;
  /** Their softmax (layers, vocab). */
  probabilities: Fresh<Float32Array>;
  /** The likeliest tokens of each layer. */
  top: { token: number; probability: number }[][];
}

export interface LedgerOptions<S extends boolean | undefined = boolean> {
  /** Whether the parts of heads are divided by source position. */
  sources?: S | undefined;
}

/**
 * A logit, or the difference of two. It is a sum of all that was added to the residual stream, at
 * the last norm's scale:
 *
 *     logit = embedding + Σ heads + Σ feedForward + Σ biases + Σ interventions + rounding + rest
 *
 * With a softcap c it is the logit before it, c·artanh(logit/c). `rest` is the rounding of sums
 * alone.
 */
export type Ledger<S extends boolean | undefined = boolean> = LedgerParts &
  ([S] extends [true]
    ? LedgerSources
    : [S] extends [false | undefined]
      ? { sources?: undefined; withoutSource?: undefined }
      : Partial<LedgerSources>);

interface LedgerParts {
  position: number;
  /** One, or the two whose difference it is. */
  tokens: number[];
  /** c, or 0 without a softcap. */
  softcap: number;
  /** √(mean x² + ε) of the last norm, which divides the residual stream x by it. */
  scale: number;
  /** A patch of the first layer's `resid_pre` takes its place. */
  embedding: number;
  /** (layers, heads). A norm behind attention is carried, by its scale at this position. */
  heads: Fresh<Float64Array>;
  /**
   * (layers), without its bias; but with it where a norm follows. A patch of `mlp_out` takes its
   * place.
   */
  feedForward: Fresh<Float64Array>;
  /** (layers): biases of the outputs of attention and feed-forward. */
  biases: Fresh<Float64Array>;
  /**
   * (layers): changes of the residual stream, of `attn_out` and `mlp_out` by interventions. Of a
   * patch it is the difference to the numbers before.
   */
  interventions: Fresh<Float64Array>;
  /**
   * That of the rounding of the last input. With quantised weights the output matrix multiplies
   * inputs of 8 bits in each block of 32, else float32.
   */
  rounding: number;
  /** The logit minus the sum. */
  rest: number;
  /** left: the logit; right: the sum. */
  identity: {
    left: number;
    right: number;
    difference: number;
    allowed: number;
    holds: boolean;
  };
}

interface LedgerSources {
  /**
   * With `sources` (layers, heads, position + 1). A gain of z scales them. A head's sources and its
   * `withoutSource` sum up to its part in `heads` but for rounding.
   */
  sources: Fresh<Float64Array>;
  /**
   * With `sources` (layers, heads): the part of numbers that interventions put into z, as a mean, a
   * patch or an addition. They come from no position, and without them it is 0.
   */
  withoutSource: Fresh<Float64Array>;
}

// ---- Sweeps

export interface SweepOptions {
  /**
   * `z`, the default: each head, at all positions. The others: each layer and position of the
   * residual stream or of a block's result.
   */
  over?: 'z' | 'resid_pre' | 'attn_out' | 'mlp_out' | undefined;
  /** Its replacement: zeros, the default, or the mean over the positions of the prompt. */
  ablate?: 'zero' | 'mean' | undefined;
  /** Or the values of another prompt, one of as many tokens. */
  from?: string | ArrayLike<number> | undefined;
  /**
   * Of the logits behind the last token. `logprob`, the default, of `token`; `difference` of the
   * logits of `token` and `against`; `kl`, KL(before‖after) of the whole distribution.
   */
  metric?: 'logprob' | 'difference' | 'kl' | undefined;
  /** Default the likeliest token without a change. */
  token?: number | undefined;
  /** Another one than `token`, else ARG. */
  against?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Sweep {
  tokens: Fresh<Int32Array>;
  over: 'z' | 'resid_pre' | 'attn_out' | 'mlp_out';
  /** [layers, heads] or [layers, positions]. */
  shape: [number, number];
  /** The metric without a change, and that of the other prompt. */
  base: number;
  source?: number;
  /** By how much each change raises the metric. */
  changes: Fresh<Float64Array>;
  /** The likeliest token without a change, and with each. */
  answer: number;
  answers: Fresh<Int32Array>;
}
