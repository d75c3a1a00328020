/** Statements 19 and 20: how much weight the largest logit of a row can have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { logits, softmax, u, units } from '../support/theory/states.js';

const largest = (ch, z, temperature) =>
  Math.max(
    ...ch.attention(Float64Array.of(1), z, z, {
      headDim: 1,
      temperature,
      want: { weights: true },
    }).weights,
  );
const near = (a, b, slack) => a === b || Math.abs(a - b) <= slack * Math.abs(b);

for (const { variant, ch } of engines) {
  const { criticalTemperature, dispersion } = await ch.theory;

  test(`the largest weight stays below its bounds, and misses by a KL (${variant})`, () => {
    let worst = 0;
    for (const { n, z, T, name } of logits(84)) {
      const got = dispersion(z, { temperature: T });
      const { p } = softmax(z, T);
      const top = Math.max(...z);
      const at = z.indexOf(top);
      const gaps = [...z].filter((_, j) => j !== at).map((x) => top - x);
      const mean = n > 1 ? gaps.reduce((a, b) => a + b) / (n - 1) : 0;
      const bound = (gap) => 1 / (1 + (n - 1) * Math.exp(-gap / T));
      const slack = u * units(z, T);
      assert.ok(near(got.max, Math.max(...p), slack), `${name}: ${got.max}`);
      assert.equal(got.width, Math.max(...gaps, 0), name);
      assert.ok(near(got.meanGap, mean, 8 * n * u), `${name}: ${got.meanGap}`);
      assert.ok(near(got.bound, bound(got.width), slack), `${name}: ${got.bound}`);
      assert.ok(near(got.meanBound, bound(mean), slack), `${name}: ${got.meanBound}`);
      assert.ok(got.holds && Math.max(...p) <= got.meanBound * (1 + slack), `${name}: ${got.max}`);
      const rest = softmax(
        Float64Array.from(gaps, (x) => -x),
        T,
      ).logs;
      const kl = rest.reduce((sum, x) => sum - (x + Math.log(n - 1)) / (n - 1), 0);
      assert.ok(
        got.kl >= 0 && Math.abs(got.kl - kl) <= u * (64 + 8 * n) * (1 + Math.log(n) + mean / T),
        `${name}: KL ${got.kl}, ${kl}`,
      );
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      if (n > 1) worst = Math.max(worst, got.identity.difference / got.identity.allowed);
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`one logit above equal ones reaches the bound, and loses it as n grows (${variant})`, () => {
    for (const T of [0.05, 1, 7])
      for (const n of [2, 10, 1000, 1e5]) {
        const z = new Float64Array(n);
        z[0] = 5 * T;
        const { bound, meanBound, halfWidth } = dispersion(z, { temperature: T });
        const expected = 1 / (1 + (n - 1) * Math.exp(-5));
        for (const x of [bound, meanBound, largest(ch, z, T)])
          assert.ok(near(x, expected, 1e-12), `n = ${n}: ${x}`);
        assert.equal(expected > 0.5, 5 * T > halfWidth);
      }
  });

  test(`the critical temperature is the least gap over log rank (${variant})`, () => {
    for (const { n, z, T, name } of logits(85)) {
      const got = criticalTemperature(z, { temperature: T });
      const top = Math.max(...z);
      const ranks = z.map((x) => z.filter((y) => y >= x).length);
      const each = Array.from(z, (x, j) =>
        ranks[j] > 1 ? (top - x) / Math.log(ranks[j]) : Infinity,
      );
      const critical = Math.min(...each);
      assert.ok(near(got.critical, critical, 8 * u), `${name}: ${got.critical}, ${critical}`);
      // the inverse temperature from which no rank outweighs its gap any more
      const excess = (beta) => Math.max(...z.map((x, j) => Math.log(ranks[j]) - beta * (top - x)));
      if (critical > 0 && critical < Infinity) {
        assert.ok(excess((1 + 1e-9) / critical) <= 1e-9 && excess((1 - 1e-6) / critical) > 0, name);
        assert.ok(near(got.gap / Math.log(got.rank), critical, 8 * u), `${name}: ${got.rank}`);
      }
      const s = got.critical / T;
      const powers = Array.from({ length: n }, (_, j) => (j ? (j + 1) ** -s : 1));
      const lower = 1 / powers.reduce((a, b) => a + b);
      const upper = got.rank > 1 ? 1 / (1 + (got.rank - 1) * got.rank ** -s) : 1;
      const slack = u * (64 + 4 * n + 64 * Math.log(n));
      assert.ok(near(got.lower, lower, slack), `${name}: ${got.lower}, ${lower}`);
      assert.ok(near(got.upper, upper, slack), `${name}: ${got.upper}, ${upper}`);
    }
  });

  test(`the largest weight lies between the two bounds at every T (${variant})`, () => {
    for (const { n, z, T, name } of logits(86)) {
      const { critical } = criticalTemperature(z);
      const usual = critical > 0 && critical < Infinity;
      for (const temperature of usual ? [T, critical / 2, critical, 2 * critical] : [T]) {
        const got = criticalTemperature(z, { temperature });
        const max = Math.max(...softmax(z, temperature).p);
        const slack = u * units(z, temperature) + got.allowed;
        assert.ok(got.holds, `${name}, T = ${temperature}: ${JSON.stringify(got)}`);
        assert.ok(near(got.max, max, slack), `${name}: ${got.max}, ${max}`);
        assert.ok(got.lower <= max * (1 + slack) && max <= got.upper * (1 + slack), name);
        if (temperature === critical / 2)
          assert.ok(max >= 6 / Math.PI ** 2 - 1e-9, `${name}: ${max}`);
        if (temperature === critical && n > 2) assert.ok(max <= 2 / 3 + 1e-9, `${name}: ${max}`);
      }
    }
  });

  test(`logits −log j reach the lower bound, and some equal ones the upper (${variant})`, () => {
    for (const n of [2, 9, 300])
      for (const T of [0.2, 1, 3]) {
        const zipf = Float64Array.from({ length: n }, (_, j) => -Math.log(j + 1));
        const { critical, lower } = criticalTemperature(zipf, { temperature: T });
        assert.ok(near(critical, 1, 1e-14), `${critical}`);
        assert.ok(near(lower, largest(ch, zipf, T), 1e-12), `n = ${n}: ${lower}`);
        const plateau = Float64Array.from({ length: n }, (_, j) =>
          j === 0 ? 2 : j < 6 ? 0 : -1e4,
        );
        const got = criticalTemperature(plateau, { temperature: T });
        assert.equal(got.rank, Math.min(n, 6));
        assert.ok(near(got.upper, largest(ch, plateau, T), 1e-12), `n = ${n}: ${got.upper}`);
      }
  });

  test(`ties leave nothing to sharpen, and a single key is sharp at any T (${variant})`, () => {
    const tied = criticalTemperature(Float64Array.of(3, 3, 3, 1), { temperature: 1e-3 });
    assert.deepEqual([tied.critical, tied.rank, tied.upper], [0, 3, 1 / 3]);
    const one = criticalTemperature(Float64Array.of(3));
    assert.deepEqual([one.critical, one.lower, one.max, one.upper], [Infinity, 1, 1, 1]);
    const single = dispersion(Float64Array.of(3));
    assert.deepEqual([single.max, single.bound, single.meanBound, single.width], [1, 1, 1, 0]);
  });
}
