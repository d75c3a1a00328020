/** Multi-head latent attention: its weights, its cache and its layer. */
import type { Fresh, Want, Wanted } from '../attention/types.d.ts';
import type { Floats, ForwardOptions, RopeTable } from './operation-types.d.ts';

/**
 * Named as in DeepSeek's files: `kv_a_proj_with_mqa` is kvA, `kv_a_layernorm` kvANorm, and so on.
 */
export interface LatentWeights {
  /**
   * (heads·(nopeDim + ropeDim), modelDim): queries without compression. Or the three below, with
   * queryLatent.
   */
  q?: Floats | undefined;
  /** (queryLatent, modelDim) */
  qA?: Floats | undefined;
  /** (queryLatent): scale of the RMSNorm between the two; none without it. */
  qANorm?: Floats | undefined;
  /** (heads·(nopeDim + ropeDim), queryLatent) */
  qB?: Floats | undefined;
  /** (kvLatent + ropeDim, modelDim): the latent, then the key part that carries the position. */
  kvA: Floats;
  /** (kvLatent): scale of the latent's RMSNorm; none without it. */
  kvANorm?: Floats | undefined;
  /** (heads·(nopeDim + valueDim), kvLatent): of each head the keys' rows, then the values'. */
  kvB: Floats;
  /** (outputs, heads·valueDim) */
  o: Floats;
}

export interface LatentConfig {
  modelDim: number;
  heads: number;
  /** r, the numbers in a latent (`kv_lora_rank`). kvLatent + ropeDim is at most 1024. */
  kvLatent: number;
  /** `q_lora_rank`; 0 (default): queries are not compressed. */
  queryLatent?: number | undefined;
  /** Of a query or key head: numbers that come from the latent, … */
  nopeDim: number;
  /** … and numbers that carry the position, whose key part all heads share. Default 0. */
  ropeDim?: number | undefined;
  valueDim: number;
  /** Default modelDim. */
  outputs?: number | undefined;
  /** dim must be ropeDim. */
  rope?: RopeTable | undefined;
  /** Default 1e-6. */
  normEpsilon?: number | undefined;
  residual?: boolean | undefined;
}

/**
 * Latents of one sequence, normed, and turned key parts: kvLatent + ropeDim numbers for each
 * position.
 */
export interface LatentCache {
  readonly capacity: number;
  /** Numbers for each position. */
  readonly size: number;
  readonly length: number;
  readonly bytes: number;
  truncate(length: number): void;
  /** Positions [from, to), (to − from, size). */
  read(from?: number, to?: number): Fresh<Float32Array>;
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}

/** Multi-head latent attention (statement 14; DeepSeek-V2, arXiv 2405.04434, section 2.1). */
export interface Latent {
  /** Bytes of wasm memory. */
  readonly bytes: number;
  /**
   * Bytes that a position needs in a float32 cache: here, with full keys and values of all heads,
   * of one head. GQA with g kv heads: g·multiQuery.
   */
  readonly bytesPerPosition: {
    readonly latent: number;
    readonly multiHead: number;
    readonly multiQuery: number;
  };
  /** LIMIT: above 4 GiB. */
  cache(options: { capacity: number }): LatentCache;
  /**
   * `expanded` makes keys and values of all heads from the latents, `absorbed` attends to the
   * latents themselves; equal but for rounding. Default: absorbed over a cache, expanded without.
   * The scale is 1/√(nopeDim + ropeDim) by default in both; scores, lse and statistics are the
   * same. DeepSeek-V2 and V3 with YaRN multiply it by (0.1·mscaleAllDim·log(factor) + 1)², which
   * the table cannot hold, for it is not only of the part that turns: give `scale`. Errors: as
   * MultiHead.forward.
   */
  forward<const W extends Want = {}, O extends Floats | undefined = undefined>(
    x: Floats,
    options?: ForwardOptions & {
      cache?: LatentCache | undefined;
      form?: 'expanded' | 'absorbed' | undefined;
      want?: W | undefined;
      out?: O;
    },
  ): Wanted<Float32Array, W, O>;
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}
