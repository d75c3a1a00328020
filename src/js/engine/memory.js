/** The memory of an engine, and its C functions. */
import { bufferOf, lengthOf } from '../arrays.js';
import { array } from '../check.js';
import { ClearheadError, refuse } from '../errors.js';
import { bytesOf, kindsOf, Tensor, VIEWS, placeOf } from './tensor.js';

/** @typedef {import('../types.d.ts').DType} DType */
/** @typedef {import('./tensor.js').Floats} Floats */
/** @typedef {import('./tensor.js').Kind} Kind */
/** @typedef {import('./tensor.js').Views} Views */
/** @typedef {import('./exports.d.ts').Functions} Functions */
/** @typedef {import('./exports.d.ts').Pointer} Pointer */
/**
 * @typedef {Functions & { memory: WebAssembly.Memory, __heap_base: WebAssembly.Global }} RawExports
 */

/** The memory of each engine, for models and tests. @type {WeakMap<object, Memory>} */
export const memories = new WeakMap();

/** @param {number} at */
const align = (at) => Math.ceil(at / 64) * 64;

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
  /** The threads that help, if there are. @type {import('./pool.js').Pool | undefined} */
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
    /** Kept, because reading memory.buffer is slow in a short call. Only push grows memory. */
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

  /** Takes bytes from the top of the stack. @param {number} bytes @returns {Pointer} */
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
      throw new ClearheadError('OOM', `memory is ${have} bytes; expected space for ${bytes} more`, {
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

  /** A persistent block. @param {number} bytes @returns {Pointer} */
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
    const copy = new VIEWS[kind](this.view(kind, at, length));
    return /** @type {import('../types.d.ts').Fresh<Views[K]>} */ (copy);
  }

  /**
   * A float input: a typed array or a tensor of this memory, of the type given or of either.
   * @param {string} name
   * @param {unknown} x
   * @param {DType} [type]
   * @returns {Floats}
   */
  floats(name, x, type) {
    if (!Tensor.is(x)) return this.outside(name, array(name, x, ...kindsOf(type)));
    placeOf(x, this, name);
    return type && x.dtype !== type ? refuse('ARG', name, `a ${x.dtype} tensor`, type) : x;
  }

  /**
   * An array that is not a view of this memory: that would be detached as soon as memory grows.
   * @template {ArrayBufferView} A
   * @param {string} name
   * @param {A} x
   */
  outside(name, x) {
    return bufferOf(x) === this.buffer
      ? refuse('ARG', name, 'a view of wasm memory', 'the tensor itself, not its .data')
      : x;
  }

  /**
   * Where an input lies: a tensor's own place, or that of a fresh copy.
   * @param {ArrayLike<number> | Floats} x
   * @param {Kind} kind
   * @returns {Pointer}
   */
  put(x, kind) {
    if (Tensor.is(x)) return placeOf(x, this);
    const length = lengthOf(x);
    const at = this.pushArray(kind, length);
    this.view(kind, at, length).set(/** @type {ArrayLike<number>} */ (x));
    return at;
  }
}
