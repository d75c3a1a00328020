/**
 * A module's C functions, called directly on memory of their own: for functions that the package's
 * JavaScript calls only together with others.
 */
import { wasmBytes } from './models/engines.js';

const modules = new Map();

export class Kernels {
  /** @param {'simd' | 'relaxed'} variant */
  constructor(variant) {
    if (!modules.has(variant)) modules.set(variant, new WebAssembly.Module(wasmBytes(variant)));
    const memory = new WebAssembly.Memory({ initial: 16, maximum: 65536 });
    const { exports } = new WebAssembly.Instance(modules.get(variant), {
      env: { memory, now: () => performance.now() },
    });
    this.c = /** @type {Record<string, any>} */ (exports);
    this.end = exports.__heap_base.value;
  }

  /** Zeroed memory, aligned to 16, never freed but by `scope`. */
  allocate(bytes) {
    const at = (this.end + 15) & ~15;
    const missing = at + bytes - this.c.memory.buffer.byteLength;
    if (missing > 0) this.c.memory.grow(Math.ceil(missing / 65536));
    this.end = at + bytes;
    new Uint8Array(this.c.memory.buffer, at, bytes).fill(0);
    return at;
  }

  /** Frees the memory that f allocates when it ends. @template T @param {() => T} f @returns {T} */
  scope(f) {
    const { end } = this;
    try {
      return f();
    } finally {
      this.end = end;
    }
  }

  /** A copy of an array in memory; its address. */
  copy(array) {
    const at = this.allocate(array.byteLength);
    new Uint8Array(this.c.memory.buffer, at, array.byteLength).set(
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
    );
    return at;
  }

  /** A copy of `length` elements at an address. */
  read(Type, at, length) {
    return new Type(this.c.memory.buffer.slice(at, at + length * Type.BYTES_PER_ELEMENT));
  }
}
