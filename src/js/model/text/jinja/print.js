/** Values as text: as Python prints them, and as JSON. */
import {
  Float,
  Markup,
  Namespace,
  Range,
  Tuple,
  View,
  compare,
  fail,
  typeOf,
  unsupported,
} from './values.js';

/** @typedef {import('./values.js').Value} Value */

/** The text of a value. @param {Value} x @returns {string} */
export function str(x) {
  if (typeof x === 'string') return x;
  if (x === undefined) return '';
  return x instanceof Markup ? x.text : repr(x);
}

/** A value as it would be written in a program. @param {Value} x @returns {string} */
export function repr(x) {
  if (x === undefined) return 'Undefined';
  if (x === null) return 'None';
  if (typeof x === 'string') return quoted(x);
  if (typeof x === 'boolean') return x ? 'True' : 'False';
  if (typeof x === 'number') return String(x);
  if (x instanceof Float) return decimal(x.value, { inf: 'inf', nan: 'nan' });
  if (x instanceof Map) return dict(x);
  if (x instanceof Namespace) return `<Namespace ${dict(x.attributes)}>`;
  if (x instanceof View) return `${x.name}([${x.items.map(repr).join(', ')}])`;
  if (!Array.isArray(x) || x instanceof Range) return unsupported(`printing a ${typeOf(x)}`);
  const inner = Array.from(x, repr).join(', ');
  return x instanceof Tuple ? `(${inner}${x.length === 1 ? ',' : ''})` : `[${inner}]`;
}

/** @param {Map<Value, Value>} x */
const dict = (x) => `{${[...x].map(([name, one]) => `${repr(name)}: ${repr(one)}`).join(', ')}}`;

/** @type {Record<string, string>} */
const ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** @param {string} text */
function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\p{C}\p{Z}\\'"]/gu, (one) => {
    if (one === ' ') return one;
    if (one === "'" || one === '"') return one === quote ? `\\${one}` : one;
    const code = /** @type {number} */ (one.codePointAt(0));
    const hex = (/** @type {number} */ n) => code.toString(16).padStart(n, '0');
    const escaped = code < 256 ? `\\x${hex(2)}` : code < 65536 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
    return ESCAPES[one] ?? escaped;
  });
  return quote + inner + quote;
}

/**
 * The shortest digits that give the number back, with an exponent where Python writes one.
 * @param {number} x
 * @param {{ inf: string, nan: string }} names
 */
function decimal(x, { inf, nan }) {
  if (Number.isNaN(x)) return nan;
  if (!Number.isFinite(x)) return x < 0 ? `-${inf}` : inf;
  if (Object.is(x, -0)) return '-0.0';
  const [digits, power] = x.toExponential().split('e');
  const exponent = Number(power);
  if (x !== 0 && (exponent < -4 || exponent >= 16))
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  if (exponent < 0) return x.toFixed(digits.replace(/\D/g, '').length - 1 - exponent);
  return Number.isInteger(x) ? `${x}.0` : String(x);
}

/**
 * @typedef {object} Layout
 * @property {boolean} ascii whether other characters are escaped
 * @property {string | null} indent of a level; null: all in one line
 * @property {[string, string]} separators between items, and after keys
 * @property {boolean} sorted by keys
 *
 * @param {Value} x
 * @param {Layout} layout
 * @param {string} [margin]
 * @returns {string}
 */
export function json(x, layout, margin = '\n') {
  const text = x instanceof Markup ? x.text : x;
  if (text === null || typeof text === 'boolean') return String(text);
  if (typeof text === 'number') return String(text);
  if (typeof text === 'string') return jsonText(text, layout.ascii);
  if (x instanceof Float) return decimal(x.value, { inf: 'Infinity', nan: 'NaN' });
  const isDict = x instanceof Map;
  if ((!isDict && !Array.isArray(x)) || x instanceof Range)
    fail(`Object of type ${typeOf(x)} is not JSON serializable`);
  const deeper = margin + (layout.indent ?? '');
  const [between, colon] = layout.separators;
  const parts = isDict
    ? entriesOf(x, layout.sorted).map(([name, one]) => {
        const key = typeof name === 'string' ? name : json(name, layout);
        return jsonText(key, layout.ascii) + colon + json(one, layout, deeper);
      })
    : Array.from(x, (one) => json(one, layout, deeper));
  const [open, close] = isDict ? '{}' : '[]';
  if (layout.indent === null || !parts.length) return open + parts.join(between) + close;
  return open + deeper + parts.join(between + deeper) + margin + close;
}

/** @param {Map<Value, Value>} x @param {boolean} sorted */
const entriesOf = (x, sorted) => (sorted ? [...x].sort(([a], [b]) => compare(a, b)) : [...x]);

/** @param {string} text @param {boolean} ascii */
function jsonText(text, ascii) {
  const plain = JSON.stringify(text);
  if (!ascii) return plain;
  return plain.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
