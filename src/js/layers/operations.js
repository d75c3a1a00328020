import { overlap } from '../attention/attention.js';
import { choice, integer, number, read, rows, sized, yes } from '../check.js';
import { refuse } from '../errors.js';
import { LayerStorage } from './storage.js';
import { ATTN_F32 } from '../engine/constants.js';
import { F32, Tensor } from '../engine/memory.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

const EPSILON = 1e-5;

/**
 * A float32 input of so many elements.
 * @param {Memory} memory
 * @param {string} name
 * @param {any} x
 * @param {number} length
 * @param {string} shape in words
 */
export const floats = (memory, name, x, length, shape) =>
  sized(name, memory.floats(name, x, F32), length, shape);

/**
 * Where `length` results are to be written, and how they are handed over: in the tensor or array
 * given, or in a new one. With threads a tensor gets a copy: a thread that is lost in the call may
 * write late, and must not into what outlives the call.
 * @param {Memory} memory
 * @param {any} given
 * @param {number} length
 */
export function landing(memory, given, length) {
  const tensor = given instanceof Tensor;
  const own = tensor && !memory.pool;
  const at = own ? given.place() : memory.pushArray(F32, length);
  const take = () => {
    const output = memory.view(F32, at, length);
    if (given && !own) (tensor ? given.data : given).set(output);
    return tensor ? given.data : (given ?? output.slice());
  };
  return { at, take };
}

/**
 * Has results written by `body`, which gets the address.
 * @param {Memory} memory
 * @param {any} given
 * @param {number} length
 * @param {string} shape in words
 * @param {(at: number) => void} body
 */
export function written(memory, given, length, shape, body) {
  if (given !== undefined) floats(memory, 'out', given, length, shape);
  return memory.scope(() => {
    const { at, take } = landing(memory, given, length);
    body(at);
    return take();
  });
}

/**
 * Runs `body` with a team (team.h), of all threads where the work is worth it, with so much scratch
 * each. False if a thread was lost: then all must be done again. To be called in a scope.
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
 * @param {any} given
 * @param {any} x
 * @param {number} w its address
 * @param {number} bias
 * @param {number} inputs
 * @param {number} outputs
 * @returns {any}
 */
function product(memory, given, x, w, bias, inputs, outputs) {
  const m = x.length / inputs;
  if (given !== undefined) floats(memory, 'out', given, m * outputs, 'm*outputs');
  if (given instanceof Tensor && given === x)
    refuse('ALIAS', 'out', 'the input itself', 'memory of its own');
  const y = memory.scope(() => {
    const { at, take } = landing(memory, given, m * outputs);
    const from = memory.put(x, F32);
    return (
      together(memory, 0, m * inputs * outputs, (team) =>
        memory.c.attn_matmul(team, at, outputs, from, inputs, m, w, bias),
      ) && take()
    );
  });
  return y || product(memory, given, x, w, bias, inputs, outputs); // false if a thread was lost
}

