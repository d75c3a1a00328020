/** Attention in a worker: the engine of `clearhead`, where every call returns a promise. */
import type {
  AttendOptions,
  AttentionOptions,
  CacheType,
  EngineInfo,
  FloatArray,
  InitOptions,
  KVCacheOptions,
  Layout,
  Want,
  Wanted,
} from '../types.d.ts';

export interface RemoteInitOptions extends Pick<InitOptions, 'wasm' | 'variant' | 'threads'> {
  /** Makes the worker, of `clearhead/worker/attention-host`. Default: one of the file there. */
  worker?: () => object;
}

/**
 * Starts a worker with an engine. Arrays are copied on their way there and back. Tensors, layers
 * and statements are those of `clearhead` alone.
 */
export function init(options?: RemoteInitOptions): Promise<RemoteEngine>;

export interface RemoteEngine {
  /** As it was when the engine began. */
  readonly info: EngineInfo;
  attention<A extends FloatArray, const W extends Want = {}>(
    q: A,
    k: A,
    v: A,
    options: AttentionOptions<A> & { want?: W },
  ): Promise<Wanted<A, W>>;
  attend<const W extends Want = {}>(
    q: Float32Array,
    cache: RemoteKVCache,
    options?: AttendOptions & { want?: W },
  ): Promise<Wanted<Float32Array, W>>;
  kvCache(options: KVCacheOptions): Promise<RemoteKVCache>;
  /** Ends the worker. */
  dispose(): Promise<void>;
}

/** A cache in the worker; see `KVCache`. */
export interface RemoteKVCache {
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly capacity: number;
  readonly type: CacheType;
  readonly bytes: number;
  /** As it was at the last answer. */
  readonly length: number;
  append(k: Float32Array, v: Float32Array, options?: { layout?: Layout }): Promise<void>;
  truncate(length: number): Promise<void>;
  read(from?: number, to?: number): Promise<{ k: Float32Array; v: Float32Array }>;
  clone(): Promise<RemoteKVCache>;
  snapshot(): Promise<Uint8Array>;
  restore(snapshot: Uint8Array): Promise<void>;
  dispose(): Promise<void>;
}
