/**
 * exp and log out of additions, multiplications and divisions alone, which IEEE 754 rounds in one way everywhere. Math.exp and
 * Math.log may differ in the last bit from engine to engine, and then the same seed would not always give the same text.
 */

/** ln 2 in two parts; the first has few enough bits for its products with exponents to be exact. */
const LN2_HIGH = 0.6931471803691238, LN2_LOW = 1.9082149292705877e-10;

/** 2^−k. */
const HALVES = new Float64Array(1075);
HALVES[0] = 1;
for (let k = 1; k < HALVES.length; k++) HALVES[k] = HALVES[k - 1] / 2;

/** 1/k! */
const INVERSE_FACTORIALS = [1];
for (let k = 1; k <= 13; k++) INVERSE_FACTORIALS.push(INVERSE_FACTORIALS[k - 1] / k);

/** e^x for x ≤ 0, to within 2 ULP; 0 below −708, where the result would be subnormal. @param {number} x */
export function expNegative(x) {
  if (!(x > -708)) return x === x ? 0 : NaN;
  const k = Math.floor(x * 1.4426950408889634 + 0.5), r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = INVERSE_FACTORIALS[13];
  for (let i = 12; i >= 0; i--) sum = sum * r + INVERSE_FACTORIALS[i];
  return sum * HALVES[-k];
}

/** log x for finite x ≥ 1, as k·ln 2 + 2·artanh((m − 1)/(m + 1)) with x = 2^k·m. @param {number} x */
export function logAboveOne(x) {
  let k = 0, m = x;
  while (m > 1.4142135623730951) {
    m /= 2;
    k++;
  }
  const s = (m - 1) / (m + 1), square = s * s;
  let sum = 0;
  for (let i = 23; i > 0; i -= 2) sum = sum * square + 1 / i;
  return k * LN2_HIGH + (2 * s * sum + k * LN2_LOW);
}
