/** The observation of the heads of a model while it runs. */
import type { Fresh } from '../types.d.ts';
import type { RecordName, RecordOptions } from './inside/types.d.ts';
import type { SampleOptions, TemplateOptions } from './types.d.ts';

/**
 * `stats`: statistics of every head, from the fused kernel. `weights`: rows of chosen heads as
 * well.
 */
export type Observe = 'none' | 'stats' | 'weights';

/**
 * Sums of weights over up to 1024 spans of positions, from ≤ j < to, of every head; statistics as
 * well with `stats: true`. Positions that are not read yet weigh nothing.
 */
export interface ObserveSpans {
  readonly spans?: readonly (readonly [from: number, to: number])[] | undefined;
  readonly stats?: boolean | undefined;
  /** Of `generate` and `chat` alone: the ratios of HeadStats.lookback. */
  readonly lookback?: boolean | undefined;
}

export interface ObserveOptions<
  O extends Observe | ObserveSpans | undefined = Observe,
  R extends RecordName = RecordName,
> {
  /** Default `none`. */
  observe?: O | undefined;
  /** Whose rows, with `observe: 'weights'` alone; pairs [layer, head]. Default all. */
  heads?: readonly (readonly [number, number])[] | undefined;
  /** Records the last token that is read; of a prompt, `model.trace` records all. */
  trace?: RecordOptions<R> | undefined;
}

export interface GenerateOptions<
  O extends Observe | ObserveSpans | undefined = Observe,
  R extends RecordName = RecordName,
  L extends boolean | undefined = boolean,
>
  extends ObserveOptions<O, R>, SampleOptions {
  /** Default 256. */
  maxTokens?: number | undefined;
  /**
   * Generation ends where one of these would begin to show: one text or up to 64, each of 1 to 256
   * characters.
   */
  stop?: string | readonly string[] | undefined;
  /** Whether each token has the ledger of its logit. */
  ledger?: L | undefined;
  /** Ends generation, typically within 100 ms. The iterator then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface ChatOptions<
  O extends Observe | ObserveSpans | undefined = Observe,
  R extends RecordName = RecordName,
  L extends boolean | undefined = boolean,
>
  extends GenerateOptions<O, R, L>, TemplateOptions {}

/**
 * Statistics of all heads, each array (layers, heads, tokens), where generation brings one token at
 * a time. Of the row that attends from that token; its prediction is the next.
 */
export interface HeadStats {
  /** Positions attended. */
  n: Fresh<Int32Array>;
  /** H(p) in nats. */
  entropy: Fresh<Float32Array>;
  /** ρ_eff = KL(p‖uniform) = log n − H, in nats. */
  kl: Fresh<Float32Array>;
  /** e^H: among how many positions attention is spread. */
  effectiveKeys: Fresh<Float32Array>;
  /** ⟨z⟩ = Σ p_j z_j. */
  expectedScore: Fresh<Float32Array>;
  /** The largest weight, and its position. */
  maxWeight: Fresh<Float32Array>;
  argmax: Fresh<Int32Array>;
  /** Var_p(z), the susceptibility: with β = 1/T, ∂ρ/∂β = β·Var_p(z). */
  variance: Fresh<Float32Array>;
  /**
   * The weight of position 0, where attention goes that finds nothing to look at. 0 where a window
   * hides it.
   */
  firstWeight: Fresh<Float32Array>;
  /** With `observe: 'weights'`: one weight for each position, of the last token. */
  weights?: HeadRow[];
  /** With `observe: { spans }`: sums of weights, (layers, heads, tokens, spans). */
  spans?: Fresh<Float32Array>;
  /**
   * With `observe: { lookback: true }`: a/(a + b), a the mean weight of a token of the prompt and b
   * of the text so far. 1 for the first token. ½ where the head sees neither.
   */
  lookback?: Fresh<Float32Array>;
}

export interface HeadRow {
  layer: number;
  head: number;
  weights: Fresh<Float32Array>;
}

/** The observations of the heads with `observe: O`. */
export type Observed<O extends Observe | ObserveSpans | undefined> = O extends 'none' | undefined
  ? { heads?: undefined }
  : {
      heads: O extends 'weights'
        ? HeadStats & { weights: HeadRow[] }
        : O extends 'stats'
          ? HeadStats
          : (O extends { stats: true } ? HeadStats : unknown) &
              (O extends { spans: readonly unknown[] } ? { spans: Fresh<Float32Array> } : unknown) &
              (O extends { lookback: true } ? { lookback: Fresh<Float32Array> } : unknown);
    };

/**
 * An option whose value says which results are there. In this form TypeScript infers `undefined` as
 * part of `V`, where an optional property alone loses it. The result is then perhaps there.
 */
export type Given<K extends string, V> = { [key in K]: V } | { [key in K]?: V };

/** The options of `observe: O` and `trace: M`. */
export type Watched<O, M> = Given<'observe', O> & Given<'trace', M & OnlyOptions<M>>;

type OnlyOptions<M> = M extends undefined
  ? unknown
  : { readonly [key in Exclude<keyof M, keyof RecordOptions>]: never };

export interface RankOptions {
  /**
   * A query without content, whose attention is subtracted. Default 'N/A' if the query is a text.
   * Null: none.
   */
  calibration?: string | ArrayLike<number> | null | undefined;
  /** Pairs [layer, head]; default all. */
  heads?: readonly (readonly [number, number])[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface Ranked {
  /** Of the passage in the list. */
  index: number;
  /** The mean weight that a token of the query gives it, over heads, less that of calibration. */
  score: number;
}
