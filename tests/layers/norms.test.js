/** Norms and activations against float64. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { gelu, geluTanh, layerNorm, rmsNorm, silu } from '../support/layers/operations-textbook.js';
import { EPS, numbers, worst } from '../support/layers/operations.js';

/** Rows of some sizes and scales, with weights, biases and an ε. A variance of 0 divides by 0. */
function* normCases() {
  for (const size of [1, 2, 3, 4, 5, 8, 63, 64, 577])
    for (const [scale, shift] of [
      [1, 0],
      [1e-20, 0],
      [1e18, 0],
      [1, 1000],
    ]) {
      const x = numbers(3 * size, scale).map((v) => v + shift);
      const [w, b] = [numbers(size), numbers(size)];
      for (const epsilon of size === 1 ? [1e-5] : [0, 1e-5])
        yield { size, x, w, b, epsilon, name: `${size} ${scale} ${shift}` };
    }
}

/**
 * Half a unit in the last place, or half the smallest float. `part` is the rounding of double,
 * which a mean may magnify.
 */
const near =
  (want, part = 0) =>
  (i) =>
    0.5 * EPS * Math.abs(want[i]) * 1.001 + part + 2 ** -149;

/** Numbers around 0, in the tails and beyond them. */
const inputs = Float32Array.from([
  ...Array.from({ length: 40001 }, (_, i) => (i - 20000) / 1400),
  ...numbers(5000, 5),
  ...[0, -0, 1e-30, -1e-30, 1e-45, 50, -50, 86, -86, 200, -200, 3e38, -3e38],
]);
/** A result of exp that may be 0, times x. */
const FLUSHED = 2 ** -126;

/**
 * Each activation: its definition, the units of its tolerance, and how it is called. The errors are
 * those of exp and of the operations after it. The exponent of the GELUs is rounded as well, and
 * its size multiplies that error.
 */
const activations = {
  silu: [silu, () => 4, (ch, x, o) => ch.silu(x, o), (ch, x, up) => ch.swiglu(x, up)],
  gelu: [gelu, () => 6, (ch, x, o) => ch.gelu(x, o), (ch, x, up) => ch.geglu(x, up)],
  tanh: [
    geluTanh,
    (v) => 4 + (v < 0 ? 3 * Math.abs(1.6 * v + 0.0714 * v ** 3) : 0),
    (ch, x, o) => ch.gelu(x, { ...o, approximate: 'tanh' }),
    (ch, x, up) => ch.geglu(x, up, { approximate: 'tanh' }),
  ],
};

for (const { variant, ch } of engines) {
  test(`RMS norms are within one rounding of float64 (${variant})`, (t) => {
    let max = 0;
    for (const { size, x, w, epsilon } of normCases()) {
      const rms = rmsNorm(x, size, epsilon, (c) => w[c]);
      const plus = rmsNorm(x, size, epsilon, (c) => 1 + w[c]);
      max = Math.max(
        max,
        worst(ch.rmsNorm(x, w, { epsilon }), rms, near(rms), 'rms'),
        worst(ch.rmsNorm(x, w, { epsilon, onePlus: true }), plus, near(plus), 'one plus'),
      );
    }
    t.diagnostic(`worst RMSNorm error ${max.toFixed(3)} of half a unit in the last place`);
  });

  test(`layer norms are within one rounding of float64 (${variant})`, () => {
    for (const { size, x, w, b, epsilon, name } of normCases()) {
      const weight = (c) => w[c];
      const bias = (c) => b[c];
      const want = layerNorm(x, size, epsilon, weight, bias);
      worst(ch.layerNorm(x, w, b, { epsilon }), want, near(want, 1e-9), name);
    }
  });

  test(`an RMS norm without a scale has the bits of a scale of ones (${variant})`, () => {
    for (const { size, x, epsilon, name } of normCases()) {
      const ones = new Float32Array(size).fill(1);
      const got = ch.rmsNorm(x, undefined, { epsilon, size });
      sameArray(got, ch.rmsNorm(x, ones, { epsilon }), name);
    }
  });

  for (const [name, [f, units, run, gated]] of Object.entries(activations)) {
    test(`${name} keeps its relative accuracy, in the tails too (${variant})`, (t) => {
      const want = Array.from(inputs, (v) => (v < -300 ? 0 : f(v)));
      const allowed = (i) =>
        EPS * units(inputs[i]) * Math.abs(want[i]) + FLUSHED * Math.abs(inputs[i]) + 2 ** -149;
      const max = worst(run(ch, inputs), want, allowed, name);
      t.diagnostic(`${name}: ${max.toFixed(2)} of the bound`);
      assert.ok(Number.isNaN(run(ch, Float32Array.of(NaN))[0]));
      assert.equal(run(ch, Float32Array.of(Infinity))[0], Infinity);
    });

    test(`${name} has the same bits gated, in parts and in place (${variant})`, () => {
      const got = run(ch, inputs);
      const up = numbers(inputs.length);
      const product = got.map((v, i) => v * up[i]);
      sameArray(gated(ch, inputs, up), product, `${name} times up`);
      for (const n of [1, 2, 3, 5])
        sameArray(run(ch, inputs.subarray(7, 7 + n)), got.slice(7, 7 + n), `${n} alone`);
      const X = ch.tensor([inputs.length]);
      X.data.set(inputs);
      run(ch, X, { out: X });
      sameArray(X.data.slice(), got, 'in place');
      X.dispose();
    });
  }
}
