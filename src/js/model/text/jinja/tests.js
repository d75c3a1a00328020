/** The tests of jinja2, after `is` and in `select`. */
import { bind } from './arguments.js';
import { COMPARISONS } from './operators.js';
import { str } from './print.js';
import { isLower, isUpper } from './text.js';
import {
  Callable,
  Float,
  Markup,
  Range,
  Stream,
  View,
  contains,
  fail,
  isNumber,
  isText,
  numberOf,
  typeOf,
  unsupported,
} from './values.js';

/** @typedef {import('./values.js').Value} Value */

/** @param {Value} x @param {Value} by */
function remains(x, by) {
  if (!isNumber(x) || !isNumber(by)) return fail(`no remainder of '${typeOf(x)}'`);
  return numberOf(by) === 0 ? fail('division by zero') : numberOf(x) % numberOf(by);
}

/** Tests without a parameter. @type {Record<string, (x: Value) => boolean>} */
const PLAIN = {
  boolean: (x) => typeof x === 'boolean',
  callable: (x) => x instanceof Callable || x === undefined,
  defined: (x) => x !== undefined,
  escaped: (x) => x instanceof Markup,
  even: (x) => remains(x, 2) === 0,
  odd: (x) => Math.abs(remains(x, 2)) === 1,
  false: (x) => x === false,
  true: (x) => x === true,
  float: (x) => x instanceof Float,
  integer: (x) => typeof x === 'number',
  iterable: (x) =>
    x === undefined ||
    isText(x) ||
    Array.isArray(x) ||
    [Map, View, Stream].some((one) => x instanceof one),
  lower: (x) => isLower(str(x)),
  upper: (x) => isUpper(str(x)),
  mapping: (x) => x instanceof Map,
  none: (x) => x === null,
  number: isNumber,
  sequence: (x) =>
    x === undefined || isText(x) || Array.isArray(x) || x instanceof Range || x instanceof Map,
  string: isText,
  undefined: (x) => x === undefined,
};

/** Tests with one. @type {Record<string, (x: Value, other: Value) => boolean>} */
const WITH_ONE = {
  divisibleby: (x, by) => remains(x, by) === 0,
  sameas: (x, other) =>
    [x, other].some((one) => one === null || typeof one === 'boolean')
      ? x === other
      : unsupported(`the test "sameas" for ${typeOf(x)}`),
  in: contains,
};

const SYMBOLS = {
  '==': 'eq equalto',
  '!=': 'ne',
  '<': 'lt lessthan',
  '>': 'gt greaterthan',
  '<=': 'le',
  '>=': 'ge',
};
for (const [symbol, names] of Object.entries(SYMBOLS))
  for (const name of [symbol, ...names.split(' ')]) WITH_ONE[name] = COMPARISONS[symbol];

/**
 * @param {string} name
 * @param {Value} x
 * @param {Value[]} args
 * @param {Map<string, Value>} [named]
 * @returns {boolean}
 */
export function passes(name, x, args, named = new Map()) {
  const what = `the test "${name}"`;
  if (Object.hasOwn(PLAIN, name)) {
    bind(what, [], args, named);
    return PLAIN[name](x);
  }
  if (!Object.hasOwn(WITH_ONE, name)) return unsupported(what);
  return WITH_ONE[name](x, bind(what, ['other'], args, named, 1).other);
}
