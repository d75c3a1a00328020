/**
 * Rounding is bounded for any number of keys: each identity and bound at 10⁴ and 10⁵ of them. A
 * long run has two rows of each family of logits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeats } from '../support/campaign.js';
import { engines } from '../support/engines.js';
import { LARGE, logits, queries } from '../support/theory/states.js';

for (const { variant, ch } of engines) {
  const t = await ch.theory;

  test(`every identity of a row of logits holds for many keys (${variant})`, () => {
    for (const { r, n, z, T, name } of logits(70, repeats(7, 14), LARGE)) {
      const temperature = T;
      const other = z.map((x) => x + r.normal());
      const candidate = z.map(() => r.uniform());
      const spent = t.rhoEffective(z, { temperature });
      const close = r.pick([0.1, 0.9]);
      const found = {
        spent,
        budget: t.klBudget(z, close * Math.log(n)),
        gibbs: t.gibbs(z, { temperature, candidate }),
        itself: t.gibbs(z, { temperature }),
        merged: t.simplexMerge(z, { temperature, keep: [0, n - 1] }),
        change: t.logSumExp(z, { temperature, change: other }),
        spectrum: t.softmaxJacobian(z, { temperature }).spectrum(),
        rise: t.susceptibility(z, { temperature }),
        dispersion: t.dispersion(z, { temperature }),
        gate: t.sinkGate(z, { temperature, sink: z[0] + T }),
        prior: t.biasPrior(z, { temperature, bias: other, candidate }),
        column: t.everyNorm(z, { temperature, change: other }),
      };
      for (const [what, { identity }] of Object.entries(found))
        assert.ok(identity.holds, `${name}, ${what}: ${JSON.stringify(identity)}`);
      const moved = t.lipschitz(z, other, { temperature });
      assert.ok(moved.holds, `${name}: ${moved.maxRatio}, ${moved.minCocoercivity}`);
      assert.ok(found.column.holds && found.dispersion.holds, name);
      assert.ok(t.criticalTemperature(z, { temperature }).holds, name);
    }
  });

  test(`the likelihood of many keys is quadratic (${variant})`, () => {
    for (const { r, d, dv, q, k, v, name } of queries(71, 6, LARGE)) {
      const { identity } = t.maximumLikelihood(q, k, v, {
        alpha: 1 / Math.sqrt(d),
        at: Float64Array.from({ length: dv }, () => r.normal()),
      });
      assert.ok(identity.holds, `${name}: ${JSON.stringify(identity)}`);
    }
  });

  test(`a network of many keys falls by the sum of its steps (${variant})`, () => {
    for (const { q, k, T, name } of queries(72, 6, LARGE)) {
      const { holds, identity } = t.hopfield(q, k, { temperature: T, steps: 3 });
      assert.ok(holds && identity.holds, `${name}: ${JSON.stringify(identity)}`);
    }
  });
}
