/** Names of options and arguments in messages. */
import { refuse } from './errors.js';

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

/**
 * The function with its first argument given, which refuses more arguments than it has.
 * @template M
 * @template {unknown[]} V
 * @template R
 * @param {string} name for the caller
 * @param {(memory: M, ...values: V) => R} f
 * @param {M} memory
 * @returns {(...values: V) => R}
 */
export const bound =
  (name, f, memory) =>
  (...values) => {
    atMost(name, values, f.length - 1);
    return f(memory, ...values);
  };

/** @param {string} name of the function @param {ArrayLike<unknown>} values @param {number} count */
export function atMost(name, { length }, count) {
  if (length > count) refuse('ARG', name, `called with ${length} arguments`, `at most ${count}`);
}
