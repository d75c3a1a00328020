import type { Fresh } from '../../types.d.ts';
import type { HeadScores, ScoreName, ScoreOptions } from './types.d.ts';

/** Numbers of all heads, (layers, heads). */
export interface HeadPlane {
  /** ρ = KL(p‖uniform) = log n − H, in nats. */
  rho: Fresh<Float64Array>;
  /** χ = Var_p(log p)/(log n)², which is (∂ρ/∂β)/(log n)² at β = 1 for p ∝ p^β. */
  chi: Fresh<Float64Array>;
}

export interface FingerprintOptions {
  /** Rows of a prompt: that of its last token (default), or the mean of all with two keys. */
  rows?: 'last' | 'all' | undefined;
  /**
   * For the number of p-values, two of each head. `holm` (default) bounds the probability of any
   * false finding, `benjamini-hochberg` the expected share of false ones.
   */
  correction?: 'holm' | 'benjamini-hochberg' | undefined;
  /** A head is found if a corrected p-value of it is at most this; default 0.001. */
  level?: number | undefined;
  /** How many of the found heads are ablated, the clearest first; default 8. */
  ablate?: number | undefined;
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface FoundHead {
  layer: number;
  head: number;
  /** The smaller one of its two corrected p-values. */
  adjusted: number;
}

export interface AblatedHead extends FoundHead {
  /**
   * The causal check: KL(with the head‖without it) of the next token after a prompt, in nats, the
   * mean over each set.
   */
  effect: { a: number; b: number };
}

/** Where heads stand on two sets of prompts, and which of them tell the sets apart. */
export interface Fingerprint {
  layers: number;
  heads: number;
  /** Prompts in each set. */
  prompts: { a: number; b: number };
  /** Means over the prompts of a set. */
  a: HeadPlane;
  b: HeadPlane;
  /** b − a. */
  difference: HeadPlane;
  /** Two-sided p-values of the Mann–Whitney test over prompts. */
  p: HeadPlane;
  adjusted: HeadPlane;
  correction: 'holm' | 'benjamini-hochberg';
  level: number;
  /** The clearest first. */
  found: FoundHead[];
  ablated: AblatedHead[];
}

/** Questions about all heads of a model. */
export interface Heads {
  /**
   * Compares the heads on two sets of prompts, texts or ids. Prompts are read anew, and the cache
   * holds the last one afterwards. BUSY: a text is being generated.
   */
  fingerprint(
    promptsA: readonly (string | ArrayLike<number>)[],
    promptsB: readonly (string | ArrayLike<number>)[],
    options?: FingerprintOptions,
  ): Promise<Fingerprint>;
  /**
   * Scores of all heads, at the temperatures of now. The cache is lent meanwhile, and holds the
   * same afterwards. BUSY: a text is being generated.
   */
  scores<const N extends ScoreName = Exclude<ScoreName, 'source'>>(
    options?: ScoreOptions<N>,
  ): Promise<HeadScores<N>>;
}
