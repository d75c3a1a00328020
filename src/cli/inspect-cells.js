/** Numbers and tokens as the tables of clearhead inspect have them. */
import { shortened } from './columns.js';
import { harmless } from './model-file.js';

/** Columns of a token. */
export const WORD = 13;

/** A text in quotes. @param {string} text @param {number} width columns, at most */
export const quoted = (text, width) => shortened(harmless(JSON.stringify(text)), width);

/** A token in quotes. @param {string} text */
export const word = (text) => quoted(text, WORD);

/** With digits after the point, and a minus where they are not all zero. @param {number} x */
export function fixed(x, /** @type {number} */ digits) {
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) > 0 ? `−${text}` : text;
}

/** @param {number} x */
export const signed = (x) => fixed(x, 3).replace(/^\d/, '+$&');
