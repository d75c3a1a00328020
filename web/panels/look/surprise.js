/**
 * How surprising a token was: −log₂ of the chance that the model gave it, in bits. The chance is
 * that of the model's own logits, at sampling temperature 1. How boldly words are picked does not
 * act on it, and how focused the looks are does.
 */
import { fixed, percent, whole } from '../../plot/format.js';
import { pieceName } from './words.js';

/** @typedef {import('./writing/story.js').Story} Story */

/** Pixels of the line under a word, for each bit, and at most. */
const PER_BIT = 0.75;
const THICKEST = 8;

/**
 * The thickness of a line, in pixels. A word that was likelier than one half has none.
 * @param {number} bits or NaN
 */
export const lineOf = (bits) => (bits >= 1 ? Math.min(THICKEST, PER_BIT * bits) : 0);

/** A chance, which may be tiny: “12 %”, “1 in 260”. @param {number} p */
const chance = (p) => {
  const times = Number((1 / p).toPrecision(2));
  return p >= 0.01 ? percent(p) : `1 in ${times < 1e6 ? whole(times) : 'millions'}`;
};

/**
 * The chance that the model gave token i before it came, in parts as of a sentence. The words may
 * have been written at another temperature of the looks than that at which they are read.
 * @param {Story} story @param {number} i @param {number} [T]
 * @returns {(string | { strong: string, value?: number })[]}
 */
export function foretold(story, i, T = 1) {
  const bits = story.bits[i];
  if (Number.isNaN(bits)) return ['The text begins here, and nothing foretold it.'];
  const p = 2 ** -bits;
  return [
    `One step earlier,${T === 1 ? '' : ' at this temperature,'} the looks gave `,
    { strong: pieceName(story, i) },
    ' a chance of ',
    { strong: chance(p), value: p },
    '.',
  ];
}

/**
 * The same in bits, for readers who want to understand. Empty where nothing foretold the token.
 * @param {Story} story @param {number} i
 * @returns {(string | { strong: string, value?: number })[]}
 */
export function inBits(story, i) {
  const bits = story.bits[i];
  if (Number.isNaN(bits)) return [];
  return [
    ' This is a surprise of ',
    { strong: fixed(bits, 1), value: bits },
    ' bits, and a tossed coin has 1.',
  ];
}

/** The tokens with their surprise, for a file. @param {Story | undefined} story */
export const surprises = (story) =>
  story?.tokens.map(({ text }, i) => ({ word: text, bits: story.bits[i] }));
