/** Numbers for operations, and a check of results with a bound for each element. */
import assert from 'node:assert/strict';
import { random } from '../random.js';

export const EPS = 2 ** -23;
export const U = 2 ** -24;
export const r = random(9);
export const numbers = (length, scale = 1) =>
  Float32Array.from({ length }, () => scale * r.normal());

/** The largest |got − want| / allowed. */
export function worst(got, want, allowed, name) {
  let max = 0;
  assert.equal(got.length, want.length, name);
  got.forEach((x, i) => {
    const ratio = Math.abs(x - want[i]) / allowed(i);
    assert.ok(
      ratio <= 1,
      `${name}[${i}] is ${x}, should be ${want[i]}: ${ratio} of what is allowed`,
    );
    max = Math.max(max, ratio);
  });
  return max;
}
