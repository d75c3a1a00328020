/** Statement 13: the variance of ⟨q, k⟩ is d. And the random numbers it is measured with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { dot, entropy, softmax, u } from '../support/theory/states.js';

/** xoshiro256++ seeded by splitmix64, and Marsaglia's polar method, in integers of any size. */
function* normals(seed) {
  const cut = (x) => BigInt.asUintN(64, x);
  const rotate = (x, by) => cut((x << by) | (x >> (64n - by)));
  let state = BigInt(seed);
  const s = Array.from({ length: 4 }, () => {
    state = cut(state + 0x9e3779b97f4a7c15n);
    let y = cut((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    y = cut((y ^ (y >> 27n)) * 0x94d049bb133111ebn);
    return y ^ (y >> 31n);
  });
  const uniform = () => {
    const result = cut(rotate(cut(s[0] + s[3]), 23n) + s[0]);
    const t = cut(s[1] << 17n);
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45n);
    return Number(result >> 11n) / 2 ** 53;
  };
  for (;;) {
    const x = 2 * uniform() - 1;
    const y = 2 * uniform() - 1;
    const square = x * x + y * y;
    if (square >= 1 || square === 0) continue;
    const stretch = Math.sqrt((-2 * Math.log(square)) / square);
    yield x * stretch;
    yield y * stretch;
  }
}

const first = await engines[0].ch.theory;

for (const { variant, ch } of engines) {
  const { normal, scaleExperiment } = await ch.theory;

  test(`the random numbers are those of the published generators (${variant})`, () => {
    for (const seed of [0, 1, 2, 12345, 2 ** 32 - 1]) {
      const got = normal(2000, { seed });
      const source = normals(seed);
      assert.ok(
        got.every((x) => Math.abs(x / source.next().value - 1) <= 16 * u),
        `seed ${seed}`,
      );
      sameArray(got, first.normal(2000, { seed }), `seed ${seed}`);
    }
    assert.notDeepEqual(normal(4, { seed: 1 }), normal(4, { seed: 2 }));
    assert.deepEqual(normal(4), normal(5).subarray(0, 4));
    assert.equal(normal(0).length, 0);
    // the first moments of a standard normal distribution, each within five standard errors
    const x = normal(200000, { seed: 7 });
    const moment = (k) => x.reduce((sum, y) => sum + y ** k, 0) / x.length;
    for (const [k, mean, spread] of [
      [1, 0, 1],
      [2, 1, 2],
      [3, 0, 15],
      [4, 3, 96],
    ])
      assert.ok(
        Math.abs(moment(k) - mean) <= 5 * Math.sqrt(spread / x.length),
        `moment ${k}: ${moment(k)}`,
      );
  });

  test(`the experiment is that of the definition (${variant})`, () => {
    for (const [headDim, samples, keys, seed] of [
      [1, 1, 1, 1],
      [4, 50, 7, 2],
      [16, 20, 32, 3],
      [64, 10, 5, 4],
    ]) {
      const got = scaleExperiment({ headDim, samples, keys, seed });
      const source = normals(seed);
      const next = () => Float64Array.from({ length: headDim }, () => source.next().value);
      let variance = 0;
      const sums = { unscaled: { budget: 0, gradient: 0 }, scaled: { budget: 0, gradient: 0 } };
      for (let i = 0; i < samples; i++) {
        const q = next();
        const z = Array.from({ length: keys }, () => dot(q, next()));
        variance += z.reduce((sum, x) => sum + x * x, 0) / (samples * keys);
        for (const [name, scale] of [
          ['unscaled', 1],
          ['scaled', Math.sqrt(headDim)],
        ]) {
          const { p } = softmax(z.map((x) => x / scale));
          sums[name].budget += keys > 1 ? (1 - entropy(p) / Math.log(keys)) / samples : 0;
          sums[name].gradient += (1 - dot(p, p)) / samples;
        }
      }
      const close = (a, b, what) =>
        assert.ok(
          Math.abs(a - b) <= 1e-12 * (1 + Math.abs(b)),
          `d = ${headDim}: ${what} ${a}, ${b}`,
        );
      close(got.variance, variance, 'variance');
      close(got.scaledVariance, variance / headDim, 'scaled variance');
      close(
        got.standardError,
        Math.sqrt((2 * headDim + (2 * (headDim ** 2 + 2 * headDim)) / keys) / samples),
        'standard error',
      );
      for (const name of ['scaled', 'unscaled'])
        for (const key of ['budget', 'gradient'])
          close(got[name][key], sums[name][key], `${name} ${key}`);
      sameArray(
        Float64Array.of(got.variance, got.scaled.budget),
        Float64Array.of(
          ...[first.scaleExperiment({ headDim, samples, keys, seed })]
            .map((x) => [x.variance, x.scaled.budget])
            .flat(),
        ),
        'bits',
      );
    }
  });

  test(`a dot product has variance d, a scaled one 1 (${variant})`, () => {
    let off = 0;
    let runs = 0;
    for (const headDim of [1, 2, 4, 16, 64, 256])
      for (let seed = 1; seed <= 40; seed++) {
        const { expected, variance, standardError, scaledVariance } = scaleExperiment({
          headDim,
          samples: 100,
          keys: 16,
          seed,
        });
        const errors = (variance - expected) / standardError;
        assert.equal(expected, headDim);
        assert.ok(Math.abs(errors) <= 6, `d = ${headDim}, seed ${seed}: ${errors} standard errors`);
        assert.ok(Math.abs(scaledVariance * headDim - variance) <= 16 * u * variance);
        off += errors ** 2;
        runs++;
      }
    // the standard error is neither too large nor too small: its square estimated from all runs
    assert.ok(off / runs > 0.7 && off / runs < 1.4, `${off / runs}`);
    const { unscaled, scaled } = scaleExperiment({ headDim: 256, samples: 200, keys: 32 });
    assert.ok(
      unscaled.budget > 0.9 &&
        scaled.budget < 0.2 &&
        unscaled.gradient < 0.2 &&
        scaled.gradient > 0.85,
      JSON.stringify({ unscaled, scaled }),
    );
  });
}
