/** Filters for text and numbers. */
import { fixed, formatted } from './operators.js';
import { json, str } from './print.js';
import { SPACE, capitalized, linesOf, padded, replaced, strip, textOf, wholeOf } from './text.js';
import {
  Float,
  Markup,
  fail,
  isNumber,
  isText,
  isWhole,
  numberOf,
  truth,
  typeOf,
  unsupported,
  whole,
} from './values.js';

/** @typedef {import('./values.js').Value} Value */

/** @param {string} text @param {Record<string, Value>} given */
function indented(text, { width = 4, first = false, blank = false }) {
  const margin =
    typeof width === 'string' ? width : ' '.repeat(Math.max(0, wholeOf('width', width)));
  const [head = '', ...lines] = linesOf(`${text}\n`);
  const rest = lines.map((line) => (line || truth(blank) ? margin + line : line));
  return (truth(first) ? margin : '') + [head, ...rest].join('\n');
}

/** The text between spaces, dashes and opening brackets. */
const WORDS = new RegExp(`[^-${SPACE}({[<]+`, 'g');

/** @param {string} text */
const words = (text) =>
  text.replace(WORDS, (word) => {
    const [first] = word;
    return first.toUpperCase() + word.slice(first.length).toLowerCase();
  });

/** @param {Value} x @param {Record<string, Value>} given */
function toWhole(x, { default: other = 0, base = 10 }) {
  if (base !== 10) unsupported('the base of the filter int');
  if (x === undefined) fail('int of an undefined value');
  if (isNumber(x)) return Number.isFinite(numberOf(x)) ? whole(Math.trunc(numberOf(x))) : other;
  const number = isText(x) ? parsed(str(x)) : NaN;
  return Number.isFinite(number) ? whole(Math.trunc(number)) : other;
}

/** @param {Value} x @param {Record<string, Value>} given */
function toFloat(x, { default: other = new Float(0) }) {
  if (isNumber(x)) return new Float(numberOf(x));
  if (x === undefined) fail('float of an undefined value');
  const text = isText(x) ? strip(str(x), null).toLowerCase() : '';
  const special = /^([+-]?)(inf|infinity|nan)$/.exec(text);
  if (special)
    return new Float(special[2] === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity);
  const number = parsed(text);
  return Number.isNaN(number) ? other : new Float(number);
}

/** A number as Python reads it; NaN where it is none. @param {string} text */
function parsed(text) {
  const plain = strip(text, null);
  const form = /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/i;
  return form.test(plain) ? Number(plain.replaceAll('_', '')) : NaN;
}

/** @param {Value} x @param {Record<string, Value>} given */
function rounded(x, { precision = 0, method = 'common' }) {
  if (!isNumber(x)) return fail(`round needs a number, not ${typeOf(x)}`);
  const digits = wholeOf('precision', precision);
  if (digits < 0 || digits > 15) unsupported(`the filter round with a precision of ${digits}`);
  const value = numberOf(x);
  if (method === 'common')
    return isWhole(x) ? whole(value) : new Float(Number(fixed(value, digits)));
  const toward = { ceil: Math.ceil, floor: Math.floor }[textOf('method', method)];
  if (!toward) return fail('the method of round is none of common, ceil, floor');
  return new Float(toward(value * 10 ** digits) / 10 ** digits);
}

/** @param {Value} x @param {Record<string, Value>} given */
function toJson(x, { ensure_ascii: ascii = false, indent = null, separators, sort_keys: sorted }) {
  const margin = isWhole(indent) ? ' '.repeat(Math.max(0, Number(indent))) : indent;
  if (margin !== null) textOf('indent', margin);
  const [between, colon] = separators ?? [margin === null ? ', ' : ',', ': '];
  return json(x, {
    ascii: truth(ascii),
    indent: margin,
    separators: [textOf('a separator', between), textOf('a separator', colon)],
    sorted: truth(sorted),
  });
}

/** @param {string} text @param {Record<string, Value>} given */
function truncated(text, { length = 255, killwords = false, end = '...', leeway = 5 }) {
  const [all, mark] = [Array.from(text), textOf('end', end)];
  const limit = wholeOf('length', length);
  if (limit < mark.length) fail(`expected a length of at least ${mark.length}, got ${limit}`);
  if (all.length <= limit + wholeOf('leeway', leeway)) return text;
  const head = all.slice(0, limit - mark.length).join('');
  return (
    (truth(killwords) || !head.includes(' ') ? head : head.slice(0, head.lastIndexOf(' '))) + mark
  );
}

/**
 * Parameters, how many of them are required, and the function.
 * @type {Record<string, [string[], number, (x: Value, given: Record<string, Value>) => Value]>}
 */
export const TEXT_FILTERS = {
  abs: [
    [],
    0,
    (x) => {
      if (!isNumber(x)) return fail(`bad operand type for abs: '${typeOf(x)}'`);
      const value = Math.abs(numberOf(x));
      return x instanceof Float ? new Float(value) : value;
    },
  ],
  capitalize: [[], 0, (x) => capitalized(str(x))],
  center: [['width'], 0, (x, { width = 80 }) => padded(str(x), { width }, 'both')],
  float: [['default'], 0, toFloat],
  indent: [['width', 'first', 'blank'], 0, (x, given) => indented(textOf('indent', x), given)],
  int: [['default', 'base'], 0, toWhole],
  lower: [[], 0, (x) => str(x).toLowerCase()],
  replace: [
    ['old', 'new', 'count'],
    2,
    (x, given) => replaced(str(x), str(given.old), str(given.new), given.count),
  ],
  round: [['precision', 'method'], 0, rounded],
  safe: [[], 0, (x) => new Markup(str(x))],
  string: [[], 0, (x) => (x instanceof Markup ? x : str(x))],
  title: [[], 0, (x) => words(str(x))],
  tojson: [['ensure_ascii', 'indent', 'separators', 'sort_keys'], 0, toJson],
  trim: [['chars'], 0, (x, { chars }) => strip(str(x), chars)],
  truncate: [
    ['length', 'killwords', 'end', 'leeway'],
    0,
    (x, given) => truncated(textOf('truncate', x), given),
  ],
  upper: [[], 0, (x) => str(x).toUpperCase()],
  wordcount: [[], 0, (x) => str(x).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0],
};

/** @param {Value} x @param {Value[]} values */
export const format = (x, values) => formatted(str(x), values);
