/** The cache of a model, and its snapshots. */
import type { Fresh } from '../types.d.ts';

/**
 * The tokens a model has read, with their keys and values. After `generate` these are the prompt
 * and all tokens of the text but the last, which is chosen and not yet read.
 */
export interface ModelCache {
  /** Here and in `tokens`, BUSY in the middle of a trace, a sweep, scores, or a ranking. */
  readonly length: number;
  /** The number of positions that fit into it. */
  readonly capacity: number;
  /** Bytes of wasm memory. */
  readonly bytes: number;
  /** A copy of the ids that have been read. */
  readonly tokens: Fresh<Int32Array>;
  /** Keeps the first `length` positions. */
  truncate(length: number): void;
  clear(): void;
  /**
   * Copies, to be kept anywhere that takes typed arrays: IndexedDB, `structuredClone`, in Node
   * `v8.serialize` (not JSON).
   */
  snapshot(): CacheSnapshot;
  /**
   * A snapshot of the same model, wherever it was taken. FORMAT: of another one; INTEGRITY:
   * damaged. On failure the cache is as before.
   */
  restore(snapshot: CacheSnapshot): void;
}

export interface CacheSnapshot {
  /** A checksum of the configuration and a sample of the weights. All checksums have 53 bits. */
  model: number;
  tokens: Int32Array;
  layers: Uint8Array[];
  /**
   * The attention temperatures (layers, heads) that the first `alike` positions were read with, so
   * that `generate` knows what to read anew.
   */
  temperatures: Float64Array;
  /** A checksum of the other interventions that they were read with; 0 or missing: none. */
  interventions?: number;
  alike: number;
  /** Of tokens, temperatures, `alike`, and the checksums that layers have of their own. */
  checksum: number;
}
