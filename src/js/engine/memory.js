import { array } from '../check.js';
import { ClearheadError, GONE, kindOf, refuse } from '../errors.js';

/** @typedef {import('../types.d.ts').DType} DType */
/** @typedef {DType | 'int32' | 'uint8'} Kind */
/** @typedef {import('./exports.d.ts').Functions} Functions */
/**
 * @typedef {Functions & { memory: WebAssembly.Memory, __heap_base: WebAssembly.Global }} RawExports
 */

export const F32 = 'float32';
/**
 * A float input: an array, or a tensor of the engine.
 * @typedef {Float32Array | Float64Array | import('../types.d.ts').Tensor} Floats
 */
/**
 * @typedef {{ float32: Float32Array, float64: Float64Array, int32: Int32Array,
 *   uint8: Uint8Array }} Views
 */
const VIEWS = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

/** The memory of each engine, for models and tests. @type {WeakMap<object, Memory>} */
export const memories = new WeakMap();

/** @param {number} at */
const align = (at) => Math.ceil(at / 64) * 64;

/** @param {Kind} kind @param {number} length */
const bytesOf = (kind, length) => VIEWS[kind].BYTES_PER_ELEMENT * length;

/**
 * The memory of one wasm instance. Persistent blocks (tensors, caches) come first; during a call
 * its inputs and outputs lie above them as on a stack. Views are made afresh each time, because
 * growing detaches them.
 */
export class Memory {
  /** Free ranges between persistent blocks, in order. @type {{ at: number, end: number }[]} */
  holes = [];
  /** Below this the stack is not given back. */
  floor = 0;
  /** The threads that help, if there are. @type {import('./threads.js').Pool | undefined} */
  pool;
  /** @type {unknown} */
  trap;

