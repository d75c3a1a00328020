/**
 * Values of templates as Python has them. Texts, truth values, whole numbers and lists are those of
 * JavaScript. A dict is a Map, None is null, and an undefined variable is undefined. The rest are
 * the classes below.
 * @typedef {any} Value
 */
import { describe, refuse } from '../../../errors.js';
import { isPlain } from '../../../kinds.js';

/** Depth of the values that a caller gives. */
const MAX_DEPTH = 64;

/** A number with a decimal point. */
export class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
}

export class Tuple extends Array {
  /** Arrays made from tuples are lists. @override */
  static get [Symbol.species]() {
    return Array;
  }
}

/** A pair of `groupby`. */
export class Group extends Tuple {}

/** Of the function of this name. Python prints it in its own way. */
export class Range extends Array {
  /** @override */
  static get [Symbol.species]() {
    return Array;
  }
}

/** Values that can be read once: the results of `map`, `select` and their like. */
export class Stream {
  /** @param {Iterable<Value>} items */
  constructor(items) {
    this.items = [...items];
  }
}

/** The keys, values or items of a dict. */
export class View {
  /** @param {string} name @param {Value[]} items */
  constructor(name, items) {
    this.name = name;
    this.items = items;
  }
}

export class Namespace {
  /** @param {Map<string, Value>} attributes */
  constructor(attributes) {
    this.attributes = attributes;
  }
}

/** Text that went through the filter `safe`. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** A function, a method or a macro. */
export class Callable {
  /** @param {string} name @param {(args: Value[], named: Map<string, Value>) => Value} call */
  constructor(name, call) {
    this.name = name;
    this.call = call;
  }
}

/** An object of the interpreter with attributes: `loop`. */
export class Attributes {
  /** @param {string} name @param {Record<string, Value>} attributes */
  constructor(name, attributes) {
    this.name = name;
    this.attributes = attributes;
  }
}

/** @param {string} message @returns {never} */
export function fail(message) {
  throw new Error(message);
}

/** Refuses a construct that jinja2 has and we have not. @param {string} what @returns {never} */
export const unsupported = (what) => fail(`${what} is not supported`);

const CLASSES = /** @type {const} */ ([
  [Float, 'float'],
  [Tuple, 'tuple'],
  [Range, 'range'],
  [Array, 'list'],
  [Map, 'dict'],
  [Stream, 'generator'],
  [Namespace, 'Namespace'],
  [Markup, 'Markup'],
  [Callable, 'function'],
]);

/** Python's name of a value's type. @param {Value} x @returns {string} */
export function typeOf(x) {
  if (x === undefined) return 'Undefined';
  if (x === null) return 'NoneType';
  if (typeof x === 'string') return 'str';
  if (typeof x === 'boolean') return 'bool';
  if (typeof x === 'number') return 'int';
  if (x instanceof View || x instanceof Attributes) return x.name;
  return CLASSES.find(([one]) => x instanceof one)?.[1] ?? 'object';
}

/** A whole number, as far as JavaScript has them exactly. @param {number} x */
export const whole = (x) =>
  Number.isSafeInteger(x) ? x + 0 : unsupported('a whole number above 2 to the 53rd');

/** @param {Value} x @returns {x is number | boolean | Float} */
export const isNumber = (x) =>
  typeof x === 'number' || typeof x === 'boolean' || x instanceof Float;

/** @param {Value} x @returns {x is string | Markup} */
export const isText = (x) => typeof x === 'string' || x instanceof Markup;

/** @param {number | boolean | Float} x */
export const numberOf = (x) => (x instanceof Float ? x.value : Number(x));

/** @param {Value} x */
export const isWhole = (x) => typeof x === 'number' || typeof x === 'boolean';

/** @param {Value} x @returns {boolean} */
export function truth(x) {
  if (isNumber(x)) return numberOf(x) !== 0;
  if (x === undefined || x === null) return false;
  if (x instanceof Markup) return x.text !== '';
  return !((x.length ?? x.size ?? (x instanceof View ? x.items.length : 1)) === 0);
}

/** The elements of a value; a stream then has none left. @param {Value} x @returns {Value[]} */
export function elements(x) {
  if (typeof x === 'string') return Array.from(x);
  if (Array.isArray(x)) return x;
  if (x instanceof Map) return [...x.keys()];
  if (x instanceof View) return x.items;
  if (x instanceof Stream) return x.items.splice(0);
  return x === undefined ? [] : fail(`'${typeOf(x)}' object is not iterable`);
}

