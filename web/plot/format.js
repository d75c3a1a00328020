/** Numbers as text. Screens get few digits; `data-value` attributes get all of them. */

/**
 * 0.0213, 12.4, 3.1e−16; never longer than `digits` significant digits.
 * @param {number} x
 * @param {number} [digits]
 * @returns {string}
 */
export function short(x, digits = 3) {
  if (Number.isNaN(x)) return 'NaN';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const rounded = Number(size.toPrecision(digits));
  const text = size < 1e-3 || size >= 1e5 ? exponent(rounded.toExponential()) : String(rounded);
  return x < 0 ? `−${text}` : text;
}

/** The digits that a field of numbers has space for, with the point. */
const FITTING = 8;

/** A number as a field of numbers shows it: one that is too long is rounded. @param {number} x */
export function fitting(x) {
  const all = String(x);
  return all.length <= FITTING || Number.isInteger(x) ? all : String(Number(x.toPrecision(3)));
}

/** With a true minus sign, at which no line is broken. @param {string} text */
const exponent = (text) => text.replace('e+', 'e').replace('e-', 'e−');

/** 1.1e−16; an exact zero is 0. @param {number} x @param {number} [decimals] @returns {string} */
export function scientific(x, decimals = 1) {
  if (x === 0 || !Number.isFinite(x)) return short(x);
  return exponent(x.toExponential(decimals)).replace(/^-/, '−');
}

/**
 * A fixed number of decimals, for slots that must not change width.
 * @param {number} x
 * @param {number} decimals
 */
export function fixed(x, decimals) {
  if (!Number.isFinite(x)) return short(x);
  return x.toFixed(decimals).replace(/^-/, '−');
}

/** A count, as 1,024. @param {number} n */
export const whole = (n) => n.toLocaleString('en');

/** 1st, 2nd, 3rd… @param {number} n */
export function ordinal(n) {
  const tens = n % 100;
  const ones = n % 10;
  if (tens > 10 && tens < 14) return `${n}th`;
  return `${n}${ones === 1 ? 'st' : ones === 2 ? 'nd' : ones === 3 ? 'rd' : 'th'}`;
}

/** Powers of ten as 10⁻⁵. @param {number} exponent */
export function powerOfTen(exponent) {
  if (exponent === 0) return '1';
  return `10${String(exponent).replace(/./g, (c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)] ?? '⁻')}`;
}

/** Less than 0.01 in float32, which stands for it. */
const HUNDREDTH = 0.01 * (1 - 2 ** -20);

/** The part of a whole as “20 %”, never 0 % of something or 100 % of less. @param {number} p */
export function percent(p) {
  if (p > 0 && p < HUNDREDTH) return '< 1 %';
  if (p < 1 && p > 0.99) return '> 99 %';
  return `${Math.round(100 * p)} %`;
}

/** A weight in hundredths. A small one is never shown as 0. @param {number} p */
export const hundredths = (p) => (p > 0 && p < 0.005 ? '< 0.01' : fixed(p, 2));

/** “a”, “a and b”, or “a, b and c”. @param {readonly (string | number)[]} names */
export const listed = (names) =>
  names.length < 2 ? `${names[0] ?? ''}` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
