import { placeOutput } from '../attention/results.js';
import { word } from '../attention/options.js';
import { integer, number, read, rows, sized, yes } from '../check.js';
import { refuse } from '../errors.js';
import { LayerStorage } from './storage.js';
import { arrayOf, checkAlias } from '../engine/alias.js';
import { ATTN_F32, ATTN_GELU, ATTN_GELU_TANH, ATTN_SILU } from '../engine/constants.js';
import { F32, Tensor } from '../engine/memory.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/memory.js').Floats} Floats
 * @typedef {import('./types.d.ts').Out} Out
 */

const EPSILON = 1e-5;

/**
 * A float32 input of this length.
 * @param {Memory} memory
 * @param {string} name
 * @param {unknown} x
 * @param {number} length
 * @param {string} shape in words
 */
export const floats = (memory, name, x, length, shape) =>
  sized(name, memory.floats(name, x, F32), length, shape);

/**
 * The same of an input that may be absent.
 * @type {(...given: Parameters<typeof floats>) => Floats | undefined}
 */
export const optionalFloats = (memory, name, x, length, shape) =>
  x === undefined ? undefined : floats(memory, name, x, length, shape);

/**
 * Has results written by `body`, which gets the address.
 * @param {Memory} memory
 * @param {unknown} given
 * @param {number} length
 * @param {string} shape in words
 * @param {(at: number) => void} body
 */
export function written(memory, given, length, shape, body) {
  const out = optionalFloats(memory, 'out', given, length, shape);
  return memory.scope(() => {
    const { at, output } = placeOutput(memory, F32, out, length);
    body(at);
    return output();
  });
}

/**
 * Runs `body` with a team (team.h), of all threads where the work is worth it. Each has `bytes` of
 * scratch. False if a thread was lost: then all must be done again. To be called in a scope.
 * @param {Memory} memory
 * @param {number} bytes
 * @param {number} size multiply-adds
 * @param {(team: number) => void} body
 */
export function together(memory, bytes, size, body) {
  if (memory.pool?.worth(0, size)) return memory.pool.together(bytes, body);
  const team = memory.push(memory.c.attn_team_bytes());
  const scratch = memory.push(bytes);
  memory.c.attn_team_open(team, 1, scratch, bytes);
  body(team);
  return true;
}

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
  const m = x.length / inputs;
  const out = optionalFloats(memory, 'out', given, m * outputs, 'm*outputs');
  if (out instanceof Tensor && out === x)
    refuse('ALIAS', 'out', 'the input itself', 'memory of its own');
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
  optionalFloats(memory, 'out', out, m * n, 'm*n');
  for (const [name, x] of [
    ['a', a],
    ['b', b],
  ])
    if (out instanceof Tensor && out === x)
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

/** See types.layers.d.ts. */
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
    optionalFloats(memory, 'bias', bias, this.outputs, 'outputs');
    this.#memory = memory;
    this.#storage = new LayerStorage(memory);
    this.#storage.matrix('weights', weights, this.outputs, this.inputs); // at place 0
    this.#bias = this.#storage.vector(bias);
    this.bytes = this.#storage.bytes;
    this.#storage.allocate();
  }

  /** @param {Floats} x @param {Out} [options] */
  forward(x, options) {
    const { out } = read('options', options, ['out']);
    const { inputs, outputs } = this;
    const memory = this.#memory;
    rows('x', memory.floats('x', x, F32), inputs, 'inputs');
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
}

/**
 * The options of both norms.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {Floats | undefined} scale
 * @param {import('./types.d.ts').NormOptions} o
 */
function readNorm(memory, x, scale, { size: given = scale?.length, epsilon = EPSILON }) {
  const size = integer('size', given, 1);
  const count = rows('x', memory.floats('x', x, F32), size, 'size');
  optionalFloats(memory, 'scale', scale, size, 'size');
  if (!(number('epsilon', epsilon) >= 0 && epsilon < Infinity))
    refuse('RANGE', 'epsilon', epsilon, 'finite, ≥ 0');
  return { size, count, epsilon };
}

/** The address of an input, 0 for none. @param {Memory} memory @param {Floats | undefined} x */
const put = (memory, x) => (x === undefined ? 0 : memory.put(x, F32));

