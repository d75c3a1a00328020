/** Statement 17: how fast the budget of a row grows with 1/T. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { dot, entropy, logits, softmax, u, units } from '../support/theory/states.js';

/** Var_p(z) from all pairs of keys, without a mean. */
const pairs = (p, z) =>
  p.reduce((sum, x, i) => z.reduce((s, y, j) => s + (x * p[j] * (z[i] - y) ** 2) / 2, sum), 0);
const widthOf = (z) => Math.max(...z) - Math.min(...z);

for (const { variant, ch } of engines) {
  const { susceptibility } = await ch.theory;

  test(`the slope is β times the variance over all pairs of keys (${variant})`, () => {
    let worst = 0;
    for (const { n, z, T, name } of logits(80)) {
      const { p } = softmax(z, T);
      const got = susceptibility(z, { temperature: T });
      const variance = pairs(p, z);
      const top = Math.max(...z);
      const square = dot(
        p,
        z.map((x) => (x - top) ** 2),
      );
      // each term of the pairs is within `units`, and t_j − ⟨t⟩ within some units of t_j
      const slack = u * units(z, T) * (variance + Math.sqrt(variance * square)) + 1e-300;
      assert.ok(Math.abs(got.variance - variance) <= slack, `${name}: ${got.variance}`);
      assert.ok(Math.abs(got.slope - variance / T) <= (1.01 * slack) / T, `${name}: ${got.slope}`);
      const share = n > 1 ? variance / (T * Math.log(n)) ** 2 : 0;
      assert.ok(
        Math.abs(got.share - share) <= (1.01 * slack) / (T * Math.log(Math.max(n, 2))) ** 2,
        `${name}: χ ${got.share}, ${share}`,
      );
      const spent = u * (64 + 4 * n + 64 * (1 + Math.log(n)) ** 2 + (8 * Math.abs(top)) / T);
      assert.ok(Math.abs(got.rho - (Math.log(n) - entropy(p))) <= spent, `${name}: ${got.rho}`);
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      if (got.identity.allowed > 0)
        worst = Math.max(worst, got.identity.difference / got.identity.allowed);
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`the slope is that of the budget when β rises a little (${variant})`, () => {
    let compared = 0;
    for (const { n, z, T, name } of logits(81)) {
      const w = widthOf(z) / T;
      if (w > 30) continue;
      const step = 1e-4;
      const spent = (s) => Math.log(n) - entropy(softmax(z, T / s).p);
      const rise = (spent(1 + step) - spent(1 - step)) / (2 * step);
      // the third derivative of ρ is 2κ₃ + βκ₄ of z/T, cumulants over a width w
      const third = (2 * w ** 3) / (6 * Math.sqrt(3)) + ((1 + step) * w ** 4) / 8;
      const rounding = (u * (32 + 4 * n + 16 * w) * (1 + Math.log(n))) / step;
      const { slope } = susceptibility(z, { temperature: T });
      assert.ok(
        Math.abs(rise - slope / T) <= (step ** 2 * third) / 6 + rounding,
        `${name}: ${slope / T}, not ${rise}`,
      );
      compared++;
    }
    assert.ok(compared > 300, `${compared} rows`);
  });

  test(`a single key, equal logits and a row at its limit do not respond (${variant})`, () => {
    for (const z of [[3], [1, 1, 1], [1e4, 1e4], [1e4, -1e4, 0]]) {
      const got = susceptibility(Float64Array.from(z), { temperature: 0.5 });
      assert.deepEqual([got.slope, got.variance, got.share], [0, 0, 0], `${z}`);
    }
  });

  test(`nearly flat logits respond by their variance over T (${variant})`, () => {
    const z = Float64Array.of(1e-9, -1e-9, 3e-9, 0);
    const mean = 7.5e-10;
    const variance = z.reduce((sum, x) => sum + (x - mean) ** 2 / 4, 0);
    const { slope, rho, identity } = susceptibility(z);
    assert.ok(Math.abs(slope / variance - 1) < 1e-8, `${slope}, ${variance}`);
    assert.ok(Math.abs(rho / (variance / 2) - 1) < 1e-8, `${rho}`);
    assert.ok(identity.holds && identity.allowed < 1e-12 * rho, JSON.stringify(identity));
  });
}
