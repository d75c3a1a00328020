/** Reads lists of numbers as float32, and refuses those that float32 cannot represent. */
import { elements, number } from '../../check.js';
import { refuse } from '../../errors.js';

const EXPECTED = 'a finite number, below 3.5e38 in size as float32';

/** The number nearest to x that float32 has. @param {string} name @param {unknown} x */
export function float(name, x) {
  const rounded = Math.fround(number(name, x));
  return Number.isFinite(rounded) ? rounded : refuse('RANGE', name, Number(x), EXPECTED);
}

/**
 * A copy of an array or a typed array, as float32. JSON has only the former.
 * @param {string} name
 * @param {unknown} given
 */
export function floats(name, given) {
  const numbers = elements(name, given, 'an array of numbers');
  return Float32Array.from(numbers, (x, at) => float(`${name}[${at}]`, x));
}
