/** Statements 4 and 5: the frontier of budgets, and the budget that a head has spent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { divergence, dot, entropy, logits, queries, softmax, u } from '../support/theory/states.js';

const uniform = (n) => new Float64Array(n).fill(-Math.log(n));

for (const { variant, ch } of engines) {
  const { klBudget, klFrontier, rhoEffective } = await ch.theory;

  test(`β rises with ρ, and 1/β is the slope of the concave frontier (${variant})`, () => {
    for (const { n, z, name } of logits(8, 200)) {
      const { rho, beta, expectedScore } = klFrontier(z, { points: 17 });
      const size = Math.max(...z.map(Math.abs), 1);
      assert.deepEqual([rho[0], beta[0]], [0, 0], name);
      for (let x = 1; x < 17; x++) {
        if (rho[16] === 0) continue;
        assert.ok(
          rho[x] > rho[x - 1] &&
            beta[x] > beta[x - 1] &&
            expectedScore[x] > expectedScore[x - 1] - 8 * u * size,
          `${name}: rising at ${x}`,
        );
        // A chord of a concave curve is steeper than the tangent at its end and flatter than at its
        // start. Rounding of ⟨z⟩ and ρ over its length comes on top.
        const chord = (expectedScore[x] - expectedScore[x - 1]) / (rho[x] - rho[x - 1]);
        const noise =
          (u * (32 + 4 * n) * (size + (x > 1 ? 1 / beta[x - 1] : 0))) / (rho[x] - rho[x - 1]);
        assert.ok(
          chord >= 1 / beta[x] - noise && (x === 1 || chord <= 1 / beta[x - 1] + noise),
          `${name}: slope ${chord} between ${1 / beta[x]} and ${1 / beta[x - 1]}`,
        );
      }
      if (rho[16] > 0)
        assert.deepEqual([beta[16], expectedScore[16]], [Infinity, Math.max(...z)], name);
    }
    // and a tangent by central differences, where they are accurate
    const z = Float64Array.of(0.3, -1, 2, 0.9, 0.1);
    const { beta } = klBudget(z, 0.5);
    const h = 1e-4;
    const slope =
      (klBudget(z, 0.5 + h).expectedScore - klBudget(z, 0.5 - h).expectedScore) / (2 * h);
    assert.ok(Math.abs(slope * beta - 1) < 1e-7, `slope ${slope}, 1/β ${1 / beta}`);
  });

  test(`the two forms of a head's budget agree, also with attention (${variant})`, () => {
    let worst = 0;
    for (const { n, z, T, name } of logits(9)) {
      const got = rhoEffective(z, { temperature: T });
      const { p, lse } = softmax(z, T);
      const slack = u * (64 + 2 * n + 32 * (1 + Math.log(n)) ** 2);
      const size = Math.max(...z.map(Math.abs)) / T;
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      assert.ok(
        Math.abs(got.rho - divergence(p, uniform(n))) <= slack && got.rho >= 0,
        `${name}: ρ ${got.rho}`,
      );
      assert.ok(
        Math.abs(got.entropy - entropy(p)) <= slack &&
          Math.abs(got.effectiveKeys - Math.exp(entropy(p))) <= 2 * slack * n,
        `${name}: entropy`,
      );
      assert.ok(
        Math.abs(got.lse - lse) <= slack + 4 * u * size &&
          Math.abs(got.expectedScore - dot(p, z)) <= T * (slack + (32 + n) * u * size),
        `${name}: lse, ⟨z⟩`,
      );
      worst = Math.max(worst, got.identity.difference / got.identity.allowed);
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
    for (const { q, k, v, d, dv, T, name } of queries(9)) {
      const { stats, scores } = ch.attention(q, k, v, {
        headDim: d,
        valueDim: dv,
        temperature: T,
        want: { stats: true, scores: 'raw' },
      });
      const got = rhoEffective(scores, { temperature: T });
      const slack = u * (64 + 32 * (1 + Math.log(scores.length)) ** 2);
      assert.ok(
        Math.abs(stats.kl[0] - got.rho) <= slack &&
          Math.abs(stats.entropy[0] - got.entropy) <= slack,
        `${name}: ${stats.kl[0]}, ${got.rho}`,
      );
    }
  });
}
