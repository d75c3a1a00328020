/** Between the statements and theory.h: arrays of numbers in, named arrays and numbers out. */
import { number, sized } from '../check.js';
import { describe, kindOf, refuse } from '../errors.js';
import { STATUS } from '../engine/status.js';

/**
 * @typedef {import('./memory.js').TheoryMemory} Memory
 * @typedef {import('./types.d.ts').Identity} Identity
 * @typedef {[name: string, came: unknown, expected: string]} Refused
 */

/**
 * A float array or tensor of at least one number, all finite, and as many as `length` if given.
 * @param {Memory} memory
 * @param {string} name
 * @param {unknown} x
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

/** A positive, finite number. @param {string} name @param {unknown} x */
export function positive(name, x) {
  const value = number(name, x);
  return value > 0 && value < Infinity ? value : refuse('RANGE', name, value, 'finite, > 0');
}

/**
 * A struct of theory.h, as reports.js has it.
 * @template R
 * @typedef {{ doubles: number, read: (x: Float64Array) => R }} Struct
 */

/**
 * Calls a function of theory.h. Its arguments are the outputs, the report, the inputs and scratch,
 * in this order. Arrays are put into memory, null is NULL.
 * @template {string} Names
 * @template [R=undefined]
 * @param {Memory} memory
 * @param {keyof import('../engine/exports.d.ts').TheoryExports} f
 * @param {Record<Names, number>} outputs their lengths in doubles
 * @param {(number | Float32Array | Float64Array | Int32Array | null)[]} inputs
 * @param {{ report?: Struct<R>, scratch?: number, refused?: Refused }} [more] `scratch` in doubles,
 *   `refused`: the argument that a failure is about
 * @returns {Record<Names, Float64Array> & { report: R }}
 */
export function compute(
  memory,
  f,
  outputs,
  inputs,
  { report, scratch = 0, refused = ['input', 'not finite', 'finite numbers'] } = {},
) {
  return memory.scope(() => {
    /** @type {[string, number][]} */
    const lengths = Object.entries(outputs);
    if (report) lengths.push(['report', report.doubles]);
    const at = lengths.map(([, length]) => memory.pushArray('float64', length));
    const values = inputs.map((x) => {
      if (typeof x === 'number') return x;
      return x ? memory.put(x, kindOf(x) === 'Int32Array' ? 'int32' : 'float64') : 0;
    });
    if (scratch) values.push(memory.pushArray('float64', scratch));
    const call = /** @type {(...values: number[]) => number} */ (memory.c[f]);
    const status = call(...at, ...values);
    if (status) refuse(STATUS[status], refused[0], describe(refused[1]), refused[2]);
    const results = lengths.map(([name, length], x) => [
      name,
      memory.copy('float64', at[x], length),
    ]);
    const named = Object.fromEntries(results);
    return report ? { ...named, report: report.read(named.report) } : named;
  });
}

/**
 * An identity that theory.h states, which is refused where its sides leave the doubles.
 * @param {Omit<Identity, 'difference' | 'holds'>} stated
 * @param {string} name of the argument that is then too large
 * @returns {Identity}
 */
export function identity({ left, right, unit, allowed }, name) {
  const difference = Math.abs(left - right);
  if (!(difference + allowed < Infinity))
    refuse('RANGE', name, 'too large', 'finite sides of the identity');
  return { left, right, difference, unit, allowed, holds: difference <= allowed };
}
