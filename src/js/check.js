import { describe, kindOf, refuse } from './errors.js';

/** For each list of names an object that has them all, undefined. @type {Record<string, any>} */
const BLANKS = { __proto__: null };

/**
 * Reads each option once, before anything else happens, and each element of a list: a getter may
 * run any code. Inherited ones do not count.
 * @param {string} of
 * @param {any} options
 * @param {string} names of all there are
 * @param {string} [expected]
 * @returns {any}
 */
export function read(of, options, names, expected = 'an object') {
  const o = {
    ...(BLANKS[names] ??= Object.fromEntries(names.split(' ').map((name) => [name, undefined]))),
  };
  if (options === undefined) return o;
  if (typeof options !== 'object' || !options || kindOf(options) || Array.isArray(options))
    refuse('ARG', of, describe(options), expected);
  for (const name of Object.keys(options))
    o[name] = Object.hasOwn(o, name)
      ? still(name, options[name])
      : refuse('ARG', of, `given "${name}"`, `only ${names}`);
  return o;
}

/** A list as it is now; anything else as it is. @param {string} name @param {any} x */
function still(name, x) {
  if (!Array.isArray(x)) return x;
  return x.length <= 2 ** 24
    ? Array.from(x)
    : refuse('LIMIT', name, describe(x), 'at most 2^24 elements');
}

/**
 * @param {string} name
 * @param {any} x
 * @param {number} least
 * @param {number} [most]
 * @returns {number}
 */
export function integer(name, x, least, most = 0x7fffffff) {
  const minus = Object.is(x, -0);
  const valid = Number.isInteger(number(name, x)) && x >= least && x <= most && !minus;
  return valid ? x : refuse('RANGE', name, minus ? '-0' : x, `an integer from ${least} to ${most}`);
}

/**
 * The same of each element.
 * @param {string} name
 * @param {ArrayLike<any>} xs
 * @param {number} least
 * @param {number} [most]
 */
export const integers = (name, xs, least, most) =>
  Array.from(xs, (x, i) => integer(`${name}[${i}]`, x, least, most));

/**
 * Sizes by name, at least 1, and of a head what the kernels take; in their order.
 * @param {import('./engine/memory.js').Memory} memory
 * @param {Record<string, any>} sizes
 * @returns {number[]}
 */
export function sizesOf(memory, sizes) {
  const most = memory.c.attn_max_dim();
  return Object.entries(sizes).map(([name, x]) =>
    integer(name, x, 1) > most && /(head|value)Dim/.test(name)
      ? refuse('LIMIT', name, x, `at most ${most}`)
      : x,
  );
}

/** @param {string} name @param {any} x @returns {number} */
export const number = (name, x) =>
  typeof x === 'number' ? x : refuse('ARG', name, describe(x), 'a number');

/**
 * The place of a word among the choices; the first where there is none.
 * @param {string} name
 * @param {any} x
 * @param {any[]} choices
 */
export function choice(name, x, ...choices) {
  if (x === undefined) return 0;
  return choices.includes(x)
    ? choices.indexOf(x)
    : refuse('ARG', name, describe(x), choices.map(describe).join(' or '));
}

/** A switch, off where it is not given. @param {string} name @param {any} x */
export const yes = (name, x) => choice(name, x, false, true);

/** @param {any} x @returns {AbortSignal | undefined} */
export const abortSignal = (x) =>
  x === undefined || x instanceof AbortSignal
    ? x
    : refuse('ARG', 'signal', describe(x), 'an AbortSignal');

/** @param {string} name @param {any} x @param {string} [expected] @returns {any[]} */
export const list = (name, x, expected = 'an array') =>
  Array.isArray(x) ? x : refuse('ARG', name, describe(x), expected);

/**
 * A live typed array.
 * @param {string} name
 * @param {any} x
 * @param {string[]} kinds
 * @returns {any}
 */
export function array(name, x, ...kinds) {
  if (!kinds.includes(kindOf(x))) refuse('ARG', name, describe(x), kinds.join(' or '));
  if (!x.length && gone(x.buffer)) refuse('DETACHED', name, describe(x), 'a live array');
  return x;
}

/** Detached, or resizable and so perhaps cut off. @param {any} buffer */
function gone(buffer) {
  try {
    new Uint8Array(buffer); // throws where it is detached
    return buffer.resizable || buffer.growable;
  } catch {
    return true;
  }
}

/**
 * @param {string} name
 * @param {any} x its array
 * @param {number} length
 * @param {string} shape in words
 * @returns {any}
 */
export function sized(name, x, length, shape) {
  return x.length === length
    ? x
    : refuse('SHAPE', name, `${x.length} long`, `${length} = ${shape}`);
}

/**
 * How many rows of `size` there are.
 * @param {string} name
 * @param {any} x
 * @param {number} size
 * @param {string} shape in words
 */
export function rows(name, x, size, shape) {
  return x.length % size
    ? refuse('SHAPE', name, `${x.length} long`, `a multiple of ${size} = ${shape}`)
    : x.length / size;
}