/**
 * Layers.rmsNorm.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {Floats | undefined} scale
 * @param {import('./types.d.ts').RmsNormOptions} [options]
 */
export function rmsNorm(memory, x, scale, options) {
  const o = read('options', options, ['size', 'epsilon', 'onePlus', 'out']);
  const { size, count, epsilon } = readNorm(memory, x, scale, o);
  const onePlus = yes('onePlus', o.onePlus);
  return written(memory, o.out, x.length, 'x', (out) => {
    const [from, by] = [put(memory, x), put(memory, scale)];
    memory.c.attn_rms_norm(out, size, from, size, count, size, by, onePlus, epsilon);
  });
}

/**
 * Layers.layerNorm.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {Floats | undefined} scale
 * @param {Floats | undefined} bias
 * @param {import('./types.d.ts').LayerNormOptions} [options]
 */
export function layerNorm(memory, x, scale, bias, options) {
  const o = read('options', options, ['size', 'epsilon', 'out', 'mean', 'inverseDeviation']);
  const { size, count, epsilon } = readNorm(memory, x, scale, o);
  optionalFloats(memory, 'bias', bias, size, 'size');
  const mean = optionalFloats(memory, 'mean', o.mean, count, 'rows');
  const name = 'inverseDeviation';
  const deviation = optionalFloats(memory, name, o[name], count, 'rows');
  const out = optionalFloats(memory, 'out', o.out, x.length, 'x');
  if (mean) checkAlias('mean', mean, { x, scale, bias, out });
  if (deviation) checkAlias(name, deviation, { x, scale, bias, out, mean });
  return written(memory, out, x.length, 'x', (to) => {
    const [from, by, plus] = [put(memory, x), put(memory, scale), put(memory, bias)];
    const means = mean ? memory.pushArray(F32, count) : 0;
    const deviations = deviation ? memory.pushArray(F32, count) : 0;
    memory.c.attn_layer_norm(to, from, count, size, by, plus, epsilon, means, deviations);
    if (mean) arrayOf(mean).set(memory.view(F32, means, count));
    if (deviation) arrayOf(deviation).set(memory.view(F32, deviations, count));
  });
}

/**
 * An activation of x, named as the argument is.
 * @param {Memory} memory
 * @param {'x' | 'gate'} name
 * @param {Floats} x
 * @param {number} kind of layers.h
 * @param {Floats | undefined} up multiplies it, where it is a gate
 * @param {unknown} out
 */
function activate(memory, name, x, kind, up, out) {
  memory.floats(name, x, F32);
  if (name === 'gate') floats(memory, 'up', up, x.length, 'as many as the gate');
  return written(memory, out, x.length, name, (at) =>
    memory.c.attn_activate(at, put(memory, x), put(memory, up), x.length, kind),
  );
}

/** @param {Out | undefined} options */
const readOut = (options) => read('options', options, ['out']).out;

/** The options of GELU. @param {import('./types.d.ts').GeluOptions | undefined} options */
function readGelu(options) {
  const { approximate, out } = read('options', options, ['approximate', 'out']);
  return { kind: word('approximate', approximate, { none: ATTN_GELU, tanh: ATTN_GELU_TANH }), out };
}

/** Layers.silu. @param {Memory} memory @param {Floats} x @param {Out} [options] */
export const silu = (memory, x, options) =>
  activate(memory, 'x', x, ATTN_SILU, undefined, readOut(options));

/**
 * Layers.swiglu.
 * @param {Memory} memory
 * @param {Floats} gate
 * @param {Floats} up
 * @param {Out} [options]
 */
export const swiglu = (memory, gate, up, options) =>
  activate(memory, 'gate', gate, ATTN_SILU, up, readOut(options));

/**
 * Layers.gelu.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {import('./types.d.ts').GeluOptions} [options]
 */
export function gelu(memory, x, options) {
  const { kind, out } = readGelu(options);
  return activate(memory, 'x', x, kind, undefined, out);
}

/**
 * Layers.geglu.
 * @param {Memory} memory
 * @param {Floats} gate
 * @param {Floats} up
 * @param {import('./types.d.ts').GeluOptions} [options]
 */
export function geglu(memory, gate, up, options) {
  const { kind, out } = readGelu(options);
  return activate(memory, 'gate', gate, kind, up, out);
}
