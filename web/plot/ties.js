/** The largest of some numbers may be several: a sentence names them all. */
import { listed } from './format.js';

/** Numbers that differ by less are the same but for rounding. */
const SAME = 1 - 2 ** -40;

/**
 * The names of those with the largest number, and whether all have it.
 * @param {ArrayLike<number>} numbers none of them negative @param {readonly string[]} names
 */
export function largestOf(numbers, names) {
  const value = Math.max(...Array.from(numbers));
  const best = names.filter((_, j) => numbers[j] >= SAME * value);
  return {
    value,
    count: best.length,
    list: listed(best),
    all: best.length > 1 && best.length === names.length,
  };
}
