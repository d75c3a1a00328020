/** The methods of text. */
import { callable, positional } from './arguments.js';
import { str } from './print.js';
import {
  SPACE,
  capitalized,
  isLower,
  isUpper,
  linesOf,
  padded,
  replaced,
  strip,
  textOf,
  wholeOf,
} from './text.js';
import { Callable, Tuple, elements, fail, truth, unsupported } from './values.js';

/** @typedef {import('./values.js').Value} Value */

const WORDS = new RegExp(`[^${SPACE}]+`, 'g');
const ONLY_SPACE = new RegExp(`^[${SPACE}]+$`);

/**
 * @param {string} text
 * @param {Value} separator
 * @param {Value} limit of cuts
 * @param {boolean} fromEnd
 */
function split(text, separator, limit, fromEnd) {
  const cuts = limit === undefined ? -1 : wholeOf('maxsplit', limit);
  if (separator === undefined || separator === null) return splitAtSpace(text, cuts, fromEnd);
  if (textOf('sep', separator) === '') fail('empty separator');
  const parts = text.split(separator);
  if (cuts < 0 || parts.length <= cuts + 1) return parts;
  return fromEnd
    ? [parts.slice(0, parts.length - cuts).join(separator), ...parts.slice(parts.length - cuts)]
    : [...parts.slice(0, cuts), parts.slice(cuts).join(separator)];
}

/** @param {string} text @param {number} cuts @param {boolean} fromEnd */
function splitAtSpace(text, cuts, fromEnd) {
  const words = [...text.matchAll(WORDS)];
  const all = words.map(([word]) => word);
  if (cuts < 0 || words.length <= cuts) return all;
  if (!fromEnd) {
    const rest = words[cuts];
    return rest ? [...all.slice(0, cuts), strip(text.slice(rest.index), null, 'left')] : all;
  }
  const last = words[words.length - 1 - cuts];
  const end = last.index + last[0].length;
  return [text.slice(0, end), ...all.slice(words.length - cuts)];
}