  /** @param {WebAssembly.Exports} exports of the module */
  constructor(exports) {
    /** The module's exports as they are. A trap in one of them is not noticed. */
    this.exports = /** @type {RawExports} */ (/** @type {unknown} */ (exports));
    /** The C functions. A trap in one of them ends this engine. */
    this.c = /** @type {Functions} */ (
      /** @type {unknown} */ (
        Object.fromEntries(Object.entries(exports).map(([name, f]) => [name, this.#guard(name, f)]))
      )
    );
    this.top = align(this.exports.__heap_base.value);
    /**
     * Until it grows, which happens in push alone. To ask for it again and again takes longer than
     * most else in a short call.
     */
    this.buffer = this.exports.memory.buffer;
  }

  /**
   * Calls `f`. After a trap the memory can no longer be trusted, so no further call is made.
   * @param {string} name of f
   * @param {WebAssembly.ExportValue} f
   */
  #guard(name, f) {
    const call = /** @type {(...values: number[]) => number} */ (f);
    return (/** @type {number[]} */ ...values) => {
      try {
        if (!this.trap) return call(...values);
      } catch (cause) {
        this.trap = cause;
      }
      throw new ClearheadError('TRAPPED', `${name} failed in wasm; init a new engine`, {
        cause: this.trap,
      });
    };
  }

  /**
   * @template {Kind} K
   * @param {K} kind
   * @param {number} at
   * @param {number} length
   */
  view(kind, at, length) {
    return /** @type {Views[K]} */ (new VIEWS[kind](this.buffer, at, length));
  }

  /** Takes bytes from the top of the stack. @param {number} bytes */
  push(bytes) {
    const at = this.top;
    const end = align(at + bytes);
    const have = this.buffer.byteLength;
    try {
      if (!(end <= have)) {
        this.exports.memory.grow(Math.ceil((end - have) / 65536));
        this.buffer = this.exports.memory.buffer;
      }
    } catch (cause) {
      throw new ClearheadError('OOM', `memory is ${have} bytes; expected room for ${bytes} more`, {
        cause,
      });
    }
    this.top = end;
    return at;
  }

  /** @param {Kind} kind @param {number} length */
  pushArray(kind, length) {
    return this.push(bytesOf(kind, length));
  }

  /**
   * Runs `body`, then gives back all it has pushed.
   * @template T
   * @param {() => T} body
   * @returns {T}
   */
  scope(body) {
    const top = this.top;
    try {
      return body();
    } finally {
      this.top = Math.max(top, this.floor);
    }
  }

  /** A persistent block. @param {number} bytes */
  allocate(bytes) {
    const hole = this.holes.find((h) => h.end - h.at >= align(bytes));
    if (!hole) return this.push(bytes);
    const at = hole.at;
    hole.at += align(bytes);
    this.holes = this.holes.filter((h) => h.at < h.end);
    return at;
  }

  /** Gives back a block that `allocate` gave. @param {number} at @param {number} bytes */
  release(at, bytes) {
    const holes = [...this.holes, { at, end: at + align(bytes) }].sort((a, b) => a.at - b.at);
    this.holes = [];
    for (const hole of holes) {
      const last = this.holes.at(-1);
      if (last?.end === hole.at) last.end = hole.end;
      else this.holes.push(hole);
    }
    if (this.holes.at(-1)?.end === this.top)
      this.top = /** @type {{ at: number }} */ (this.holes.pop()).at;
  }

  /**
   * A copy of an array in memory.
   * @template {Kind} K
   * @param {K} kind
   * @param {number} at
   * @param {number} length
   */
  copy(kind, at, length) {
    return /** @type {Views[K]} */ (new VIEWS[kind](this.view(kind, at, length)));
  }

  /**
   * A float input: a typed array or a tensor of this memory, of the type given or of either.
   * @param {string} name
   * @param {unknown} x
   * @param {DType} [type]
   * @returns {Floats}
   */
  floats(name, x, type) {
    if (!(x instanceof Tensor)) return this.own(name, array(name, x, ...kindsOf(type)));
    x.place(this, name);
    return type && x.dtype !== type ? refuse('ARG', name, `a ${x.dtype} tensor`, type) : x;
  }

  /**
   * An array that is not a view of this memory: that would be detached as soon as memory grows.
   * @template {ArrayBufferView} A
   * @param {string} name
   * @param {A} x
   */
  own(name, x) {
    return x.buffer === this.buffer ? refuse('ARG', name, 'a view', 'the tensor itself') : x;
  }

  /**
   * Where an input lies: a tensor's own place, or that of a fresh copy.
   * @param {ArrayLike<number> | Floats} x
   * @param {Kind} kind
   */
  put(x, kind) {
    if (x instanceof Tensor) return x.place(this);
    const at = this.pushArray(kind, x.length);
    this.view(kind, at, x.length).set(/** @type {ArrayLike<number>} */ (x));
    return at;
  }
}

/**
 * The kinds of arrays that hold floats of a type, or of either.
 * @param {DType} [type]
 * @returns {('Float32Array' | 'Float64Array')[]}
 */
export const kindsOf = (type) =>
  type ? [type === F32 ? 'Float32Array' : 'Float64Array'] : ['Float32Array', 'Float64Array'];

/** @param {Floats} x @returns {DType} */
export const typeOf = (x) =>
  x instanceof Tensor ? x.dtype : kindOf(x) === 'Float64Array' ? 'float64' : F32;

/** A block of wasm memory that lasts until it is disposed of. */
export class Block {
  #memory;
  #at;
  #bytes;
  #name;

  /** @param {Memory} memory @param {number} bytes @param {string} name for errors */
  constructor(memory, bytes, name) {
    this.#memory = memory;
    this.#bytes = bytes;
    this.#name = name;
    this.#at = memory.allocate(bytes);
  }

  /** Its address, for the memory it lives in. @param {Memory} [memory] @param {string} [name] */
  place(memory = this.#memory, name = this.#name) {
    return this.#at < 0 || memory !== this.#memory ? refuse('DISPOSED', name, ...GONE) : this.#at;
  }

  dispose() {
    if (this.#at >= 0) this.#memory.release(this.#at, this.#bytes);
    this.#at = -1;
  }
}

/** See types.d.ts. */
export class Tensor extends Block {
  #memory;

  /** @param {Memory} memory @param {number[]} shape @param {DType} dtype */
  constructor(memory, shape, dtype) {
    const length = shape.reduce((a, b) => a * b, 1);
    super(memory, bytesOf(dtype, length), 'tensor');
    this.#memory = memory;
    this.shape = Object.freeze(shape);
    this.dtype = dtype;
    this.length = length;
    this.data.fill(0);
  }

  get data() {
    return this.#memory.view(this.dtype, this.place(), this.length);
  }
}
