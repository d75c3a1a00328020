/** Products by a matrix: matmul, and linear layers that keep theirs packed. */
import { lengthOf } from '../arrays.js';
import { placeOutput } from '../attention/results.js';
import { integer, read, rows, yes } from '../check.js';
import { arrayOf } from '../engine/alias.js';
import { ATTN_F32 } from '../engine/constants.js';
import { DISPOSE, F32, Tensor } from '../engine/tensor.js';
import { together } from '../engine/team.js';
import { refuse } from '../errors.js';
import { shaped } from '../engine/shapes.js';
import { optionalFloats } from './call.js';
import { alikeRows, shapedInRows } from './shapes.js';
import { LayerStorage } from './storage.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 * @typedef {import('./types.d.ts').Out} Out
 */

/**
 * y = x·Wᵀ + bias for one packed matrix.
 * @param {Memory} memory
 * @param {unknown} given
 * @param {Floats} x
 * @param {number} w its address
 * @param {number} bias
 * @param {number} inputs
 * @param {number} outputs
 * @returns {Float32Array}
 */
function product(memory, given, x, w, bias, inputs, outputs) {
  const m = lengthOf(x) / inputs;
  const out = optionalFloats(memory, 'out', given, m * outputs, 'm*outputs');
  shapedInRows('out', out, outputs, 'outputs');
  alikeRows('out', out, outputs, 'x', x, inputs);
  if (Tensor.is(out) && out === x) refuse('ALIAS', 'out', 'the input itself', 'memory of its own');
  const y = memory.scope(() => {
    const { at, output } = placeOutput(memory, F32, out, m * outputs);
    const from = memory.put(x, F32);
    return (
      together(memory, 0, m * inputs * outputs, (team) =>
        memory.c.attn_matmul(team, at, outputs, from, inputs, m, w, bias),
      ) && output()
    );
  });
  return y || product(memory, given, x, w, bias, inputs, outputs); // false if a thread was lost
}

/**
 * Layers.matmul.
 * @param {Memory} memory
 * @param {Floats} a
 * @param {Floats} b
 * @param {import('./types.d.ts').MatmulOptions} options
 * @returns {Float32Array}
 */
export function matmul(memory, a, b, options) {
  const { k, transposeB, out } = read('options', options, ['k', 'transposeB', 'out']);
  const transposed = yes('transposeB', transposeB);
  const columns = integer('k', k, 1);
  const m = rows('a', memory.floats('a', a, F32), columns, 'k');
  const n = rows('b', memory.floats('b', b, F32), columns, 'k');
  shapedInRows('a', a, columns, 'k');
  shaped('b', b, transposed ? { n, k: columns } : { k: columns, n });
  optionalFloats(memory, 'out', out, m * n, 'm*n');
  for (const [name, x] of [
    ['a', a],
    ['b', b],
  ])
    if (Tensor.is(out) && out === x)
      refuse('ALIAS', 'out', `in the memory of ${name}`, 'memory of its own');
  if (!n) return out ? /** @type {Float32Array} */ (arrayOf(out)) : new Float32Array(0);
  const bytes = memory.c.attn_matrix_bytes(ATTN_F32, n, columns) >>> 0;
  if (!bytes) refuse('LIMIT', 'b', `(${[columns, n]})`, 'a matrix below 2 GiB');
  return memory.scope(() => {
    const w = memory.push(bytes);
    memory.c.attn_matrix_init(w, ATTN_F32, n, columns);
    memory.scope(() => {
      const source = memory.put(b, F32);
      if (transposed) memory.c.attn_matrix_pack(w, ATTN_F32, source, 0, n);
      else memory.c.attn_matrix_pack_transposed(w, source);
    });
    return product(memory, out, a, w, 0, columns, n);
  });
}

/** See operation-types.d.ts. */
export class Linear {
  #memory;
  #storage;
  #bias;

  /**
   * @param {Memory} memory
   * @param {Floats} weights
   * @param {import('./types.d.ts').LinearOptions} options
   */
  constructor(memory, weights, options) {
    const { inputs, bias } = read('options', options, ['inputs', 'bias']);
    this.inputs = integer('inputs', inputs, 1);
    this.outputs = integer(
      'outputs',
      rows('weights', memory.floats('weights', weights, F32), inputs, 'inputs'),
      1,
    );
    shaped('weights', weights, { outputs: this.outputs, inputs });
    optionalFloats(memory, 'bias', bias, this.outputs, 'outputs');
    shaped('bias', bias, { outputs: this.outputs });
    this.#memory = memory;
    this.#storage = new LayerStorage(memory, this);
    this.#storage.matrix('weights', weights, this.outputs, this.inputs); // at place 0
    this.#bias = this.#storage.vector(bias);
    this.bytes = this.#storage.bytes;
    this.#storage.allocate();
    Object.freeze(this);
  }

  /** @param {Floats} x @param {Out} [options] */
  forward(x, options) {
    const { out } = read('options', options, ['out']);
    const { inputs, outputs } = this;
    const memory = this.#memory;
    rows('x', memory.floats('x', x, F32), inputs, 'inputs');
    shapedInRows('x', x, inputs, 'inputs');
    return product(
      memory,
      out,
      x,
      this.#storage.at(0),
      this.#storage.at(this.#bias),
      inputs,
      outputs,
    );
  }

  dispose() {
    this.#storage.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
