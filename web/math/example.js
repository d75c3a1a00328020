/** The row that the panels start from, until a reader sends them one of the model. */

/**
 * @typedef {object} Example
 * @property {string[]} words
 * @property {Float64Array} scores
 * @property {number[]} places of the keys in their row, none for keys of our own
 * @property {boolean} own
 */

/** A name, a noun and a pronoun stand out, as they do in a story. */
const WORDS = ['Lily', 'saw', 'a', 'red', 'ball', 'She'];

/**
 * The circle of “one look”: directions in degrees, and the temperature. The other panels start with
 * its scores and shares. `budget` is the part of the largest budget that is spent on these shares.
 */
export const CIRCLE = Object.freeze({
  T: 0.22,
  query: 38,
  keys: Object.freeze([12, 165, 235, 310, 100, 58]),
  budget: 0.400434033,
});
/** The dot products of unit vectors, over √2. */
const SCORES = CIRCLE.keys.map(
  (key) => Math.cos(((key - CIRCLE.query) * Math.PI) / 180) / Math.SQRT2,
);

/**
 * The keys of a row with the largest scores, in the order of the text. Without a row, or where it
 * has too few, keys of our own.
 * @param {import('../page/row.js').Row | undefined} row
 * @param {import('../page/row.js').Keys} [keys]
 * @returns {Example}
 */
export function exampleOf(row, { minKeys, maxKeys } = { minKeys: 2, maxKeys: 6 }) {
  if (!row || row.scores.length < minKeys) {
    return {
      words: WORDS.slice(-maxKeys),
      scores: Float64Array.from(SCORES.slice(-maxKeys)),
      places: [],
      own: true,
    };
  }
  const places = Array.from(row.scores, (_, j) => j)
    .sort((a, b) => row.scores[b] - row.scores[a])
    .slice(0, maxKeys)
    .sort((a, b) => a - b);
  const word = (/** @type {number} */ j) => row.words[j]?.trim() || (j ? `key ${j}` : 'start');
  return {
    words: places.map(word),
    scores: Float64Array.from(places, (j) => row.scores[j]),
    places,
    own: false,
  };
}

/** Positive numbers that add up to 1. @param {Float64Array} numbers */
export function shares(numbers) {
  const total = numbers.reduce((sum, x) => sum + x, 0);
  return numbers.map((x) => x / total);
}

/**
 * Uniform numbers in (0, 1), the same for a seed in every browser.
 * @param {number} seed
 */
export function uniforms(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}