/** Layers.matmul. @param {Memory} memory @param {any} a @param {any} b @param {any} options */
export function matmul(memory, a, b, options) {
  const { k, transposeB, out } = read('options', options, 'k transposeB out');
  const transposed = yes('transposeB', transposeB);
  const columns = integer('k', k, 1);
  const m = rows('a', memory.floats('a', a, F32), columns, 'k');
  const n = rows('b', memory.floats('b', b, F32), columns, 'k');
  if (out !== undefined) floats(memory, 'out', out, m * n, 'm*n');
  for (const [name, x] of [
    ['a', a],
    ['b', b],
  ])
    if (out instanceof Tensor && out === x)
      refuse('ALIAS', 'out', `in the memory of ${name}`, 'memory of its own');
  if (!n) return out instanceof Tensor ? out.data : (out ?? new Float32Array(0));
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

  /** @param {Memory} memory @param {any} weights @param {any} options */
  constructor(memory, weights, options) {
    const { inputs, bias } = read('options', options, 'inputs bias');
    this.inputs = integer('inputs', inputs, 1);
    this.outputs = integer(
      'outputs',
      rows('weights', memory.floats('weights', weights, F32), inputs, 'inputs'),
      1,
    );
    if (bias !== undefined) floats(memory, 'bias', bias, this.outputs, 'outputs');
    this.#memory = memory;
    this.#storage = new LayerStorage(memory);
    this.#storage.matrix('weights', weights, this.outputs, this.inputs); // at place 0
    this.#bias = this.#storage.vector(bias);
    this.bytes = this.#storage.bytes;
    this.#storage.allocate();
  }

  /** @param {any} x @param {any} [options] @returns {any} */
  forward(x, options) {
    const { out } = read('options', options, 'out');
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

/** What both norms read. @param {Memory} memory @param {any} x @param {any} scale @param {any} o */
function normal(memory, x, scale, { size = scale?.length, epsilon = EPSILON }) {
  integer('size', size, 1);
  const count = rows('x', memory.floats('x', x, F32), size, 'size');
  if (scale !== undefined) floats(memory, 'scale', scale, size, 'size');
  if (!(number('epsilon', epsilon) >= 0 && epsilon < Infinity))
    refuse('RANGE', 'epsilon', epsilon, 'finite, ≥ 0');
  return { size, count, epsilon };
}

/** @param {Memory} memory @param {any} x */
const placed = (memory, x) => (x === undefined ? 0 : memory.put(x, F32));

/** Layers.rmsNorm. @param {Memory} memory @param {any} x @param {any} scale @param {any} options */
export function rmsNorm(memory, x, scale, options) {
  const o = read('options', options, 'size epsilon onePlus out');
  const { size, count, epsilon } = normal(memory, x, scale, o);
  const onePlus = yes('onePlus', o.onePlus);
  return written(memory, o.out, x.length, 'x', (out) =>
    memory.c.attn_rms_norm(
      out,
      size,
      memory.put(x, F32),
      size,
      count,
      size,
      placed(memory, scale),
      onePlus,
      epsilon,
    ),
  );
}

/**
 * Layers.layerNorm.
 * @param {Memory} memory
 * @param {any} x
 * @param {any} scale
 * @param {any} bias
 * @param {any} options
 */
export function layerNorm(memory, x, scale, bias, options) {
  const o = read('options', options, 'size epsilon out mean inverseDeviation');
  const { size, count, epsilon } = normal(memory, x, scale, o);
  if (bias !== undefined) floats(memory, 'bias', bias, size, 'size');
  const asked = ['mean', 'inverseDeviation'].filter((name) => o[name] !== undefined);
  for (const name of asked) floats(memory, name, o[name], count, 'rows');
  if (o.out !== undefined) floats(memory, 'out', o.out, x.length, 'x');
  for (const name of asked)
    for (const [other, y] of Object.entries({
      x,
      scale,
      bias,
      out: o.out,
      ...(name === 'inverseDeviation' && { mean: o.mean }),
    }))
      if (y !== undefined && overlap(o[name], y))
        refuse('ALIAS', name, `in the memory of ${other}`, 'memory of its own');
  return written(memory, o.out, x.length, 'x', (out) => {
    const at = Object.fromEntries(asked.map((name) => [name, memory.pushArray(F32, count)]));
    memory.c.attn_layer_norm(
      out,
      memory.put(x, F32),
      count,
      size,
      placed(memory, scale),
      placed(memory, bias),
      epsilon,
      at.mean ?? 0,
      at.inverseDeviation ?? 0,
    );
    for (const name of asked) (o[name].data ?? o[name]).set(memory.view(F32, at[name], count));
  });
}

/**
 * An activation alone, or of the gate of two inputs.
 * @param {Memory} memory
 * @param {string} name
 * @param {Record<string, any>} inputs
 * @param {number} kind of layers.h
 * @param {any} out
 */
function activate(memory, name, { [name]: x, ...rest }, kind, out) {
  memory.floats(name, x, F32);
  if ('up' in rest) floats(memory, 'up', rest.up, x.length, 'as many as the gate');
  return written(memory, out, x.length, name, (at) =>
    memory.c.attn_activate(at, memory.put(x, F32), placed(memory, rest.up), x.length, kind),
  );
}

/** Layers.silu. @param {Memory} memory @param {any} x @param {any} options */
export const silu = (memory, x, options) =>
  activate(memory, 'x', { x }, 0, read('options', options, 'out').out);

/** Layers.swiglu. @param {Memory} memory @param {any} gate @param {any} up @param {any} options */
export const swiglu = (memory, gate, up, options) =>
  activate(memory, 'gate', { gate, up }, 0, read('options', options, 'out').out);

/** What GELU reads. @param {any} options */
function gelus(options) {
  const { approximate, out } = read('options', options, 'approximate out');
  return /** @type {const} */ ([1 + choice('approximate', approximate, 'none', 'tanh'), out]);
}

/** Layers.gelu. @param {Memory} memory @param {any} x @param {any} options */
export const gelu = (memory, x, options) => activate(memory, 'x', { x }, ...gelus(options));

/** Layers.geglu. @param {Memory} memory @param {any} gate @param {any} up @param {any} options */
export const geglu = (memory, gate, up, options) =>
  activate(memory, 'gate', { gate, up }, ...gelus(options));
