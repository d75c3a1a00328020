/** The values of the words, two numbers each. */
import { exampleOf } from '../../math/example.js';

/**
 * Made up: “red” and “ball” lie nearest to each other. Values are not keys, so no word lies in the
 * direction of its key.
 */
export const VALUES = Float64Array.of(
  ...[-0.9, 0.25], // Lily
  ...[0.75, 0.7], // saw
  ...[-0.8, -0.5], // a
  ...[0.9, -0.35], // red
  ...[0.4, -0.85], // ball
  ...[-0.1, 0.75], // She
);

/**
 * The first two numbers of the value of each key on show. They are made up where there is no row.
 * @param {import('../../page/row.js').Row | undefined} row
 * @param {import('../../page/row.js').Keys} [keys]
 * @returns {{ values: Float64Array, own: boolean }} values (n, 2); own: those of the example
 */
export function valuesOf(row, keys) {
  const { places, words } = exampleOf(row, keys);
  const channels = row?.v ? row.v.length / row.words.length : 0;
  if (!row?.v || channels < 2 || !places.length)
    return { values: VALUES.slice(0, 2 * words.length), own: true };
  const numbers = row.v;
  const first = places.flatMap((j) => [numbers[j * channels], numbers[j * channels + 1]]);
  return { values: Float64Array.from(first), own: false };
}

/** Where the values come from, in words. @param {boolean} own */
export const originOf = (own) =>
  own
    ? 'These values are made up, two numbers a word.'
    : 'These are the first two numbers of each word’s value.';
