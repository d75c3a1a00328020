/** Text as Python handles it: by code points, and with Python's white space. */
import { fail, isWhole, typeOf, unsupported } from './values.js';

/** @typedef {import('./values.js').Value} Value */

/** White space for Python, inside brackets of a regular expression. */
export const SPACE =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const ONE_SPACE = new RegExp(`[${SPACE}]`);
const LINES = /\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]/g;

/** @param {string} one character */
export const isSpace = (one) => ONE_SPACE.test(one);

/**
 * Without the characters of a set at its ends, or without white space.
 * @param {string} text
 * @param {Value} set
 * @param {'both' | 'left' | 'right'} [side]
 */
export function strip(text, set, side = 'both') {
  const isOf = set === undefined || set === null ? null : new Set(textOf('chars', set));
  const goes = (/** @type {string} */ one) => (isOf ? isOf.has(one) : isSpace(one));
  const characters = Array.from(text);
  let from = 0;
  let to = characters.length;
  if (side !== 'right') while (from < to && goes(characters[from])) from++;
  if (side !== 'left') while (to > from && goes(characters[to - 1])) to--;
  return characters.slice(from, to).join('');
}

/** @param {string} name @param {Value} x @returns {string} */
export function textOf(name, x) {
  return typeof x === 'string' ? x : fail(`${name} is of type ${typeOf(x)}; expected str`);
}

/** @param {string} name @param {Value} x @returns {number} */
export function wholeOf(name, x) {
  return isWhole(x) ? Number(x) : fail(`${name} is of type ${typeOf(x)}; expected int`);
}

/** The letter at the beginning of a word. @param {string} one */
function titleCase(one) {
  if (/[\u10d0-\u10ff]/.test(one)) return one; // Georgian has none
  const upper = one.toUpperCase();
  if (/[\u01c4-\u01cc\u01f1-\u01f3]/.test(one) || Array.from(upper).length > 1)
    unsupported('a capital of this letter');
  return upper;
}

/** @param {string} text */
export const capitalized = (text) => {
  const [first = ''] = text;
  // the letters before it decide about a small sigma
  return titleCase(first) + text.toLowerCase().slice(first.toLowerCase().length);
};

/** @param {string} text @param {string} from @param {string} to @param {Value} count */
export function replaced(text, from, to, count) {
  const limit = count === undefined || count === null ? -1 : wholeOf('count', count);
  if (limit < 0 && from) return text.replaceAll(from, () => to);
  const parts = from ? text.split(from) : ['', ...Array.from(text), ''];
  const cuts = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  const done = parts.slice(0, cuts + 1).join(to);
  return [done, ...parts.slice(cuts + 1)].join(from);
}

/** @param {string} text @param {boolean} keep the ends of lines */
export function linesOf(text, keep = false) {
  /** @type {string[]} */
  const lines = [];
  let at = 0;
  for (const { 0: end, index } of text.matchAll(LINES)) {
    lines.push(text.slice(at, keep ? index + end.length : index));
    at = index + end.length;
  }
  return at < text.length ? [...lines, text.slice(at)] : lines;
}

/**
 * @param {string} text
 * @param {Record<string, Value>} given
 * @param {'left' | 'right' | 'both'} side to which space is added
 */
export function padded(text, { width, fill = ' ' }, side) {
  const missing = wholeOf('width', width) - Array.from(text).length;
  if (Array.from(textOf('fillchar', fill)).length !== 1)
    fail('the fill character must be exactly one character long');
  if (missing <= 0) return text;
  // where the two sides differ by one, Python looks at the width
  const half = Math.floor(missing / 2) + (missing & Number(width) & 1);
  const before = { left: missing, right: 0, both: half }[side];
  return fill.repeat(before) + text + fill.repeat(missing - before);
}

/**
 * Whether letters are all of one case; there is one at least.
 * @param {string} text
 * @param {RegExp} some
 * @param {RegExp} none
 */
const cased = (text, some, none) => some.test(text) && !none.test(text);
export const isLower = (/** @type {string} */ text) =>
  cased(text, /\p{Lowercase}/u, /[\p{Uppercase}\p{Lt}]/u);
export const isUpper = (/** @type {string} */ text) =>
  cased(text, /\p{Uppercase}/u, /[\p{Lowercase}\p{Lt}]/u);