/** @param {string} text @param {Value} separator @param {boolean} fromEnd */
function partition(text, separator, fromEnd) {
  if (textOf('sep', separator) === '') fail('empty separator');
  const at = fromEnd ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at < 0) return Tuple.from(fromEnd ? ['', '', text] : [text, '', '']);
  return Tuple.from([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

/** @param {string} text @param {Record<string, Value>} given @param {boolean} end */
function hasEdge(text, { affix, start, stop }, end) {
  if (start !== undefined || stop !== undefined) unsupported('startswith or endswith in a range');
  const all = affix instanceof Tuple ? Array.from(affix) : [affix];
  return all.some((one) =>
    end ? text.endsWith(textOf('suffix', one)) : text.startsWith(textOf('prefix', one)),
  );
}

/**
 * @param {string} text
 * @param {Record<string, Value>} given
 * @param {'indexOf' | 'lastIndexOf'} f
 */
function find(text, { sub, start, stop }, f) {
  const all = Array.from(text);
  const clip = (/** @type {Value} */ at, /** @type {number} */ otherwise) =>
    at === undefined || at === null
      ? otherwise
      : Math.min(all.length, Math.max(0, wholeOf('start', at) + (at < 0 ? all.length : 0)));
  const from = clip(start, 0);
  const to = clip(stop, all.length);
  if (start > all.length || from > to) return -1;
  const piece = all.slice(from, to).join('');
  const at = piece[f](textOf('sub', sub));
  return at < 0 ? -1 : from + Array.from(piece.slice(0, at)).length;
}

/** @param {string} text */
const titled = (text) =>
  /\u03a3/.test(text)
    ? unsupported('the title of a text with a sigma')
    : text.replace(/\p{Cased}+/gu, (word) => capitalized(word));

/** @param {string} text @param {Record<string, Value>} given */
function zeros(text, { width }) {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const missing = wholeOf('width', width) - Array.from(text).length;
  return sign + '0'.repeat(Math.max(0, missing)) + text.slice(sign.length);
}

/**
 * Methods: parameters, how many of them are required, and the function.
 * @type {Record<string, [string[], number, (text: string, given: Record<string, Value>) => Value]>}
 */
const METHODS = {
  upper: [[], 0, (s) => s.toUpperCase()],
  lower: [[], 0, (s) => s.toLowerCase()],
  capitalize: [[], 0, capitalized],
  title: [[], 0, titled],
  strip: [['chars'], 0, (s, { chars }) => strip(s, chars)],
  lstrip: [['chars'], 0, (s, { chars }) => strip(s, chars, 'left')],
  rstrip: [['chars'], 0, (s, { chars }) => strip(s, chars, 'right')],
  startswith: [['affix', 'start', 'stop'], 1, (s, given) => hasEdge(s, given, false)],
  endswith: [['affix', 'start', 'stop'], 1, (s, given) => hasEdge(s, given, true)],
  split: [['sep', 'maxsplit'], 0, (s, { sep, maxsplit }) => split(s, sep, maxsplit, false)],
  rsplit: [['sep', 'maxsplit'], 0, (s, { sep, maxsplit }) => split(s, sep, maxsplit, true)],
  splitlines: [['keepends'], 0, (s, { keepends }) => linesOf(s, truth(keepends))],
  partition: [['sep'], 1, (s, { sep }) => partition(s, sep, false)],
  rpartition: [['sep'], 1, (s, { sep }) => partition(s, sep, true)],
  replace: [
    ['old', 'new', 'count'],
    2,
    (s, given) => replaced(s, textOf('old', given.old), textOf('new', given.new), given.count),
  ],
  find: [['sub', 'start', 'stop'], 1, (s, given) => find(s, given, 'indexOf')],
  rfind: [['sub', 'start', 'stop'], 1, (s, given) => find(s, given, 'lastIndexOf')],
  index: [['sub', 'start', 'stop'], 1, (s, given) => found(find(s, given, 'indexOf'))],
  rindex: [['sub', 'start', 'stop'], 1, (s, given) => found(find(s, given, 'lastIndexOf'))],
  count: [
    ['sub'],
    1,
    (s, { sub }) => (textOf('sub', sub) ? s.split(sub).length - 1 : Array.from(s).length + 1),
  ],
  join: [
    ['iterable'],
    1,
    (s, { iterable }) =>
      Array.from(elements(iterable), (one) => textOf('an item of join', one)).join(s),
  ],
  removeprefix: [
    ['prefix'],
    1,
    (s, { prefix }) => (s.startsWith(textOf('prefix', prefix)) ? s.slice(prefix.length) : s),
  ],
  removesuffix: [
    ['suffix'],
    1,
    (s, { suffix }) =>
      textOf('suffix', suffix) && s.endsWith(suffix) ? s.slice(0, -suffix.length) : s,
  ],
  center: [['width', 'fill'], 1, (s, given) => padded(s, given, 'both')],
  ljust: [['width', 'fill'], 1, (s, given) => padded(s, given, 'right')],
  rjust: [['width', 'fill'], 1, (s, given) => padded(s, given, 'left')],
  zfill: [['width'], 1, zeros],
  isspace: [[], 0, (s) => ONLY_SPACE.test(s)],
  isalpha: [[], 0, (s) => /^\p{L}+$/u.test(s)],
  isdigit: [[], 0, (s) => plainly(s, /^[0-9]+$/)],
  isdecimal: [[], 0, (s) => plainly(s, /^[0-9]+$/)],
  isnumeric: [[], 0, (s) => plainly(s, /^[0-9]+$/)],
  isalnum: [[], 0, (s) => plainly(s, /^[0-9\p{L}]+$/u)],
  isascii: [[], 0, (s) => !/[^\0-\x7f]/.test(s)],
  islower: [[], 0, isLower],
  isupper: [[], 0, isUpper],
};

/** Digits outside ASCII are of several kinds. @param {string} text @param {RegExp} form */
const plainly = (text, form) =>
  /(?![0-9])\p{N}/u.test(text) ? unsupported('a test for digits outside ASCII') : form.test(text);

/** @param {number} at */
const found = (at) => (at < 0 ? fail('substring not found') : at);

/** Those whose arguments may be given by name. */
const BY_NAME = new Set(['split', 'rsplit', 'splitlines']);

/**
 * The text with values in place of {}, {0} or {name}.
 * @param {string} text
 * @param {Value[]} args
 * @param {Map<string, Value>} named
 */
function fields(text, args, named) {
  let next = 0;
  const plain = text.replace(/\{\{|\}\}/g, '');
  if (/\{\}/.test(plain) && /\{\d/.test(plain)) unsupported('str.format with {} and {0}');
  return text.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (all, name) => {
    if (name === undefined) return all.length === 2 ? all[0] : fail(`a single "${all}" in format`);
    if (!/^\w*$/.test(name)) unsupported(`the field "${all}" of str.format`);
    const at = name === '' ? next++ : Number(name);
    if (Number.isInteger(at) ? at >= args.length : !named.has(name))
      fail(`str.format is not given "${all}"`);
    return str(Number.isInteger(at) ? args[at] : named.get(name));
  });
}

/** Methods of Python that are not here. */
const OTHERS = new Set(
  (
    'casefold encode expandtabs format_map isidentifier isprintable istitle maketrans ' +
    'swapcase translate'
  ).split(' '),
);

/** @param {string} text @param {string} name @returns {Value} */
export function methodOfText(text, name) {
  if (name === 'format')
    return new Callable('str.format', (args, named) => fields(text, args, named));
  if (OTHERS.has(name)) unsupported(`the method str.${name}`);
  if (!Object.hasOwn(METHODS, name)) return undefined;
  const [names, required, f] = METHODS[name];
  const how = BY_NAME.has(name) ? callable : positional;
  return how(`str.${name}`, names, required, (given) => f(text, given));
}
