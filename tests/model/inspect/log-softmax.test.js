/** Logarithms of probabilities, at the edges of the numbers too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divergence, logProbabilities } from '../../../src/js/model/inspect/log-softmax.js';

test('logits that are all large or all small have the probabilities of their differences', () => {
  for (const shift of [0, 1e6, -1e6]) {
    const got = logProbabilities(Float32Array.of(shift + 1, shift, shift - 2));
    const want = Math.log(Math.E + 1 + Math.E ** -2);
    const near = (x, id) => Math.abs(got[id] - (x - want)) < 1e-9; // 2^-52 of 10^6
    assert.ok([1, 0, -2].every(near), `${got}`);
  }
});

test('a token that both exclude adds nothing to their divergence', () => {
  const p = logProbabilities(Float32Array.of(1, 0, -Infinity, -2000));
  const q = logProbabilities(Float32Array.of(0, 0, -Infinity, -Infinity));
  const [a, b] = [Math.E / (Math.E + 1), 1 / (Math.E + 1)];
  const want = a * Math.log(2 * a) + b * Math.log(2 * b);
  assert.ok(Math.abs(divergence(p, q) - want) < 1e-12, `${divergence(p, q)}`);
});

test('a token that only the second excludes makes the divergence infinite', () => {
  const p = logProbabilities(Float32Array.of(1, 0));
  const q = logProbabilities(Float32Array.of(0, -Infinity));
  assert.equal(divergence(p, q), Infinity);
});
