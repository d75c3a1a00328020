/** A KV cache of `init()`, and its options. */
import type { Fresh, Layout, Tensor } from './types.d.ts';

export interface KVCacheOptions {
  /** Default 1. */
  kvHeads?: number | undefined;
  headDim: number;
  /** Default `headDim`. */
  valueDim?: number | undefined;
  /** The number of positions that fit into it. */
  capacity: number;
  /**
   * How numbers are kept: `f32` (default) as they are, `f16` in half precision, `q8` as bytes with
   * a scale per key and value. Keys of `q8` may be differences from a reference, which earlier keys
   * give. `f16` holds numbers up to 65504, and from 65520 on they become ±Infinity. With `q8` a key
   * or value that is not all finite becomes NaN as a whole.
   */
  type?: CacheType | undefined;
}

export type CacheType = 'f32' | 'f16' | 'q8';

/** Keys and values of one sequence, kept in wasm memory in the order the kernels read. */
export interface KVCache {
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly capacity: number;
  readonly type: CacheType;
  /** The number of positions in it now. */
  readonly length: number;
  /** Bytes of wasm memory. */
  readonly bytes: number;
  /**
   * k (kvHeads, t, headDim) and v (kvHeads, t, valueDim), or with `bshd` (t, kvHeads, size). Throws
   * LIMIT when full.
   */
  append(
    k: Float32Array | Tensor<Float32Array>,
    v: Float32Array | Tensor<Float32Array>,
    options?: { layout?: Layout | undefined },
  ): void;
  /** Keeps the first `length` positions. */
  truncate(length: number): void;
  /**
   * Keys (kvHeads, to−from, headDim) and values of the positions [from, to), default all, as the
   * type keeps them.
   */
  read(from?: number, to?: number): { k: Fresh<Float32Array>; v: Fresh<Float32Array> };
  clone(): KVCache;
  /** A self-describing copy with a checksum, to be kept anywhere. */
  snapshot(): Fresh<Uint8Array>;
  /**
   * Replaces the content by a snapshot. FORMAT: the snapshot is of another type, kvHeads, headDim
   * or valueDim, or of a later version; earlier versions are read. INTEGRITY: it is damaged. LIMIT:
   * it does not fit the capacity.
   */
  restore(snapshot: Uint8Array): void;
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
}
