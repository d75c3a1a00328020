/** The public types of `clearhead`: the engine and how it is made, and the types of its calls. */

import type {
  AttendOptions,
  AttentionOptions,
  DType,
  FloatArray,
  Tensor,
  Want,
  Wanted,
} from './attention/types.d.ts';
import type { KVCache, KVCacheOptions } from './attention/cache-types.d.ts';
import type { Layers } from './layers/types.d.ts';
import type { Theory } from './theory/types.d.ts';

export type * from './attention/types.d.ts';
export type * from './attention/cache-types.d.ts';
export type * from './layers/types.d.ts';
export type * from './layers/gradient.d.ts';
export type * from './theory/types.d.ts';

/**
 * Where the compiled kernels come from: an address, a fetch response, the bytes, or an already
 * compiled module.
 */
export type WasmSource = URL | string | ArrayBuffer | ArrayBufferView | WasmObject;
/**
 * A `Response` or a `WebAssembly.Module`. They are not named, so that URL is the only type needed
 * from the DOM or Node.
 */
export type WasmObject = object;

export interface InitOptions {
  /**
   * Default: the file shipped beside this module. Threads need its bytes or its address, not a
   * compiled module.
   */
  wasm?: WasmSource | Promise<WasmSource> | undefined;
  /**
   * `auto` (default): `relaxed` where the engine accepts relaxed SIMD, else `simd`. `simd` gives
   * the same bits everywhere.
   */
  variant?: 'auto' | 'simd' | 'relaxed' | undefined;
  /**
   * How many threads share the work of a large float32 call, the calling one included; default 1,
   * at most 16. In a page they need cross-origin isolation. Where they cannot be had, the engine
   * has one, and `info.why` says why. The bits do not depend on it.
   */
  threads?: number | undefined;
  /**
   * Also loads the functions of `Layers`: `multiHead`, `latent`, `matmul` and others. Default
   * false.
   */
  layers?: boolean | undefined;
  /**
   * Where `theory` finds its kernels when it is first read. Default: theory.wasm, shipped with this
   * package.
   */
  theoryWasm?: WasmSource | Promise<WasmSource> | undefined;
  /**
   * Makes a worker for a thread, of `clearhead/thread`. Default: one is made from the file of this
   * package, or from the text inside `clearhead/inline`.
   */
  worker?: (() => object) | undefined;
}

export interface EngineInfo {
  /**
   * The kernels that run; `simd` is bit-reproducible on every engine, `relaxed` may fuse multiply
   * and add.
   */
  readonly variant: 'simd' | 'relaxed';
  /** Whether the relaxed kernels run. */
  readonly relaxed: boolean;
  /** Threads there are now; falls to 1 when one is lost. */
  readonly threads: number;
  /** The option `threads` of `init`. */
  readonly threadsAsked: number;
  /** True: 128-bit SIMD is the floor of every build. */
  readonly simd: true;
  /**
   * Why the faster variant or the threads asked for are not there; empty when nothing is missing.
   */
  readonly why: string;
  /** The same of each, and empty where nothing is missing. */
  readonly reasons: { readonly relaxed: string; readonly threads: string };
}

/**
 * Every function may throw ARG, SHAPE, RANGE, DETACHED, DISPOSED, OOM or LIMIT (see ErrorCode).
 * After an error the engine, its caches and tensors, and the arguments are as they were.
 */
export interface Engine {
  readonly info: EngineInfo;
  /**
   * Scaled-dot-product attention, multi-head, grouped-query or multi-query, of q (batch, heads, m,
   * headDim) over k (batch, kvHeads, n, headDim) and v (batch, kvHeads, n, valueDim), in the layout
   * given. ALIAS: `out` shares memory with an input.
   */
  attention<
    A extends FloatArray,
    const W extends Want = {},
    O extends A | Tensor<A> | undefined = undefined,
  >(
    q: A | Tensor<A>,
    k: A | Tensor<A>,
    v: A | Tensor<A>,
    options: AttentionOptions<A> & { want?: W | undefined; out?: O },
  ): Wanted<A, W, O>;
  /**
   * The same of float32 queries (heads, m, headDim) over the keys and values of a cache; with
   * `causal` they are its last m positions.
   */
  attend<
    const W extends Want = {},
    O extends Float32Array | Tensor<Float32Array> | undefined = undefined,
  >(
    q: Float32Array | Tensor<Float32Array>,
    cache: KVCache,
    options?: AttendOptions & { want?: W | undefined; out?: O },
  ): Wanted<Float32Array, W, O>;
  /** An array of zeros in wasm memory, to be filled through its `data`; default `float32`. */
  tensor(shape: readonly number[], dtype?: 'float32'): Tensor<Float32Array>;
  tensor(shape: readonly number[], dtype: 'float64'): Tensor<Float64Array>;
  tensor(shape: readonly number[], dtype: DType): Tensor;
  /** A cache for `capacity` positions. All of its memory is allocated at once. */
  kvCache(options: KVCacheOptions): KVCache;
  /**
   * Ends its threads, if it has any; it then works with one. Memory goes when nothing refers to the
   * engine any more.
   */
  dispose(): void;
  /** For `using`: the same as `dispose`. */
  [Symbol.dispose](): void;
  /**
   * The statements behind attention, each computed so that it can be checked. They load when this
   * is first read, once an engine. NET, FORMAT, INTEGRITY: a file cannot be had, is none or is
   * damaged; the next read tries again.
   */
  readonly theory: Promise<Theory>;
}

/**
 * Stable over versions.
 *
 * Arguments. ARG: missing, of another kind, or with an unknown name. SHAPE: lengths that do not fit
 * each other or the sizes. RANGE: a number out of bounds. ALIAS: a result would lie in memory that
 * is read. DETACHED: an array whose buffer is gone. DISPOSED: a tensor, cache, layer or model that
 * is gone, or of another engine.
 *
 * Memory. LIMIT: more than is possible or than was allocated (sizes, a full cache, the context).
 * OOM: memory cannot grow.
 *
 * Files. FORMAT: not of the expected kind, or not supported. INTEGRITY: cut off or damaged. NET:
 * cannot be fetched.
 *
 * Others. ENV: the machine, the engine or the page's policy lacks something. BUSY: the model is
 * writing a text. TRAPPED: the kernels broke down, and the engine must not be used any more.
 */
export type ErrorCode =
  | 'ARG'
  | 'SHAPE'
  | 'RANGE'
  | 'ALIAS'
  | 'DETACHED'
  | 'DISPOSED'
  | 'OOM'
  | 'LIMIT'
  | 'FORMAT'
  | 'INTEGRITY'
  | 'TRAPPED'
  | 'ENV'
  | 'NET'
  | 'BUSY';

/**
 * The one error of this package. `code` is for programs. `message` names the argument, the value
 * that came and the value that was expected.
 */
export class ClearheadError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown | undefined });
  readonly name: 'ClearheadError';
  readonly code: ErrorCode;
}

/**
 * Loads and checks the kernels. Nothing is shared between two engines. With `layers` it loads a
 * larger wasm file. The engine then also has the operations and layers around attention, and can
 * run models.
 *
 * NET: the wasm file cannot be fetched. FORMAT: it is no wasm file, or another one. INTEGRITY: it
 * lacks our checksum. ENV: the JavaScript engine has no SIMD, or the page's policy forbids it.
 */
export function init(options: InitOptions & { layers: true }): Promise<Engine & Layers>;
export function init(options?: InitOptions): Promise<Engine>;
