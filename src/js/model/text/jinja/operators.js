/** Arithmetic, comparisons and joins, as Python has them. */
import { repr, str } from './print.js';
import {
  Float,
  Markup,
  Range,
  Tuple,
  compare,
  contains,
  equal,
  fail,
  isNumber,
  isWhole,
  numberOf,
  typeOf,
  unsupported,
  whole,
} from './values.js';

/** @typedef {import('./values.js').Value} Value */

/** The remainder has the sign of the divisor. @param {number} a @param {number} b */
function remainder(a, b) {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 === b < 0 ? rest : rest + b;
}

/** As in float_floor_div of Python's floatobject.c. @param {number} a @param {number} b */
function floorDivide(a, b) {
  const quotient = (a - (a % b)) / b - Number(a % b !== 0 && a % b < 0 !== b < 0);
  const floor = Math.floor(quotient);
  return quotient === 0 ? (a / b < 0 ? -0 : 0) : floor + Number(quotient - floor > 0.5);
}

/** Those that are exact; others depend on the mathematical library. @type {typeof remainder} */
function power(a, b) {
  if (a === 0 && b < 0) fail('0 cannot be raised to a negative power');
  if (Number.isInteger(b) && Number.isInteger(Math.log2(Math.abs(a))))
    return Number.isFinite(a ** b) ? a ** b : fail('a power is too large');
  if (b === 2) return a * a;
  if (!Number.isInteger(a) || !Number.isInteger(b) || b < 0) unsupported('a power with a fraction');
  let result = 1;
  for (let i = 0; i < b && a !== 0 && Number.isSafeInteger(result); i++) result *= a;
  return b > 0 && a === 0 ? 0 : whole(result);
}

/** @type {Record<string, (a: number, b: number) => number>} */
const ARITHMETIC = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': floorDivide,
  '%': remainder,
  '**': power,
};

/** @type {Record<string, (a: Value, b: Value) => boolean>} */
export const COMPARISONS = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => compare(a, b) < 0,
  '>': (a, b) => compare(a, b) > 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>=': (a, b) => compare(a, b) >= 0,
  in: contains,
  'not in': (a, b) => !contains(a, b),
};

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

/** @param {Value} x */
const isText = (x) => typeof x === 'string' || x instanceof Markup;

/** A text as it joins one from the filter `safe`. @param {Value} x @returns {string} */
const escaped = (x) =>
  x instanceof Markup ? x.text : str(x).replace(/[&<>'"]/g, (one) => ENTITIES[one]);

/** @param {string} operator @param {Value} a @param {Value} b @returns {Value} */
export function binary(operator, a, b) {
  if (operator === '~') return str(a) + str(b);
  if (Object.hasOwn(COMPARISONS, operator)) return COMPARISONS[operator](a, b);
  if (isNumber(a) && isNumber(b)) return arithmetic(operator, a, b);
  if (operator === '+' && isText(a) && isText(b) && (a instanceof Markup || b instanceof Markup))
    return new Markup(escaped(a) + escaped(b));
  if (a instanceof Markup || b instanceof Markup)
    return unsupported(`${operator} with text from the filter safe`);
  if (operator === '+') return joined(a, b);
  if (operator === '*' && isWhole(a) !== isWhole(b)) return repeated(a, b);
  if (operator === '%' && typeof a === 'string')
    return formatted(a, b instanceof Tuple ? Array.from(b) : [b]);
  return noOperation(operator, a, b);
}

/** @param {string} operator @param {Value} a @param {Value} b @returns {never} */
const noOperation = (operator, a, b) =>
  fail(`unsupported operand types for ${operator}: '${typeOf(a)}' and '${typeOf(b)}'`);

/**
 * @param {string} operator
 * @param {number | boolean | Float} x
 * @param {number | boolean | Float} y
 */
function arithmetic(operator, x, y) {
  const [a, b] = [numberOf(x), numberOf(y)];
  if (b === 0 && /^(\/\/?|%)$/.test(operator)) fail('division by zero');
  const result = ARITHMETIC[operator](a, b);
  const isFloat =
    x instanceof Float || y instanceof Float || operator === '/' || (operator === '**' && b < 0);
  return isFloat ? new Float(result) : whole(result);
}

/** @param {Value} a @param {Value} b */
function joined(a, b) {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof Tuple && b instanceof Tuple) return Tuple.from([...a, ...b]);
  if (typeOf(a) === 'list' && typeOf(b) === 'list') return [...a, ...b];
  return noOperation('+', a, b);
}

/** @param {Value} a @param {Value} b one of which is a whole number */
function repeated(a, b) {
  const [text, times] = isWhole(a) ? [b, a] : [a, b];
  const count = Math.max(0, Number(times));
  if (typeof text === 'string') return text.repeat(count);
  if (!Array.isArray(text) || text instanceof Range) return noOperation('*', a, b);
  const all = Array.from({ length: count }, () => Array.from(text)).flat();
  return text instanceof Tuple ? Tuple.from(all) : all;
}

/** @param {string} operator @param {Value} x */
export function signed(operator, x) {
  if (!isNumber(x)) return fail(`bad operand type for unary ${operator}: '${typeOf(x)}'`);
  const value = operator === '-' ? -numberOf(x) : numberOf(x);
  return x instanceof Float ? new Float(value) : whole(value);
}

/**
 * The operator % on text, with the conversions that templates use.
 * @param {string} format
 * @param {Value[]} values
 */
export function formatted(format, values) {
  let at = 0;
  const next = () =>
    at < values.length ? values[at++] : fail('not enough arguments for format string');
  const text = format.replace(/%(%|[^%a-zA-Z]*[a-zA-Z]?)/g, (all, how) => {
    if (how === '%') return '%';
    if (how === 's') return str(next());
    if (how === 'r') return repr(next());
    const digits = /^(?:\.(\d{1,2}))?f$/.exec(how);
    if (how !== 'd' && how !== 'i' && !digits) unsupported(`the conversion "${all}"`);
    const x = next();
    if (!isNumber(x)) return fail(`%${how} needs a number, not ${typeOf(x)}`);
    return digits
      ? fixed(numberOf(x), Number(digits[1] ?? 6))
      : String(whole(Math.trunc(numberOf(x))));
  });
  if (at < values.length && !(values.length === 1 && /^(dict|list)$/.test(typeOf(values[0]))))
    fail('not all arguments converted during string formatting');
  return text;
}

/**
 * A number with these digits after the point. Of two that are equally near the even one is taken.
 * @param {number} x
 * @param {number} digits
 */
export function fixed(x, digits) {
  if (!Number.isFinite(x) || Math.abs(x) >= 1e21)
    return unsupported('rounding a number this large');
  const up = x.toFixed(digits);
  // all digits of the number show whether it lies in the middle
  const exact = Math.abs(x).toFixed(100);
  const rest = exact.slice(exact.indexOf('.') + 1 + digits);
  if (!/^50*$/.test(rest) || /[02468]$/.test(up)) return up;
  return (Number(up) - Math.sign(x) * 10 ** -digits).toFixed(digits);
}
