/** Blocks of wasm memory that last, and the kinds of numbers in them. */
import { kindOf } from '../arrays.js';
import { GONE, refuse } from '../errors.js';
import { guard } from '../names.js';
import { registry } from './platform.js';

/** @typedef {import('../types.d.ts').DType} DType */
/** @typedef {DType | 'int32' | 'uint8'} Kind */
/** @typedef {import('./memory.js').Memory} Memory */

export const F32 = 'float32';
/**
 * A float input: an array, or a tensor of the engine.
 * @typedef {Float32Array | Float64Array | import('../types.d.ts').Tensor} Floats
 */
/**
 * @typedef {{ float32: Float32Array, float64: Float64Array, int32: Int32Array,
 *   uint8: Uint8Array }} Views
 */
/** The array of each kind. */
export const VIEWS = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

/** Bytes of an array. @param {Kind} kind @param {number} length */
export const bytesOf = (kind, length) => VIEWS[kind].BYTES_PER_ELEMENT * length;

/**
 * The kinds of arrays that hold floats of a type, or of either.
 * @param {DType} [type]
 * @returns {('Float32Array' | 'Float64Array')[]}
 */
export const kindsOf = (type) =>
  type ? [type === F32 ? 'Float32Array' : 'Float64Array'] : ['Float32Array', 'Float64Array'];

/** @param {Floats} x @returns {DType} */
export const typeOf = (x) =>
  Tensor.is(x) ? x.dtype : kindOf(x) === 'Float64Array' ? 'float64' : F32;

/**
 * `using` calls the method of this name. Engines without `using` may lack the symbol.
 * @type {typeof Symbol.dispose}
 */
export const DISPOSE = Symbol.dispose ?? Symbol.for('Symbol.dispose');

/** Blocks that were dropped without being disposed of. */
const dropped = registry(
  (/** @type {{ memory: Memory, at: number, bytes: number }} */ { memory, at, bytes }) =>
    memory.release(at, bytes),
);

/** A smaller block is not worth a weight. */
const MIN_WEIGHED = 2 ** 16;

/**
 * The garbage collector does not see wasm memory. An unused ArrayBuffer beside a block makes it see
 * the block; so it does beside an object that stands for a block in a worker. It costs addresses
 * but no pages, since nothing writes to it. With a quarter of the block's size the collector comes
 * before 4 GiB are full (tuning.md#weight-of-blocks).
 * @type {WeakMap<object, ArrayBuffer>}
 */
const weights = new WeakMap();

/** @param {object} block @param {number} bytes */
export function weigh(block, bytes) {
  if (bytes < MIN_WEIGHED) return;
  try {
    weights.set(block, new ArrayBuffer(bytes / 4));
  } catch {
    // the block is there, and only the collector knows less
  }
}

/** @param {object} block */
export const unweigh = (block) => weights.delete(block);

/**
 * The memory of each block. No stand-in has one, neither a proxy nor an heir. Private fields would
 * do as well, but dist/clearhead-model.js has none.
 * @type {WeakMap<object, { memory: Memory, at: number, bytes: number, name: string }>}
 */
const blocks = new WeakMap();

/** @param {unknown} x */
export const isBlock = (x) => blocks.has(/** @type {object} */ (x));

/**
 * The address of a block, for the memory it lives in.
 * @param {Block} block
 * @param {Memory} [memory]
 * @param {string} [name]
 * @returns {import('./exports.d.ts').Pointer}
 */
export function placeOf(block, memory, name) {
  const own = /** @type {{ memory: Memory, at: number, name: string }} */ (blocks.get(block));
  return own.at < 0 || (memory && memory !== own.memory)
    ? refuse('DISPOSED', name ?? own.name, ...GONE)
    : own.at;
}

/** A block of wasm memory that lasts until it is disposed of or dropped. */
export class Block {
  /** @param {Memory} memory @param {number} bytes @param {string} name for errors */
  constructor(memory, bytes, name) {
    const at = memory.allocate(bytes);
    blocks.set(this, { memory, at, bytes, name });
    weigh(this, bytes);
    dropped.register(this, { memory, at, bytes }, this);
  }

  dispose() {
    const own = blocks.get(this);
    if (!own || own.at < 0) return;
    dropped.unregister(this);
    own.memory.release(own.at, own.bytes);
    own.at = -1;
    unweigh(this);
  }

  [DISPOSE]() {
    this.dispose();
  }
}

/** See attention/types.d.ts. Frozen: its length says which memory is read and written. */
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
    Object.freeze(this);
  }

  /** @param {unknown} x @returns {x is Tensor} */
  static is(x) {
    return x instanceof Tensor && isBlock(x);
  }

  get data() {
    return this.#memory.view(this.dtype, placeOf(this), this.length);
  }
}
guard(Block.prototype, isBlock, 'a tensor or a cache');
guard(Tensor.prototype, Tensor.is, 'a tensor');
