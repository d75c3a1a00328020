/** Assertions that results keep the error rule of limits.js. */
import assert from 'node:assert/strict';
import { compare, precisions } from './limits.js';
import { reference } from './reference.js';

/** The results beside the output that have a rule of their own. */
export const all = { weights: true, lse: true, stats: true };
export const types = { float32: Float32Array, float64: Float64Array };

/**
 * `result` is within the rule of the reference for `call`; returns the largest share of a limit
 * that was used.
 */
export function within(result, { q, k, v, options }, precision, spike, name) {
  let max = 0;
  for (const { what, ratio, at, got, want } of compare(
    result,
    reference(q, k, v, options, precisions[precision].tiny),
    precision,
    spike,
  )) {
    assert.ok(
      ratio <= 1,
      `${name}: ${what}[${at}] is ${got}, should be ${want}: ${ratio} of the limit`,
    );
    max = Math.max(max, ratio);
  }
  return max;
}

/**
 * Runs a call of one head and holds all of it to the rule; returns the result, with `worst`, the
 * share used.
 */
export function checkedCall(ch, q, k, v, options, precision, name, spike = false) {
  const result = ch.attention(q, k, v, { ...options, want: all });
  return { ...result, worst: within(result, { q, k, v, options }, precision, spike, name) };
}
