/** Norms, activations and sums. */
import { lengthOf } from '../arrays.js';
import { word } from '../attention/options.js';
import { integer, number, read, rows, yes } from '../check.js';
import { arrayOf, checkAlias } from '../engine/alias.js';
import { ATTN_GELU, ATTN_GELU_TANH, ATTN_SILU } from '../engine/constants.js';
import { F32, bytesOf } from '../engine/tensor.js';
import { refuse } from '../errors.js';
import { floats, optionalFloats, written } from './call.js';
import { alike, alikeRow, alikeRows, shapedInRows } from './shapes.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 * @typedef {import('./types.d.ts').Out} Out
 */

const EPSILON = 1e-5;

/**
 * The options of both norms.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {Floats | undefined} scale
 * @param {import('./types.d.ts').NormOptions} o
 */
function readNorm(memory, x, scale, { size: given = scale && lengthOf(scale), epsilon = EPSILON }) {
  const size = integer('size', given, 1);
  const count = rows('x', memory.floats('x', x, F32), size, 'size');
  shapedInRows('x', x, size);
  optionalFloats(memory, 'scale', scale, size, 'size');
  alikeRow('scale', scale, 'x', x, size);
  if (!(number('epsilon', epsilon) >= 0 && epsilon < Infinity))
    refuse('RANGE', 'epsilon', epsilon, 'finite, at least 0');
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
  return written(memory, o.out, x, 'x', (out) => {
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
  alikeRow('bias', bias, 'x', x, size);
  alike('bias', bias, 'scale', scale);
  const mean = optionalFloats(memory, 'mean', o.mean, count, 'rows');
  const name = 'inverseDeviation';
  const deviation = optionalFloats(memory, name, o[name], count, 'rows');
  alikeRows('mean', mean, 1, 'x', x, size);
  alikeRows(name, deviation, 1, 'x', x, size);
  const out = optionalFloats(memory, 'out', o.out, lengthOf(x), 'x');
  if (mean) checkAlias('mean', mean, { x, scale, bias, out });
  if (deviation) checkAlias(name, deviation, { x, scale, bias, out, mean });
  return written(memory, out, x, 'x', (to) => {
    const [from, by, plus] = [put(memory, x), put(memory, scale), put(memory, bias)];
    const means = mean ? memory.pushArray(F32, count) : 0;
    const deviations = deviation ? memory.pushArray(F32, count) : 0;
    memory.c.attn_layer_norm(to, from, count, size, by, plus, epsilon, means, deviations);
    if (mean) arrayOf(mean).set(memory.view(F32, means, count));
    if (deviation) arrayOf(deviation).set(memory.view(F32, deviations, count));
  });
}

/**
 * An activation.
 * @param {Memory} memory
 * @param {'x' | 'gate'} name of x in errors
 * @param {Floats} x
 * @param {number} kind of layers.h
 * @param {Floats | undefined} up multiplies the activation of a gate
 * @param {unknown} out
 */
function activate(memory, name, x, kind, up, out) {
  const length = lengthOf(memory.floats(name, x, F32));
  if (name === 'gate') floats(memory, 'up', up, length, 'as many as the gate');
  alike('up', up, 'gate', x);
  return written(memory, out, x, name, (at) =>
    memory.c.attn_activate(at, put(memory, x), put(memory, up), length, kind),
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

/**
 * Layers.add.
 * @param {Memory} memory
 * @param {Floats} a
 * @param {Floats} b
 * @param {Out} [options]
 */
export function add(memory, a, b, options) {
  const out = readOut(options);
  const length = lengthOf(memory.floats('b', b, F32));
  const whole = lengthOf(memory.floats('a', a, F32));
  if (!length && whole) refuse('SHAPE', 'b', 'empty', 'as long as a row of a');
  const count = length && rows('a', a, length, 'the length of b');
  if (length === whole) alike('b', b, 'a', a);
  else shapedInRows('a', a, length, 'the length of b');
  alikeRow('b', b, 'a', a, length);
  return written(memory, out, a, 'a', (at) => {
    const first = memory.put(a, F32);
    const row = memory.put(b, F32);
    const bytes = bytesOf(F32, length);
    for (let i = 0; i < count; i++)
      memory.c.attn_add(at + i * bytes, first + i * bytes, row, length);
  });
}
