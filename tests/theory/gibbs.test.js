/**
 * Statement 7: softmax is the best compromise between score and entropy. Statement 9: its limits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import {
  LARGE,
  distribution,
  divergence,
  dot,
  entropy,
  far,
  logits,
  softmax,
  u,
  units,
} from '../support/theory/states.js';

const objective = (p, z, T) => dot(p, z) + T * entropy(p);

for (const { variant, ch } of engines) {
  const { gibbs, limits, simplexMerge } = await ch.theory;

  test(`any other distribution falls short of the optimum by T·KL (${variant})`, () => {
    let worst = 0;
    for (const { r, n, z, T, name } of logits(10)) {
      const { p, lse, logs } = softmax(z, T);
      const near = r.chance(0.3);
      const candidate = near ? p.map((x) => x * (1 + 1e-6 * r.normal())) : distribution(r, n);
      const sum = candidate.reduce((a, b) => a + b);
      const other = candidate.map((x) => x / sum);
      const got = gibbs(z, { temperature: T, candidate });
      const size = Math.max(...z.map(Math.abs));
      const logSize = -Math.min(...logs.filter((_, j) => other[j] > 0));
      const slack = u * (128 + 4 * n + 64 * Math.log(n) + 32 * logSize) * T + 16 * u * size;
      assert.ok(far(got.weights, p) <= u * units(z, T), `${name}: weights`);
      assert.ok(
        Math.abs(got.optimum - T * lse) <= slack &&
          Math.abs(got.objective - objective(other, z, T)) <= slack,
        `${name}: ${got.objective}`,
      );
      assert.ok(
        Math.abs(got.kl - divergence(other, logs)) * T <= slack &&
          got.kl >= 0 &&
          got.gap === T * got.kl,
        `${name}: KL ${got.kl}`,
      );
      assert.ok(
        Math.abs(got.entropy - entropy(p)) * T <= slack &&
          Math.abs(got.candidateEntropy - entropy(other)) * T <= slack,
        `${name}: entropies`,
      );
      assert.ok(Math.abs(got.expectedScore - dot(p, z)) <= slack, `${name}: ⟨z⟩`);
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      worst = Math.max(worst, got.identity.difference / got.identity.allowed);
      const itself = gibbs(z, { temperature: T });
      assert.ok(
        itself.kl === 0 &&
          itself.identity.holds &&
          Math.abs(itself.objective - itself.optimum) <= slack,
        `${name}: softmax reaches the optimum`,
      );
      // near p, where the objective is flat, KL keeps its relative accuracy: Σ (Δp)²/2p
      if (near) {
        const second = other.reduce(
          (total, x, j) =>
            total + (got.weights[j] > 0 ? (x - got.weights[j]) ** 2 / (2 * got.weights[j]) : 0),
          0,
        );
        if (second > 1e-16)
          assert.ok(Math.abs(got.kl / second - 1) <= 1e-3, `${name}: near p ${got.kl}, ${second}`);
      }
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`the other keys can be merged into one with the sum of their weights (${variant})`, () => {
    for (const { r, n, z, T, name } of logits(11)) {
      if (n === 1) continue;
      const keys = Array.from({ length: n }, (_, j) => j);
      const keep = [];
      while (keep.length < Math.min(n - 1, r.integer(0, 3)))
        keep.push(...keys.splice(r.integer(0, keys.length - 1), 1));
      const got = simplexMerge(z, { keep, temperature: T });
      const { p, lse } = softmax(z, T);
      const rest =
        softmax(
          keys.map((j) => z[j]),
          T,
        ).lse * T;
      const size = Math.max(...z.map(Math.abs));
      const slack = u * (64 + 8 * n) * (size + T);
      assert.deepEqual(
        [...got.logits.slice(0, -1)],
        keep.map((j) => z[j]),
        name,
      );
      assert.ok(
        Math.abs(got.logits.at(-1) - rest) <= slack,
        `${name}: logit ${got.logits.at(-1)}, ${rest}`,
      );
      const want = [...keep.map((j) => p[j]), keys.reduce((sum, j) => sum + p[j], 0)];
      assert.ok(
        far(got.weights, want) <= u * units(z, T) + slack / T,
        `${name}: ${got.weights}, ${want}`,
      );
      assert.ok(
        got.identity.holds && Math.abs(got.identity.left - T * lse) <= slack,
        `${name}: ${JSON.stringify(got.identity)}`,
      );
    }
  });

  test(`the limits are those of T = 0 and T = ∞ in attention, bit for bit (${variant})`, () => {
    for (const { n, z, T, name } of logits(12)) {
      const got = limits(z, { temperature: T });
      const { p } = softmax(z, T);
      const top = Math.max(...z);
      const ties = z.filter((x) => x === top).length;
      const attend = (temperature) =>
        ch.attention(Float64Array.of(1), z, z, { headDim: 1, temperature, want: { weights: true } })
          .weights;
      assert.deepEqual([got.hard, got.uniform], [attend(0), attend(Infinity)], name);
      const next = Math.max(...z.filter((x) => x < top));
      const width = top - Math.min(...z);
      assert.deepEqual([got.ties, got.gap, got.width], [ties, top - next, width], name);
      const slack = u * (64 + 2 * n + 32 * (1 + Math.log(n)) ** 2);
      const distance = p.reduce((sum, x, j) => sum + (z[j] === top ? 0 : 2 * x), 0);
      const kl = Math.log(n) - entropy(p);
      assert.ok(
        Math.abs(got.toHard.distance - distance) <= u * units(z, T) * distance + 1e-300 &&
          Math.abs(got.toUniform.kl - kl) <= slack,
        `${name}: ${got.toHard.distance}, ${distance}`,
      );
      const hardBound = 2 * (n / ties - 1) * Math.exp(-got.gap / T);
      const flatBound = (width / T) ** 2 / 8;
      assert.ok(
        Math.abs(got.toHard.bound - hardBound) <= u * units(z, T) * hardBound + 1e-300 &&
          Math.abs(got.toUniform.bound - flatBound) <= 4 * u * flatBound,
        `${name}: bounds`,
      );
      assert.ok(
        got.toHard.distance <= got.toHard.bound * (1 + u * units(z, T)) &&
          got.toUniform.kl <= got.toUniform.bound * (1 + slack) + slack,
        `${name}: within`,
      );
      assert.ok(
        got.excess >= T * Math.log(ties) * (1 - 8 * u) &&
          got.excess <= T * Math.log(n) * (1 + 8 * u),
        `${name}: excess ${got.excess}`,
      );
      assert.ok(far(got.weights, p) <= u * units(z, T), `${name}: weights`);
    }
  });

  test(`nearly flat scores are as near to uniform as the bound says (${variant})`, () => {
    for (let x = 0; x < 2000; x++) {
      const r = random(4000 + x);
      const n = x % 100 ? r.pick([2, 3, 8, 64]) : r.pick(LARGE);
      const flatness = r.pick([1e-8, 1e-11, 1e-13]);
      const T = r.pick([1, 7, 1e3]);
      const z = Float64Array.from({ length: n }, () => 1 + flatness * r.normal());
      const { kl, bound } = limits(z, { temperature: T }).toUniform;
      const mean = z.reduce((sum, y) => sum + (y - 1) / n, 0);
      const second = z.reduce((sum, y) => sum + (y - 1 - mean) ** 2 / n, 0) / (2 * T * T);
      // x = (z − mean)/T is known to 2 units of the width, which moves Var/2 by 8 of the bound; six
      // roundings more
      assert.ok(kl <= bound * (1 + 16 * u), `row ${x}, n = ${n}: ${kl}, ${bound}`);
      // and the third cumulant is of the order of the flatness
      assert.ok(
        Math.abs(kl - second) <= bound * (4 * n * u + 8 * flatness),
        `row ${x}, n = ${n}: ${kl}, ${second}`,
      );
    }
  });
}
