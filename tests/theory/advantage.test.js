/** Statement 16: a logit moves a mean over keys towards the number of its own key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/models/engines.js';
import { dot, logits, softmax, u, units } from '../support/theory/states.js';

/** Numbers of keys: of size 1, far apart, or all alike. */
const KINDS = [
  (r) => r.normal(),
  (r) => r.pick([-1e6, 1e6]) * r.uniform(),
  (r) => r.normal() * 1e-6,
  () => 3,
];

/** A state with a number x for each key, and the gradient of ⟨x⟩ for each logit. */
function* states(gradient, seed, count) {
  for (const { r, n, z, T, name } of logits(seed, count)) {
    const of = r.pick(KINDS);
    const x = Float64Array.from({ length: n }, () => of(r));
    // one query of one channel, so that the keys are the logits
    const found = gradient(Float64Array.of(1), z, x, Float64Array.of(1), {
      headDim: 1,
      temperature: T,
      mask: { data: new Float64Array(n), shape: [1, n] },
      want: { dBias: true },
    }).dBias;
    yield { n, z, T, x, found, name };
  }
}

for (const { variant, ch } of engines) {
  test(`the gradient of a mean is p_j(x_j − ⟨x⟩)/T in 10³ states (${variant})`, () => {
    let worst = 0;
    let count = 0;
    const seen = new Set();
    for (const { n, z, T, x, found, name } of states(ch.attentionGradient, 90)) {
      const { p } = softmax(z, T);
      const mean = dot(p, x);
      const size = dot(p, x.map(Math.abs));
      for (let j = 0; j < n; j++) {
        const want = (p[j] * (x[j] - mean)) / T;
        // each weight is within `units` of itself, and the mean within as many of its terms
        const allowed = (u * units(z, T) * p[j] * (Math.abs(x[j]) + 3 * size)) / T + 1e-300;
        const apart = Math.abs(found[j] - want);
        assert.ok(apart <= allowed, `${name}, key ${j}: ${found[j]}, not ${want} ± ${allowed}`);
        worst = Math.max(worst, apart / allowed);
        if (want) seen.add(Math.sign(want));
      }
      count++;
    }
    assert.equal(count, 1000);
    assert.equal(seen.size, 2, 'both signs');
    assert.ok(worst > 0.01, `within ${worst} of the allowance`);
  });

  test(`it is the change of the mean when a logit rises a little (${variant})`, () => {
    let compared = 0;
    for (const { n, z, T, x, found, name } of states(ch.attentionGradient, 91, 300)) {
      const width = (Math.max(...z) - Math.min(...z)) / T;
      if (width > 30 || T < 0.05) continue;
      const step = 1e-4 * T;
      const meanAt = (j, s) =>
        dot(
          softmax(
            z.map((y, i) => (i === j ? y + s : y)),
            T,
          ).p,
          x,
        );
      const largest = Math.max(...x.map(Math.abs));
      for (let j = 0; j < n; j++) {
        const rise = (meanAt(j, step) - meanAt(j, -step)) / (2 * step);
        // the third derivative of a mean is at most 6·max|x|/T³; roundings are divided by the step
        const allowed = (step ** 2 * largest) / T ** 3 + (u * units(z, T) * 4 * largest) / step;
        assert.ok(Math.abs(rise - found[j]) <= allowed, `${name}, key ${j}: ${rise}, ${found[j]}`);
        compared++;
      }
    }
    assert.ok(compared > 1000, `${compared} keys`);
  });

  test(`the gradients of all logits sum to 0, and one key has none (${variant})`, () => {
    for (const { n, z, T, x, found, name } of states(ch.attentionGradient, 92, 300)) {
      const { p } = softmax(z, T);
      const size = dot(p, x.map(Math.abs));
      const sum = found.reduce((a, b) => a + b, 0);
      const allowed = (4 * u * units(z, T) * size) / T + 1e-300;
      assert.ok(Math.abs(sum) <= allowed, `${name}: ${sum}, allowed ${allowed}`);
      if (n === 1) assert.equal(found[0], 0, name);
    }
  });
}
