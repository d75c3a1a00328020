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

  /** Seeded logits with a part of their greatest budget: the report and the tolerances. */
  function* budgets() {
    for (const { r, n, z, name } of logits(7)) {
      const ties = z.filter((x) => x === Math.max(...z)).length;
      const rhoMax = Math.log(n / ties);
      const rho = r.pick([1e-12, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9]) * rhoMax;
      const got = klBudget(z, rho);
      const noise = got.variance * got.beta ** 2;
      const slack = u * (64 + 32 * Math.log(n) ** 2 + 2 * n + 4 * noise);
      yield { r, n, z, ties, rhoMax, rho, got, noise, slack, what: `${name}, ρ = ${rho}` };
    }
  }
  /** Those whose scores are not all the same. */
  const spent = () => [...budgets()].filter(({ n, ties }) => ties < n);

  test(`the greatest budget is log(n/ties), and equal scores spend nothing (${variant})`, () => {
    for (const { n, z, ties, rhoMax, got, what } of budgets()) {
      assert.ok(Math.abs(got.rhoMax - rhoMax) <= 4 * u * rhoMax, `${what}: ρ_max ${got.rhoMax}`);
      if (ties === n)
        assert.deepEqual([got.beta, got.rho, [...got.weights]], [0, 0, [...z.fill(1 / n)]], what);
    }
  });

  test(`a budget is spent to the last bit, in at most 20 steps (${variant})`, () => {
    let max = 0;
    let sum = 0;
    let count = 0;
    for (const { n, rho, got, noise, slack, what } of spent()) {
      const divergent = divergence(got.weights, uniform(n));
      assert.ok(
        Math.abs(got.rho - rho) <= 16 * u * rho + 8 * u * noise,
        `${what}: spent ${got.rho}`,
      );
      assert.ok(Math.abs(divergent - rho) <= slack, `${what}: spent ${divergent}`);
      assert.ok(got.identity.holds, `${what}: ${JSON.stringify(got.identity)}`);
      max = Math.max(max, got.iterations);
      sum += got.iterations;
      count++;
    }
    assert.ok(count > STATES / 2, `${count} states`);
    assert.ok(max <= 20 && sum / count < 7, `up to ${max} steps, ${sum / count} on average`);
  });

  test(`the weights of a budget are softmax at its β (${variant})`, () => {
    for (const { n, z, got, what } of spent()) {
      const scaled = z.map((x) => got.beta * x);
      const size = Math.max(...z.map(Math.abs));
      const { p } = softmax(scaled);
      p.forEach((x, j) => {
        const allowed = u * units(scaled, 1) * (x + 1e-300) + u * 4 * got.beta * size * x;
        assert.ok(Math.abs(x - got.weights[j]) <= allowed, `${what}: softmax`);
      });
      const error = Math.abs(got.expectedScore - dot(got.weights, z));
      assert.ok(error <= u * (16 + 2 * n) * size, `${what}: ⟨z⟩`);
    }
  });

  test(`β is that of halving (${variant})`, () => {
    for (const { z, rho, rhoMax, got, noise, slack, what } of spent()) {
      if (!(rho > 1e-3 && rho < rhoMax * 0.9991 && noise > 1e-9)) continue;
      const max = Math.max(...z);
      const bisected = betaOf(
        z.map((x) => x - max),
        rho,
      );
      assert.ok(
        Math.abs(got.beta / bisected - 1) <= (4 * slack) / noise + 1e-12,
        `${what}: β ${got.beta}, ${bisected}`,
      );
    }
  });

  test(`no other distribution within the budget has a greater expected score (${variant})`, () => {
    for (const { r, n, z, rho, got, slack, what } of spent()) {
      const other = distribution(r, n);
      // mixed with the uniform one until it is within the budget
      for (let share = 1; share > 1e-3; share /= 2) {
        const mixed = other.map((x) => share * x + (1 - share) / n);
        if (divergence(mixed, uniform(n)) > rho) continue;
        const allowed = slack * (1 + widthOf(z)) + slack / got.beta;
        assert.ok(dot(mixed, z) <= got.expectedScore + allowed, `${what}: a better one`);
        break;
      }
    }
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

  /** Scores that nearly tie, at many scales at once, with a part of their greatest budget. */
  function nearTies(state) {
    const r = random(state);
    const n = r.pick([2, 3, 8, 17, 64]);
    const [scale, next] = [10 ** (-15 * r.uniform()), 10 ** (-10 * r.uniform())];
    const kinds = [
      (j) => (j < 2 ? j * scale : r.normal() - 3),
      () => r.integer(0, 2) * next + r.integer(0, 2) * next ** 2,
      () => -(10 ** (-16 * r.uniform())),
      (j) => -(2 ** -j),
    ];
    const z = Float64Array.from({ length: n }, (_, j) => kinds[state % kinds.length](j));
    const rhoMax = Math.log(n / z.filter((y) => y === Math.max(...z)).length);
    const edges = [1e-12, 0.01, 0.5, 0.999, 1 - 1e-9, 1 - 1e-14];
    const share = r.pick([...edges, r.uniform(), r.uniform(), r.uniform()]);
    return { z, rhoMax, rho: rhoMax * share };
  }

  test(`scores that nearly tie, at many scales at once, take at most 24 steps (${variant})`, () => {
    let max = 0;
    for (let state = 0; state < STATES; state++) {
      const { z, rhoMax, rho } = nearTies(state);
      if (rhoMax === 0) continue;
      const got = klBudget(z, rho);
      const what = `state ${state}, ρ = ${rho}`;
      // where βz is wide, ρ is a small difference to log(n/ties)
      const allowed = u * (16 * rho + 8 * got.variance * got.beta ** 2 + 8 * rhoMax);
      assert.ok(Math.abs(got.rho - rho) <= allowed, `${what}: spent ${got.rho}`);
      assert.ok(got.identity.holds, `${what}: ${JSON.stringify(got.identity)}`);
      max = Math.max(max, got.iterations);
    }
    assert.ok(max <= 24, `${max} steps`);
  });

  test(`a β beyond the doubles ends within the budget (${variant})`, () => {
    const { rho, iterations } = klBudget(Float64Array.of(0, -5e-324, -1), 0.6);
    assert.ok(rho <= Math.log(1.5) && iterations < 100);
  });
}
