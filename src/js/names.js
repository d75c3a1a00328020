/** Names of options and arguments in messages. */
import { brand, describe, refuse } from './errors.js';

/** Longer names are not compared. */
const MAX_LENGTH = 40;

/** As it is compared: kv_heads is kvHeads. @param {string} name */
const plain = (name) => name.replace(/[_-]/g, '').toLowerCase();

/**
 * How many letters are to be inserted, removed or changed to turn one word into the other
 * (Levenshtein).
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(row[j] + Number(a[i] !== b[j]), row[j + 1] + 1, next[j] + 1));
    row = next;
  }
  return row[b.length];
}

/**
 * A question to be put behind a message about an unknown name; empty where no known name is near.
 * Near is a third of its letters.
 * @param {string} name
 * @param {readonly string[]} known
 */
export function didYouMean(name, known) {
  if (name.length > MAX_LENGTH) return '';
  const word = plain(name);
  const [best] = known
    .map((other) => ({ other, far: distance(word, plain(other)) }))
    .filter(({ other, far }) => far <= Math.max(1, Math.floor(other.length / 3)))
    .sort((a, b) => a.far - b.far);
  return best ? `; did you mean ${best.other}?` : '';
}

/** @param {string} name of the function @param {ArrayLike<unknown>} values @param {number} count */
export function atMost(name, { length }, count) {
  if (length > count) refuse('ARG', name, `called with ${length} arguments`, `at most ${count}`);
}

/** Methods that others call with arguments of their own: events, promises and JSON.stringify. */
const CALLED_BY_OTHERS = ['constructor', 'dispose', 'toJSON'];

/**
 * The function, which refuses more arguments than it names.
 * @template {unknown[]} V
 * @template R
 * @param {string | symbol} name for the caller
 * @param {(...values: V) => R} f without default values, whose arguments `length` does not count
 * @param {(self: unknown) => void} [check] of the object that it is called on
 */
export function counted(name, f, check) {
  const free = typeof name === 'symbol' || CALLED_BY_OTHERS.includes(name);
  if (free && !check) return f;
  const count = free ? Infinity : f.length;
  /** @this {unknown} @param {V} values */
  return function (...values) {
    check?.(this);
    if (values.length > count) atMost(String(name), values, count);
    return f.apply(this, values);
  };
}

/**
 * The same for all methods of an object, or of the prototype of a class.
 * @template {object} T
 * @param {T} object changed in place
 */
export function countArguments(object) {
  const members = /** @type {Record<string, () => unknown>} */ (object);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(members)))
    if (typeof value === 'function') members[name] = counted(name, value);
  return object;
}

/**
 * The same for a class, whose methods and getters also refuse all but its own objects: proxies,
 * heirs, and others that borrow a method. Messages then know the class, in another copy too.
 * @param {object} prototype changed in place, and frozen
 * @param {(x: unknown) => boolean} isOne
 * @param {string} what its objects are
 */
export function guard(prototype, isOne, what) {
  const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(prototype);
  // consoles print it, and a minified class has another
  Object.defineProperty(prototype.constructor, 'name', { value: what.replace(/^an? /, '') });
  for (const name of Reflect.ownKeys(members)) {
    /** @param {unknown} self */
    const check = (self) => {
      if (isOne(self)) return;
      const came = describe(self).replace(/^of /, 'an object of ');
      refuse('ARG', String(name), `called on ${came}`, what);
    };
    const { value, get } = /** @type {Record<string | symbol, PropertyDescriptor>} */ (members)[
      name
    ];
    const member = counted(name, value ?? get, check);
    Object.defineProperty(prototype, name, value ? { value: member } : { get: member });
  }
  brand(prototype, what, isOne);
  Object.freeze(prototype);
}

/**
 * A method of an engine: f with the memory of the engine as its first argument. The method refuses
 * more arguments than it has.
 * @template M
 * @template {unknown[]} V
 * @template R
 * @param {string} name for the caller
 * @param {(memory: M, ...values: V) => R} f
 * @param {M} memory
 * @returns {(...values: V) => R}
 */
export const bound = (name, f, memory) =>
  counted(name, /** @type {(...values: V) => R} */ (f.bind(undefined, memory)));
