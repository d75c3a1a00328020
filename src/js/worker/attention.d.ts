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
  worker?: (() => object) | undefined;
}

/**
 * Starts a worker with an engine. Arrays are copied on their way there and back, and the output is
 * copied into `out` where it is given. Tensors, layers and statements are those of `clearhead`
 * alone.
 */
export function init(options?: RemoteInitOptions): Promise<RemoteEngine>;

export interface RemoteEngine {
  /** As it was when the engine began. */
  readonly info: EngineInfo;
  attention<A extends FloatArray, const W extends Want = {}, O extends A | undefined = undefined>(
    q: A,
    k: A,
    v: A,
    options: AttentionOptions<A> & { want?: W | undefined; out?: O },
  ): Promise<Wanted<A, W, O>>;
  attend<const W extends Want = {}, O extends Float32Array | undefined = undefined>(
    q: Float32Array,
    cache: RemoteKVCache,
    options?: AttendOptions & { want?: W | undefined; out?: O },
  ): Promise<Wanted<Float32Array, W, O>>;
  kvCache(options: KVCacheOptions): Promise<RemoteKVCache>;
  /** Ends the worker. So does the garbage collector where engine and caches are dropped. */
  dispose(): Promise<void>;
  /** For `await using`: the same as `dispose`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A cache in the worker; see `KVCache`. A dropped one gives its memory back. */
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
  /** For `await using`: the same as `dispose`. */
  [Symbol.asyncDispose](): Promise<void>;
}
