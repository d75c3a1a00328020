/** Filters for lists and dicts. */
import { attribute as attributeOf, item as itemOf, pairsOf } from './members.js';
import { binary } from './operators.js';
import { str } from './print.js';
import { wholeOf } from './text.js';
import {
  Float,
  Group,
  Stream,
  compare,
  elements,
  equal,
  fail,
  lengthOf,
  truth,
  typeOf,
  unsupported,
} from './values.js';

/** @typedef {import('./values.js').Value} Value */

/**
 * A function that finds an attribute by its path, such as "function.name" or 0.
 * @param {Value} path null: the value itself
 * @param {Value} [otherwise] for attributes that are not defined
 * @returns {(x: Value) => Value}
 */
export function getter(path, otherwise) {
  if (path === undefined || path === null) return (x) => x;
  const parts = typeof path === 'string' ? path.split('.') : [path];
  return (x) =>
    parts.reduce((value, part) => {
      if (value === undefined) fail(`an item has no attribute "${str(path)}"`);
      const found = itemOf(value, /^\d+$/.test(part) ? Number(part) : part);
      return found === undefined ? otherwise : found;
    }, x);
}

/**
 * The values that are compared in place of others.
 * @param {Value} path
 * @param {Value} caseSensitive
 */
function keys(path, caseSensitive) {
  if (typeof path === 'string' && path.includes(',')) unsupported('sorting by several attributes');
  const find = getter(path);
  return (/** @type {Value} */ x) => {
    const value = find(x);
    return typeof value === 'string' && !truth(caseSensitive) ? value.toLowerCase() : value;
  };
}

/**
 * In order; those that are equal keep theirs, also backwards.
 * @param {Value[]} all
 * @param {(x: Value) => Value} key
 * @param {Value} reverse
 */
function sorted(all, key, reverse) {
  const sign = truth(reverse) ? -1 : 1;
  return all
    .map((one) => [key(one), one])
    .sort(([a], [b]) => sign * compare(a, b))
    .map(([, one]) => one);
}

/** @param {Value} x @param {Record<string, Value>} given */
function dictSorted(x, { case_sensitive: sensitive, by = 'key', reverse }) {
  if (!(x instanceof Map)) return fail(`dictsort needs a dict, not ${typeOf(x)}`);
  if (by !== 'key' && by !== 'value') fail('dictsort can only sort by "key" or "value"');
  return sorted(pairsOf(x), keys(by === 'key' ? 0 : 1, sensitive), reverse);
}

/** @param {Value} x @param {Record<string, Value>} given */
function grouped(x, { attribute, default: otherwise, case_sensitive: sensitive }) {
  const find = getter(attribute, otherwise);
  const key = (/** @type {Value} */ one) => {
    const value = find(one);
    return typeof value === 'string' && !truth(sensitive) ? value.toLowerCase() : value;
  };
  /** @type {[Value, Value[]][]} */
  const groups = [];
  for (const one of sorted(elements(x), key, false)) {
    const last = groups.at(-1);
    if (last && equal(key(last[1][0]), key(one))) last[1].push(one);
    else groups.push([find(one), [one]]);
  }
  return groups.map((pair) => Group.from(pair));
}

/** @param {Value} x @param {Record<string, Value>} given */
function distinct(x, { case_sensitive: sensitive, attribute }) {
  const key = keys(attribute, sensitive);
  /** @type {Map<Value, Value[]>} those of equal texts or numbers */
  const seen = new Map();
  for (const one of elements(x)) {
    const value = key(one);
    if (Array.isArray(value) || value instanceof Map) unsupported(`unique for a ${typeOf(value)}`);
    const plain =
      value instanceof Float || value === true || value === false
        ? Number(value.value ?? value)
        : value;
    if (!seen.has(plain)) seen.set(plain, one);
  }
  return new Stream(seen.values());
}

/** @param {Value} x @param {Record<string, Value>} given @param {number} sign */
function extreme(x, { case_sensitive: sensitive, attribute }, sign) {
  const key = keys(attribute, sensitive);
  const all = elements(x);
  return all.reduce((best, one) => (sign * compare(key(one), key(best)) > 0 ? one : best), all[0]);
}

/** @param {Value} x */
function reversed(x) {
  if (typeof x === 'string') return Array.from(x).reverse().join('');
  const all = Array.from(elements(x)).reverse();
  return x instanceof Stream ? all : new Stream(all);
}

/** @param {Value} x @param {Record<string, Value>} given */
function batches(x, { linecount, fill_with: fill = null }) {
  const size = wholeOf('linecount', linecount);
  const all = elements(x);
  if (size < 1) return unsupported(`the filter batch with ${size}`);
  const lines = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
    Array.from(all.slice(i * size, (i + 1) * size)),
  );
  const last = lines.at(-1);
  if (last && fill !== null) while (last.length < size) last.push(fill);
  return new Stream(lines);
}

/** @param {Value} x */
function first(x) {
  if (x instanceof Stream) return x.items.shift();
  return elements(x)[0];
}

/** @param {Value} x */
function last(x) {
  if (x instanceof Stream) return fail("'generator' object is not reversible");
  return elements(x).at(-1);
}

/** @param {Value} x */
function items(x) {
  if (x === undefined) return new Stream([]);
  return x instanceof Map ? new Stream(pairsOf(x)) : fail(`items needs a dict, not ${typeOf(x)}`);
}

/** @param {Value} x @param {Record<string, Value>} given */
function joined(x, { d = '', attribute }) {
  return Array.from(elements(x), getter(attribute)).map(str).join(str(d));
}

/** @param {Value} x @param {Record<string, Value>} given */
function sum(x, { attribute, start = 0 }) {
  return Array.from(elements(x), getter(attribute)).reduce((a, b) => binary('+', a, b), start);
}

/** @param {Value} x @param {Record<string, Value>} given */
function otherwise(x, { default_value: other = '', boolean = false }) {
  return x === undefined || (truth(boolean) && !truth(x)) ? other : x;
}

/** @type {Record<string, [string[], number, (x: Value, given: Record<string, Value>) => Value]>} */
export const LIST_FILTERS = {
  attr: [
    ['name'],
    1,
    (x, { name }) => {
      if (x === undefined) fail(`attr "${str(name)}" of an undefined value`);
      return x instanceof Map ? unsupported('attr') : attributeOf(x, name);
    },
  ],
  batch: [['linecount', 'fill_with'], 1, batches],
  count: [[], 0, lengthOf],
  d: [['default_value', 'boolean'], 0, otherwise],
  default: [['default_value', 'boolean'], 0, otherwise],
  dictsort: [['case_sensitive', 'by', 'reverse'], 0, dictSorted],
  first: [[], 0, first],
  groupby: [['attribute', 'default', 'case_sensitive'], 1, grouped],
  items: [[], 0, items],
  join: [['d', 'attribute'], 0, joined],
  last: [[], 0, last],
  length: [[], 0, lengthOf],
  list: [[], 0, (x) => Array.from(elements(x))],
  max: [['case_sensitive', 'attribute'], 0, (x, given) => extreme(x, given, 1)],
  min: [['case_sensitive', 'attribute'], 0, (x, given) => extreme(x, given, -1)],
  reverse: [[], 0, reversed],
  sort: [
    ['reverse', 'case_sensitive', 'attribute'],
    0,
    (x, given) => sorted(elements(x), keys(given.attribute, given.case_sensitive), given.reverse),
  ],
  sum: [['attribute', 'start'], 0, sum],
  unique: [['case_sensitive', 'attribute'], 0, distinct],
};
