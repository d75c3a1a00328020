/** Statement 4: softmax as the best use of a budget of evidence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import {
  distribution,
  divergence,
  dot,
  entropy,
  logits,
  softmax,
  STATES,
  u,
  units,
} from '../support/theory/states.js';

/** KL(softmax(βz)‖u) = log n − H, and β of a budget by halving. */
const spentAt = (z, beta) => Math.log(z.length) - entropy(softmax(z.map((x) => beta * x)).p);
function betaOf(z, rho) {
  let lo = 0;
  let hi = 1;
  while (spentAt(z, hi) < rho && hi < 1e12) hi *= 2;
  for (let x = 0; x < 120; x++) {
    const middle = (lo + hi) / 2;
    if (spentAt(z, middle) < rho) lo = middle;
    else hi = middle;
  }
  return (lo + hi) / 2;
}

const widthOf = (z) => Math.max(...z) - Math.min(...z);
const uniform = (n) => new Float64Array(n).fill(-Math.log(n));

for (const { variant, ch } of engines) {
  const { klBudget } = await ch.theory;

  test(`a budget is spent to the last bit, and no other distribution beats it (${variant})`, () => {
    let max = 0;
    let sum = 0;
    let count = 0;
    for (const { r, n, z, name } of logits(7)) {
      const ties = z.filter((x) => x === Math.max(...z)).length;
      const rhoMax = Math.log(n / ties);
      const rho = r.pick([1e-12, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9]) * rhoMax;
      const got = klBudget(z, rho);
      const what = `${name}, ρ = ${rho}`;
      assert.ok(Math.abs(got.rhoMax - rhoMax) <= 4 * u * rhoMax, `${what}: ρ_max ${got.rhoMax}`);
      if (ties === n) {
        assert.deepEqual([got.beta, got.rho, [...got.weights]], [0, 0, [...z.fill(1 / n)]], what);
        continue;
      }
      const slack = u * (64 + 32 * Math.log(n) ** 2 + 2 * n + 4 * (got.variance * got.beta ** 2));
      assert.ok(
        Math.abs(got.rho - rho) <= 16 * u * rho + 8 * u * got.variance * got.beta ** 2,
        `${what}: spent ${got.rho}`,
      );
      assert.ok(
        Math.abs(divergence(got.weights, uniform(n)) - rho) <= slack,
        `${what}: spent ${divergence(got.weights, uniform(n))}`,
      );
      assert.ok(got.identity.holds, `${what}: ${JSON.stringify(got.identity)}`);
      const { p } = softmax(z.map((x) => got.beta * x));
      assert.ok(
        p.every(
          (x, j) =>
            Math.abs(x - got.weights[j]) <=
            u *
              units(
                z.map((y) => got.beta * y),
                1,
              ) *
              (x + 1e-300) +
              u * 4 * got.beta * Math.max(...z.map(Math.abs)) * x,
        ),
        `${what}: softmax`,
      );
      assert.ok(
        Math.abs(got.expectedScore - dot(got.weights, z)) <=
          u * (16 + 2 * n) * Math.max(...z.map(Math.abs)),
        `${what}: ⟨z⟩`,
      );
      if (rho > 1e-3 && rho < rhoMax * 0.9991 && got.variance * got.beta ** 2 > 1e-9) {
        const bisected = betaOf(
          z.map((x) => x - Math.max(...z)),
          rho,
        );
        assert.ok(
          Math.abs(got.beta / bisected - 1) <= (4 * slack) / (got.variance * got.beta ** 2) + 1e-12,
          `${what}: β ${got.beta}, ${bisected}`,
        );
      }
      // another distribution, mixed with the uniform one until it is within the budget
      for (let other = distribution(r, n), share = 1; share > 1e-3; share /= 2) {
        const mixed = other.map((x) => share * x + (1 - share) / n);
        if (divergence(mixed, uniform(n)) > rho) continue;
        assert.ok(
          dot(mixed, z) <= got.expectedScore + slack * (1 + widthOf(z)) + slack / got.beta,
          `${what}: a better one`,
        );
        break;
      }
      max = Math.max(max, got.iterations);
      sum += got.iterations;
      count++;
    }
    assert.ok(
      count > STATES / 2 && max <= 20 && sum / count < 7,
      `${count} states, up to ${max} iterations, ${sum / count} on average`,
    );
  });

  test(`β is 0 for no budget and ∞ from log(n/ties) on (${variant})`, () => {
    const z = Float64Array.of(1, 3, 3, -2);
    const none = klBudget(z, 0);
    const all = klBudget(z, Math.LN2);
    const more = klBudget(z, 50);
    const unlimited = klBudget(z, Infinity);
    assert.deepEqual(
      [none.beta, none.temperature, none.rho, [...none.weights]],
      [0, Infinity, 0, [0.25, 0.25, 0.25, 0.25]],
    );
    for (const x of [all, more, unlimited])
      assert.deepEqual(
        [x.beta, x.temperature, x.expectedScore, [...x.weights]],
        [Infinity, 0, 3, [0, 0.5, 0.5, 0]],
      );
    assert.deepEqual([...klBudget(Float64Array.of(7, 7), 0.1).weights], [0.5, 0.5]);
    assert.deepEqual([...klBudget(Float64Array.of(7), 0).weights], [1]);
    // a tiny budget to second and third order: ρ = β²κ₂/2 + β³κ₃/3
    const mean = dot(
      z,
      z.map(() => 0.25),
    );
    const cumulant = (k) => z.reduce((sum, x) => sum + (x - mean) ** k / 4, 0);
    for (const rho of [1e-14, 1e-20, 1e-40, 1e-200]) {
      const { beta, rho: spent } = klBudget(z, rho);
      assert.ok(
        Math.abs(((beta ** 2 * cumulant(2)) / 2 + (beta ** 3 * cumulant(3)) / 3) / rho - 1) <=
          1e-12 && Math.abs(spent / rho - 1) <= 1e-15,
        `ρ = ${rho}: β = ${beta}`,
      );
    }
  });

  test(`scores that nearly tie, at many scales at once, take at most 24 steps (${variant})`, () => {
    let max = 0;
    for (let x = 0; x < STATES; x++) {
      const r = random(x);
      const n = r.pick([2, 3, 8, 17, 64]);
      const [scale, next] = [10 ** (-15 * r.uniform()), 10 ** (-10 * r.uniform())];
      const kinds = [
        (j) => (j < 2 ? j * scale : r.normal() - 3),
        () => r.integer(0, 2) * next + r.integer(0, 2) * next ** 2,
        () => -(10 ** (-16 * r.uniform())),
        (j) => -(2 ** -j),
      ];
      const z = Float64Array.from({ length: n }, (_, j) => kinds[x % kinds.length](j));
      const rhoMax = Math.log(n / z.filter((y) => y === Math.max(...z)).length);
      if (rhoMax === 0) continue;
      const rho =
        rhoMax *
        r.pick([
          1e-12,
          0.01,
          0.5,
          0.999,
          1 - 1e-9,
          1 - 1e-14,
          r.uniform(),
          r.uniform(),
          r.uniform(),
        ]);
      const got = klBudget(z, rho);
      const what = `state ${x}, ρ = ${rho}`;
      // where βz is wide, ρ is a small difference to log(n/ties)
      assert.ok(
        Math.abs(got.rho - rho) <= u * (16 * rho + 8 * got.variance * got.beta ** 2 + 8 * rhoMax),
        `${what}: spent ${got.rho}`,
      );
      assert.ok(got.identity.holds, `${what}: ${JSON.stringify(got.identity)}`);
      max = Math.max(max, got.iterations);
    }
    assert.ok(max <= 24, `${max} steps`);
    const far = klBudget(Float64Array.of(0, -5e-324, -1), 0.6);
    assert.ok(
      far.rho <= Math.log(1.5) && far.iterations < 100,
      'beyond what a double can say of β',
    );
  });
}