/** @param {Value} x @returns {number} */
export function lengthOf(x) {
  if (typeof x === 'string') return Array.from(x).length;
  if (x instanceof Markup) return lengthOf(x.text);
  if (Array.isArray(x) || x instanceof View || x instanceof Map) return elements(x).length;
  return x === undefined ? 0 : fail(`object of type '${typeOf(x)}' has no len()`);
}

/** A value as a key of a dict. @param {Value} x @returns {string | number | null} */
export function keyOf(x) {
  if (typeof x === 'string' || typeof x === 'number' || x === null) return x;
  return unsupported(`a dict key of type ${typeOf(x)}`);
}

/** @param {Value} a @param {Value} b @returns {boolean} */
export function equal(a, b) {
  if (isNumber(a) && isNumber(b)) return numberOf(a) === numberOf(b);
  if (a instanceof Markup) return equal(a.text, b);
  if (b instanceof Markup) return equal(a, b.text);
  if (a instanceof View && b instanceof View) return unsupported(`comparing ${typeOf(a)}`);
  if (Array.isArray(a) && Array.isArray(b))
    return (
      typeOf(a) === typeOf(b) && a.length === b.length && a.every((one, i) => equal(one, b[i]))
    );
  if (a instanceof Map && b instanceof Map)
    return (
      a.size === b.size && [...a].every(([name, one]) => b.has(name) && equal(one, b.get(name)))
    );
  return a === b;
}

/**
 * Less than 0 where a comes before b.
 * @param {Value} a
 * @param {Value} b
 * @returns {number} NaN where there is no order between two numbers
 */
export function compare(a, b) {
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [numberOf(a), numberOf(b)];
    return x === y ? 0 : x - y;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    // by code points; the order of surrogates is another one
    const [x, y] = [Array.from(a), Array.from(b)];
    const at = x.findIndex((one, i) => one !== y[i]);
    if (at < 0) return x.length - y.length;
    return y[at] === undefined
      ? 1
      : /** @type {number} */ (x[at].codePointAt(0)) - /** @type {number} */ (y[at].codePointAt(0));
  }
  if (Array.isArray(a) && Array.isArray(b) && typeOf(a) === typeOf(b) && !(a instanceof Range)) {
    const at = a.findIndex((one, i) => i >= b.length || !equal(one, b[i]));
    return at < 0 || at >= b.length ? a.length - b.length : compare(a[at], b[at]);
  }
  return fail(`no order between instances of '${typeOf(a)}' and '${typeOf(b)}'`);
}

/** @param {Value} x @param {Value} within @returns {boolean} */
export function contains(x, within) {
  if (typeof within === 'string')
    return typeof x === 'string'
      ? within.includes(x)
      : fail(`'in <string>' requires string as left operand, not ${typeOf(x)}`);
  if (within instanceof Map && (Array.isArray(x) || x instanceof Map))
    return fail(`unhashable type: '${typeOf(x)}'`);
  if (within instanceof Map)
    return isNumber(x) ? within.has(numberOf(x)) : within.has(/** @type {any} */ (x));
  return elements(within).some((one) => equal(one, x));
}

/**
 * Values of JavaScript as values of templates. A number without a fraction is a whole number.
 * @param {unknown} x
 * @param {string} name for errors
 * @param {number} [depth]
 * @returns {Value}
 */
export function valueOf(x, name, depth = 0) {
  if (depth > MAX_DEPTH) throw new RangeError(`${name.slice(0, 40)} is nested too deep`);
  if (typeof x === 'number') {
    if (Number.isInteger(x) && !Number.isSafeInteger(x))
      refuse('ARG', name, x, 'a whole number below 2^53, or text');
    return Number.isInteger(x) ? x : new Float(x);
  }
  if (x === null || typeof x === 'string' || typeof x === 'boolean') return x;
  if (Array.isArray(x)) return x.map((one, i) => valueOf(one, `${name}[${i}]`, depth + 1));
  if (isPlain(x))
    return new Map(
      Object.entries(x)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => [key, valueOf(one, `${name}.${key}`, depth + 1)]),
    );
  return refuse('ARG', name, describe(x), 'a value that JSON has');
}
