/** Norms and activations against float64. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { gelu, geluTanh, layerNorm, rmsNorm, silu } from '../support/layers/operations-textbook.js';
import { EPS, numbers, worst } from '../support/layers/operations.js';

for (const { variant, ch } of engines) {
  test(`norms are within one rounding of float64 (${variant})`, (t) => {
    let max = 0;
    for (const size of [1, 2, 3, 4, 5, 8, 63, 64, 577])
      for (const [scale, shift] of [
        [1, 0],
        [1e-20, 0],
        [1e18, 0],
        [1, 1000],
      ]) {
        const x = numbers(3 * size, scale).map((v) => v + shift);
        const w = numbers(size);
        const b = numbers(size);
        for (const epsilon of [0, 1e-5]) {
          // a variance of 0 divides by 0
          if (epsilon === 0 && size === 1) continue;

          // Half a unit in the last place, or half the smallest float. Another 1e-9 is the rounding
          // of double, which the mean may magnify.
          const near =
            (want, part = 1e-9) =>
            (i) =>
              0.5 * EPS * Math.abs(want[i]) * 1.001 + part + 2 ** -149;
          const rms = rmsNorm(x, size, epsilon, (c) => w[c]);
          const plus = rmsNorm(x, size, epsilon, (c) => 1 + w[c]);
          const layer = layerNorm(
            x,
            size,
            epsilon,
            (c) => w[c],
            (c) => b[c],
          );
          max = Math.max(
            max,
            worst(ch.rmsNorm(x, w, { epsilon }), rms, near(rms, 0), 'rms'),
            worst(ch.rmsNorm(x, w, { epsilon, onePlus: true }), plus, near(plus, 0), 'one plus'),
          );
          worst(
            ch.layerNorm(x, w, b, { epsilon }),
            layer,
            near(layer),
            `layer ${size} ${scale} ${shift}`,
          );
          sameArray(
            ch.rmsNorm(x, undefined, { epsilon, size }),
            ch.rmsNorm(x, new Float32Array(size).fill(1), { epsilon }),
            'no scale',
          );
        }
      }
    t.diagnostic(`worst RMSNorm error ${max.toFixed(3)} of half a unit in the last place`);
  });

  test(`activations keep their relative accuracy, in the tails too (${variant})`, (t) => {
    const x = Float32Array.from([
      ...Array.from({ length: 40001 }, (_, i) => (i - 20000) / 1400),
      ...numbers(5000, 5),
      0,
      -0,
      1e-30,
      -1e-30,
      1e-45,
      50,
      -50,
      86,
      -86,
      200,
      -200,
      3e38,
      -3e38,
    ]);
    const up = numbers(x.length);
    const flushed = 2 ** -126; // a result of exp that may be 0, times x

    // The errors are those of exp and of the operations after it. The exponent of the GELUs is
    // rounded as well, and its size multiplies that error.
    const rules = {
      silu: [silu, () => 4, (x, o) => ch.silu(x, o), (x, up) => ch.swiglu(x, up)],
      gelu: [gelu, () => 6, (x, o) => ch.gelu(x, o), (x, up) => ch.geglu(x, up)],
      tanh: [
        geluTanh,
        (v) => 4 + (v < 0 ? 3 * Math.abs(1.6 * v + 0.0714 * v ** 3) : 0),
        (x, o) => ch.gelu(x, { ...o, approximate: 'tanh' }),
        (x, up) => ch.geglu(x, up, { approximate: 'tanh' }),
      ],
    };
    for (const [name, [f, units, run, gated]] of Object.entries(rules)) {
      const want = Array.from(x, (v) => (v < -300 ? 0 : f(v)));
      const got = run(x);
      const max = worst(
        got,
        want,
        (i) => EPS * units(x[i]) * Math.abs(want[i]) + flushed * Math.abs(x[i]) + 2 ** -149,
        name,
      );
      t.diagnostic(`${name}: ${max.toFixed(2)} of the bound`);
      sameArray(
        gated(x, up),
        got.map((v, i) => v * up[i]),
        `${name} times up`,
      );
      for (const n of [1, 2, 3, 5])
        sameArray(run(x.subarray(7, 7 + n)), got.slice(7, 7 + n), `${n} alone`);
      assert.ok(Number.isNaN(run(Float32Array.of(NaN))[0]));
      assert.equal(run(Float32Array.of(Infinity))[0], Infinity);
      const X = ch.tensor([x.length]);
      X.data.set(x);
      run(X, { out: X });
      sameArray(X.data.slice(), got, 'in place');
      X.dispose();
    }
  });
}
