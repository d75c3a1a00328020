/**
 * exp and log out of additions, multiplications and divisions alone, which IEEE 754 rounds in one
 * way everywhere. Math.exp and Math.log may differ in the last bit from engine to engine, and then
 * the same seed would not always give the same text.
 */

/** ln 2 in two parts; the first has few enough bits for its products with exponents to be exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

/** 2^−k. */
const HALVES = new Float64Array(1075);
HALVES[0] = 1;
for (let k = 1; k < HALVES.length; k++) HALVES[k] = HALVES[k - 1] / 2;

/** 1/2!, 1/3!, … */
const C2 = 1 / 2;
const C3 = 1 / 6;
const C4 = 1 / 24;
const C5 = 1 / 120;
const C6 = 1 / 720;
const C7 = 1 / 5040;
const C8 = 1 / 40320;
const C9 = 1 / 362880;
const C10 = 1 / 3628800;
const C11 = 1 / 39916800;
const C12 = 1 / 479001600;
const C13 = 1 / 6227020800;

/**
 * e^x for x ≤ 0, to within 2 ULP; 0 below −708, where the result would be subnormal.
 * @param {number} x
 */
export function expNegative(x) {
  if (!(x > -708)) return x === x ? 0 : NaN;
  const k = Math.floor(x * 1.4426950408889634 + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  const r2 = r * r;
  const r4 = r2 * r2;
  // in pairs, so that no multiplication waits for all those before it
  const high = C8 + C9 * r + r2 * (C10 + C11 * r) + r4 * (C12 + C13 * r);
  const middle = C4 + C5 * r + r2 * (C6 + C7 * r);
  // an integer for the engine, where −k may be −0
  return (1 + (r + (r2 * (C2 + C3 * r) + r4 * (middle + r4 * high)))) * HALVES[~~-k];
}

/**
 * log x for finite x ≥ 1, as k·ln 2 + 2·artanh((m − 1)/(m + 1)) with x = 2^k·m.
 * @param {number} x
 */
export function logAboveOne(x) {
  let k = 0;
  let m = x;
  while (m > 1.4142135623730951) {
    m /= 2;
    k++;
  }
  const s = (m - 1) / (m + 1);
  const square = s * s;
  let sum = 0;
  for (let i = 23; i > 0; i -= 2) sum = sum * square + 1 / i;
  return k * LN2_HIGH + (2 * s * sum + k * LN2_LOW);
}
