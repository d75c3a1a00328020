/** Inputs and outputs of a call, for all operations and layers. */
import { lengthOf } from '../arrays.js';
import { placeOutput } from '../attention/results.js';
import { sized } from '../check.js';
import { F32 } from '../engine/tensor.js';
import { shaped } from '../engine/shapes.js';
import { alike } from './shapes.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 */

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
 * The same of a matrix.
 * @param {Memory} memory
 * @param {string} name
 * @param {unknown} x
 * @param {number} rows
 * @param {number} columns
 * @param {string} shape in words
 */
export function matrix(memory, name, x, rows, columns, shape) {
  const w = floats(memory, name, x, rows * columns, shape);
  shaped(name, w, { rows, columns });
  return w;
}

/**
 * The same of an input that may be absent.
 * @type {(...given: Parameters<typeof floats>) => Floats | undefined}
 */
export const optionalFloats = (memory, name, x, length, shape) =>
  x === undefined ? undefined : floats(memory, name, x, length, shape);

/**
 * Has results of the shape of `like` written by `body`, which gets the address.
 * @param {Memory} memory
 * @param {unknown} given
 * @param {Floats} like
 * @param {string} name of that
 * @param {(at: number) => void} body
 */
export function written(memory, given, like, name, body) {
  const length = lengthOf(like);
  const out = optionalFloats(memory, 'out', given, length, name);
  alike('out', out, name, like);
  return memory.scope(() => {
    const { at, output } = placeOutput(memory, F32, out, length);
    body(at);
    return output();
  });
}
