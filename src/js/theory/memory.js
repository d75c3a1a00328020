import { extentOf, lengthOf } from '../arrays.js';
import { arrayOf } from '../engine/alias.js';
import { Memory } from '../engine/memory.js';
import { Tensor, typeOf, VIEWS, placeOf } from '../engine/tensor.js';

/** The memory of the statements. Theirs is not the memory of an engine, so inputs are copied. */
export class TheoryMemory extends Memory {
  /**
   * @param {WebAssembly.Exports} exports of theory.wasm
   * @param {Memory} kernels of the engine that the statements are about
   */
  constructor(exports, kernels) {
    super(exports);
    this.kernels = kernels;
  }

  /**
   * A float array. A tensor of any engine stands for a copy of its data.
   * @override
   * @param {string} name
   * @param {unknown} x
   * @param {import('../types.d.ts').DType} [type]
   * @returns {Float32Array | Float64Array}
   */
  floats(name, x, type) {
    if (Tensor.is(x)) placeOf(x, undefined, name); // refuses one that is disposed
    const a = super.floats(name, Tensor.is(x) ? x.data.slice() : x, type);
    // a view without properties of its own
    const { buffer, at } = extentOf(arrayOf(a));
    return new VIEWS[typeOf(a)](buffer, at, lengthOf(a));
  }
}
