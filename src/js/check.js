import { kindOf, lengthOf } from './arrays.js';
import { describe, live, refuse, refuseKind } from './errors.js';
import { isAbortSignal, isPromise } from './kinds.js';
import { didYouMean } from './names.js';

/** @typedef {import('./engine/memory.js').Memory} Memory */
/**
 * The typed arrays that functions accept, by kind.
 * @typedef {{ Uint8Array: Uint8Array, Int32Array: Int32Array, Uint32Array: Uint32Array,
 *   Float32Array: Float32Array, Float64Array: Float64Array }} Arrays
 */

/**
 * The type of options after `read`: without undefined. Where nothing is known of them, their values
 * are unknown.
 * @template O
 * @typedef {unknown extends O ? Record<string, unknown> : NonNullable<O>} Read
 */

/**
 * Reads each option once, before anything else happens, and each element of a list: a getter may
 * run any code. Inherited ones do not count.
 * @template O
 * @param {string} of
 * @param {O} options
 * @param {readonly string[]} names of all there are
 * @param {string} [expected]
 * @returns {Read<O>}
 */
export function read(of, options, names, expected = 'an object') {
  /** @type {Record<string, unknown>} */
  const o = Object.create(null);
  const given = /** @type {Record<string, unknown> | undefined} */ (options);
  if (given !== undefined) {
    if (typeof given !== 'object' || !given || kindOf(given) || Array.isArray(given))
      refuseKind(of, given, expected);
    for (const name of Object.keys(given))
      o[name] = names.includes(name)
        ? still(name, given[name])
        : refuse(
            'ARG',
            of,
            `given ${describe(name)}`,
            `only ${names.join(' ')}${didYouMean(name, names)}`,
          );
  }
  return /** @type {Read<O>} */ (o);
}

/** A list as it is now; anything else as it is. @param {string} name @param {unknown} x */
function still(name, x) {
  if (!Array.isArray(x)) return x;
  return x.length <= 2 ** 24
    ? Array.from(x)
    : refuse('LIMIT', name, describe(x), 'at most 2^24 elements');
}

/**
 * @param {string} name
 * @param {unknown} x
 * @param {number} min
 * @param {number} [max]
 */
export function integer(name, x, min, max = 0x7fffffff) {
  const value = number(name, x);
  const minus = Object.is(value, -0);
  if (Number.isInteger(value) && value >= min && value <= max && !minus) return value;
  return refuse('RANGE', name, minus ? '-0' : value, `an integer from ${min} to ${max}`);
}

/**
 * The same of each element.
 * @param {string} name
 * @param {ArrayLike<unknown>} xs
 * @param {number} min
 * @param {number} [max]
 */
export const integers = (name, xs, min, max) =>
  Array.from(xs, (x, i) => integer(`${name}[${i}]`, x, min, max));

/**
 * Sizes by name, at least 1, and of a head what the kernels take; in their order.
 * @param {Memory} memory
 * @param {Record<string, unknown>} sizes
 */
export function sizesOf(memory, sizes) {
  const max = memory.c.attn_max_dim();
  return Object.entries(sizes).map(([name, x]) => {
    const size = integer(name, x, 1);
    return size > max && /(head|value)Dim/.test(name)
      ? refuse('LIMIT', name, size, `at most ${max}`)
      : size;
  });
}

/**
 * The ends of a part of a list; of all of it where they are not given.
 * @param {number} length
 * @param {unknown} from
 * @param {unknown} to
 */
export function range(length, from = 0, to = length) {
  const end = integer('to', to, 0, length);
  return [integer('from', from, 0, end), end];
}

/** Says what came where a promise is a likely mistake. @param {unknown} x */
export const describeAwaited = (x) => describe(x) + (isPromise(x) ? ' (forgotten await?)' : '');

/** @param {string} name @param {unknown} x @returns {number} */
export const number = (name, x) => (typeof x === 'number' ? x : refuseKind(name, x, 'a number'));

/**
 * The index of x among the choices, 0 where it is not given.
 * @param {string} name
 * @param {unknown} x
 * @param {unknown[]} choices
 */
export function choice(name, x, ...choices) {
  if (x === undefined) return 0;
  return choices.includes(x)
    ? choices.indexOf(x)
    : refuseKind(name, x, choices.map(describe).join(' or '));
}

/** 1 for true, 0 for false or where it is not given. @param {string} name @param {unknown} x */
export const yes = (name, x) => choice(name, x, false, true);

/** @param {unknown} x @returns {AbortSignal | undefined} */
export function abortSignal(x) {
  if (x === undefined || x instanceof AbortSignal) return x;
  if (!isAbortSignal(x)) return refuseKind('signal', x, 'an AbortSignal');
  // fetch accepts signals of its own realm alone
  const own = new AbortController();
  const abort = () => own.abort(x.reason);
  if (x.aborted) abort();
  else x.addEventListener('abort', abort, { once: true });
  return own.signal;
}

/**
 * The option `onProgress`.
 * @template {Function} F
 * @param {F | undefined} x
 */
export const progressListener = (x) =>
  x === undefined || typeof x === 'function' ? x : refuseKind('onProgress', x, 'a function');

/** @param {string} name @param {unknown} x @param {string} [expected] @returns {unknown[]} */
export const list = (name, x, expected = 'an array') =>
  Array.isArray(x) ? x : refuseKind(name, x, expected);

/**
 * A live typed array.
 * @template {keyof Arrays} K
 * @param {string} name
 * @param {unknown} x
 * @param {K[]} kinds
 */
export function array(name, x, ...kinds) {
  const came = kindOf(x);
  if (!kinds.some((kind) => kind === came)) refuseKind(name, x, kinds.join(' or '));
  return live(name, /** @type {Arrays[K]} */ (x));
}

/**
 * A copy of an array or of a typed array.
 * @param {string} name
 * @param {unknown} x
 * @param {string} expected
 * @returns {unknown[]}
 */
export function elements(name, x, expected) {
  if (Array.isArray(x)) return Array.from(x);
  if (!kindOf(x) || kindOf(x) === 'DataView') refuseKind(name, x, expected);
  return Array.from(live(name, /** @type {Uint8Array} */ (x)));
}

/**
 * A copy of integers, which can be checked: nothing changes it afterwards.
 * @param {string} name
 * @param {unknown} x
 */
export const int32s = (name, x) => new Int32Array(array(name, x, 'Int32Array'));

/**
 * @template {{ length: number }} T
 * @param {string} name
 * @param {T} x its array
 * @param {number} length
 * @param {string} shape in words
 */
export function sized(name, x, length, shape) {
  const came = lengthOf(x);
  return came === length ? x : refuse('SHAPE', name, `${came} long`, `${length} = ${shape}`);
}

/**
 * The number of rows of `size`.
 * @param {string} name
 * @param {{ length: number }} x
 * @param {number} size
 * @param {string} shape in words
 */
export function rows(name, x, size, shape) {
  const length = lengthOf(x);
  return length % size
    ? refuse('SHAPE', name, `${length} long`, `a multiple of ${size} = ${shape}`)
    : length / size;
}
