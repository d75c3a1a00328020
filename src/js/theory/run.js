/** Between the statements and theory.h: arrays of numbers in, named arrays and numbers out. */
import { number, sized } from '../check.js';
import { describe, kindOf, refuse } from '../errors.js';
import { STATUS } from '../engine/status.js';

/**
 * @typedef {import('./memory.js').TheoryMemory} Memory
 * @typedef {import('./types.d.ts').Identity} Identity
 */

/**
 * A float array or tensor of at least one number, all finite, and as many as `length` if given.
 * @param {Memory} memory
 * @param {string} name
 * @param {any} x
 * @param {number} [length]
 * @param {string} [shape] in words
 * @returns {Float32Array | Float64Array}
 */
export function numbers(memory, name, x, length, shape = 'numbers') {
  const a = memory.floats(name, x);
  if (length !== undefined) sized(name, a, length, shape);
  else if (!a.length) refuse('SHAPE', name, 'empty', 'at least one number');
  return finite(name, a);
}

/**
 * Holds no NaN and no infinity.
 * @param {string} name
 * @param {Float32Array | Float64Array} a
 * @param {string} [expected]
 * @returns {Float32Array | Float64Array}
 */
export function finite(name, a, expected = 'finite numbers') {
  const j = a.findIndex((x) => !Number.isFinite(x));
  return j < 0 ? a : refuse('RANGE', name, `${a[j]} at ${j}`, expected);
}

/** A positive, finite number. @param {string} name @param {any} x @returns {number} */
export const positive = (name, x) =>
  number(name, x) > 0 && x < Infinity ? x : refuse('RANGE', name, x, 'finite, > 0');

/**
 * Calls a function of theory.h with room for its outputs, which are named with their lengths, then
 * what is given (arrays are put into memory, null is NULL), then scratch. Returns copies of the
 * outputs.
 * @param {Memory} memory
 * @param {string} f
 * @param {Record<string, number>} outputs
 * @param {any[]} given
 * @param {{ scratch?: number, refused?: [name: string, came: any, expected: string] }} [more]
 *   `refused`: what a failure is about
 * @returns {Record<string, Float64Array>}
 */
export function compute(
  memory,
  f,
  outputs,
  given,
  { scratch = 0, refused = ['input', 'not finite', 'finite numbers'] } = {},
) {
  return memory.scope(() => {
    const at = Object.values(outputs).map((length) => memory.pushArray('float64', length));
    const values = given.map((x) =>
      typeof x === 'number'
        ? x
        : x
          ? memory.put(x, kindOf(x) === 'Int32Array' ? 'int32' : 'float64')
          : 0,
    );
    if (scratch) values.push(memory.pushArray('float64', scratch));
    const call = /** @type {(...values: number[]) => number} */ (
      memory.c[/** @type {keyof import('../engine/exports.d.ts').TheoryExports} */ (`attn_${f}`)]
    );
    const status = call(...at, ...values);
    if (status) refuse(STATUS[status], refused[0], describe(refused[1]), refused[2]);
    return Object.fromEntries(
      Object.entries(outputs).map(([name, length], x) => [
        name,
        memory.copy('float64', at[x], length),
      ]),
    );
  });
}

/**
 * The last four numbers of a report, which are refused where they leave the doubles.
 * @param {Float64Array} report
 * @param {string} name of what is then too large
 * @returns {Identity}
 */
export function identity(report, name) {
  const [left, right, unit, allowed] = report.slice(-4);
  const difference = Math.abs(left - right);
  if (!(difference + allowed < Infinity))
    refuse('RANGE', name, 'too large', 'finite sides of the identity');
  return { left, right, difference, unit, allowed, holds: difference <= allowed };
}
