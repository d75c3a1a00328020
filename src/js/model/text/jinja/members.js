/** Attributes, methods and items of values, in the order in which jinja2 looks for them. */
import { positional } from './arguments.js';
import {
  Attributes,
  Callable,
  Group,
  Markup,
  Namespace,
  Range,
  Tuple,
  View,
  equal,
  fail,
  isNumber,
  isWhole,
  keyOf,
  lengthOf,
  numberOf,
  typeOf,
  unsupported,
} from './values.js';
import { wholeOf } from './text.js';
import { methodOfText } from './text-methods.js';

/** @typedef {import('./values.js').Value} Value */

/** Methods that change a value, which the sandbox of transformers forbids. */
const CHANGING = new Set(
  (
    'append clear extend insert pop popitem remove reverse setdefault sort update ' + 'add discard'
  ).split(' '),
);
/** Attributes of numbers, none of which are here. */
const OF_NUMBERS = new Set(
  (
    'as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag ' +
    'is_integer numerator real to_bytes'
  ).split(' '),
);

/** @param {Value} object @param {string} name @returns {Value} the attribute, else the item */
export function attribute(object, name) {
  const own = ownAttribute(object, name);
  return own === undefined ? ownItem(object, name) : own;
}

/** @param {Value} object @param {Value} key @returns {Value} the item, else the attribute */
export function item(object, key) {
  const own = ownItem(object, key);
  return own === undefined && typeof key === 'string' ? ownAttribute(object, key) : own;
}

/** @param {Value} object @param {string} name @returns {Value} */
function ownAttribute(object, name) {
  if (name.startsWith('__')) {
    if (object instanceof Map && object.has(name)) return undefined;
    return fail(`access to the attribute "${name}" of type ${typeOf(object)} is unsafe`);
  }
  if (typeof object === 'string') return methodOfText(object, name);
  if (object instanceof Markup) return unsupported('an attribute of text from the filter safe');
  if (object instanceof Map) return methodOfDict(object, name);
  if (Array.isArray(object)) return methodOfList(object, name);
  if (object instanceof Namespace) return object.attributes.get(name);
  if (object instanceof Attributes)
    return Object.hasOwn(object.attributes, name) ? object.attributes[name] : undefined;
  if (isNumber(object) && OF_NUMBERS.has(name)) return unsupported(`the attribute ${name}`);
  if (object instanceof Callable) return unsupported(`the attribute ${name} of a function`);
  return undefined;
}

/** @param {Value} object @param {Value} key @returns {Value} */
function ownItem(object, key) {
  if (object instanceof Map) return object.get(isNumber(key) ? numberOf(key) : key);
  if (object instanceof Markup) return ownItem(object.text, key);
  if (typeof object !== 'string' && !Array.isArray(object)) return undefined;
  if (!isWhole(key)) return undefined;
  const all = Array.isArray(object) ? object : Array.from(object);
  return all.at(Number(key));
}

/** @param {Map<Value, Value>} dict @param {string} name */
function methodOfDict(dict, name) {
  const view = (/** @type {Value[]} */ items) =>
    positional(`dict.${name}`, [], 0, () => new View(`dict_${name}`, items));
  if (name === 'keys') return view([...dict.keys()]);
  if (name === 'values') return view([...dict.values()]);
  if (name === 'items') return view(pairsOf(dict));
  if (name === 'get')
    return positional('dict.get', ['key', 'default'], 1, ({ key, default: other = null }) =>
      dict.has(isNumber(key) ? numberOf(key) : keyOf(key))
        ? dict.get(isNumber(key) ? numberOf(key) : key)
        : other,
    );
  if (name === 'copy') return positional('dict.copy', [], 0, () => new Map(dict));
  if (name === 'fromkeys') return unsupported('the method dict.fromkeys');
  return CHANGING.has(name) && !['append', 'extend', 'insert'].includes(name)
    ? forbidden('dict', name)
    : undefined;
}

/** @param {Map<Value, Value>} dict @returns {Tuple[]} */
export const pairsOf = (dict) => [...dict].map((pair) => Tuple.from(pair));

/** @param {Value[]} list @param {string} name */
function methodOfList(list, name) {
  const type = typeOf(list);
  if (name === 'count')
    return positional('count', ['value'], 1, ({ value }) =>
      list.reduce((sum, one) => sum + Number(equal(one, value)), 0),
    );
  if (name === 'index')
    return positional('index', ['value', 'start', 'stop'], 1, ({ value, start, stop }) => {
      if (start !== undefined || stop !== undefined) unsupported('index in a range');
      const at = list.findIndex((one) => equal(one, value));
      return at < 0 ? fail(`the value is not in the ${type}`) : at;
    });
  if (list instanceof Range && ['start', 'stop', 'step'].includes(name))
    return unsupported(`the attribute ${name} of a range`);
  if (type !== 'list')
    return list instanceof Group && ['grouper', 'list'].includes(name)
      ? list[name === 'list' ? 1 : 0]
      : undefined;
  if (name === 'copy') return positional('list.copy', [], 0, () => [...list]);
  return CHANGING.has(name) ? forbidden(type, name) : undefined;
}

/** @param {string} type @param {string} name */
const forbidden = (type, name) =>
  fail(`the method ${type}.${name} changes a value, which is unsafe`);

/**
 * @param {Value} object
 * @param {Value[]} bounds start, stop and step; null where there is none
 * @returns {Value}
 */
export function slice(object, [start, stop, step]) {
  if (typeof object !== 'string' && !Array.isArray(object))
    return fail(`a '${typeOf(object)}' object has no slices`);
  if (object instanceof Range) return unsupported('a slice of a range');
  const length = lengthOf(object);
  if (![start, stop, step].every((one) => one === null || isWhole(one)))
    fail('the bounds of a slice are not whole numbers');
  const by = step ?? 1;
  if (Number(by) === 0) fail('slice step cannot be zero');
  const back = by < 0;
  const clip = (/** @type {Value} */ at, /** @type {number} */ otherwise) => {
    if (at === null) return otherwise;
    const from = wholeOf('a bound', at) + (at < 0 ? length : 0);
    return back ? Math.min(length - 1, Math.max(-1, from)) : Math.min(length, Math.max(0, from));
  };
  const from = clip(start, back ? length - 1 : 0);
  const to = clip(stop, back ? -1 : length);
  const all = Array.from(object);
  /** @type {Value[]} */
  const picked = [];
  for (let i = from; back ? i > to : i < to; i += Number(by)) picked.push(all[i]);
  if (typeof object === 'string') return picked.join('');
  return object instanceof Tuple ? Tuple.from(picked) : picked;
}
