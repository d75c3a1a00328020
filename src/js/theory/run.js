/**
 * Calls a function of theory.h: copies arrays of numbers into its memory, and returns its results
 * as named arrays and numbers.
 */
import { kindOf } from '../arrays.js';
import { number, sized } from '../check.js';
import { describe, refuse } from '../errors.js';
import { STATUS } from '../engine/status.js';
import { shaped } from '../engine/shapes.js';

/**
 * @typedef {import('./memory.js').TheoryMemory} Memory
 * @typedef {import('./types.d.ts').Identity} Identity
 * @typedef {import('./types.d.ts').Theory} Theory
 * @typedef {import('../engine/exports.d.ts').Pointer} Pointer
 * @typedef {[name: string, came: unknown, expected: string]} Refused
 */

/**
 * A function of Theory with the memory in front.
 * @template {keyof Theory} F
 * @typedef {(memory: Memory, ...values: Parameters<Theory[F]>) => ReturnType<Theory[F]>} Statement
 */

/**
 * A struct of theory.h, as reports.js has it.
 * @template R
 * @typedef {{ doubles: number, read: (x: Float64Array) => R }} Struct
 */

/** @template S @typedef {{ [Name in keyof S]: Pointer }} Addresses */

/**
 * @template S
 * @typedef {{ [Name in keyof S]:
 *   S[Name] extends Struct<infer R> ? R : Float64Array<ArrayBuffer> }} Results
 */

/**
 * Copies an array into memory; null is NULL.
 * @typedef {(x: Float32Array | Float64Array | Int32Array | null) => Pointer} Put
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
 * The same of a vector. A tensor with several axes is none.
 * @type {typeof numbers}
 */
export function vector(memory, name, x, length, shape) {
  const a = numbers(memory, name, x, length, shape);
  shaped(name, x, { length: a.length });
  return a;
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

/**
 * A row of logits, and how a failure at a temperature is refused.
 * @param {Memory} memory
 * @param {string} name
 * @param {unknown} z
 * @param {unknown} temperature
 */
export function row(memory, name, z, temperature) {
  const logits = vector(memory, name, z);
  /** @type {Refused} */
  const refused = ['temperature', number('temperature', temperature), 'finite, > 0'];
  return { logits, n: logits.length, refused };
}

/**
 * Weights of a distribution, not yet divided by their sum; null where none are given.
 * @param {Memory} memory
 * @param {unknown} candidate
 * @param {number} n
 */
export function distributionOf(memory, candidate, n) {
  if (candidate === undefined) return null;
  const weights = vector(memory, 'candidate', candidate, n, 'the number of logits');
  let sum = 0;
  for (const x of weights) sum += x < 0 ? NaN : x;
  if (!(sum > 0 && sum < Infinity))
    refuse(
      'RANGE',
      'candidate',
      'no distribution',
      'weights of at least 0, their sum finite and > 0',
    );
  return weights;
}

/** A positive, finite number. @param {string} name @param {unknown} x */
export function positive(name, x) {
  const value = number(name, x);
  return value > 0 && value < Infinity ? value : refuse('RANGE', name, value, 'finite, > 0');
}

/**
 * Calls a function of theory.h and returns its results by name.
 * @template {Record<string, number | Struct<any>>} S
 * @param {Memory} memory
 * @param {S} shapes of the results: their length in doubles, or their struct
 * @param {(at: Addresses<S>, put: Put) => number | void} call with the addresses of the results
 * @param {Refused} [refused] the argument that a failure is about
 * @returns {Results<S>}
 */
export function compute(memory, shapes, call, refused = ['input', 'not finite', 'finite numbers']) {
  return memory.scope(() => {
    const results = Object.entries(shapes).map(([name, shape]) => {
      const length = typeof shape === 'number' ? shape : shape.doubles;
      return { name, shape, length, at: memory.pushArray('float64', length) };
    });
    const addresses = Object.fromEntries(results.map(({ name, at }) => [name, at]));
    const status = call(/** @type {Addresses<S>} */ (addresses), (x) =>
      x ? memory.put(x, kindOf(x) === 'Int32Array' ? 'int32' : 'float64') : 0,
    );
    if (status) refuse(STATUS[status], refused[0], describe(refused[1]), refused[2]);
    const read = results.map(({ name, shape, length, at }) => {
      const doubles = memory.copy('float64', at, length);
      return [name, typeof shape === 'number' ? doubles : shape.read(doubles)];
    });
    return Object.fromEntries(read);
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
