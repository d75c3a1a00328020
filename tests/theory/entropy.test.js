/**
 * Statement 3: weights of greatest entropy, with one multiplier per key or one that meets a target.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import {
  LARGE,
  divergence,
  dot,
  entropy,
  far,
  queries,
  softmax,
  u,
} from '../support/theory/states.js';

/** exp(λ_j f_j)/Σ, f_j = ⟨q, k_j⟩ (paper, Eq. 16). */
function oracle({ q, k, n, d }, multipliers) {
  const features = Float64Array.from({ length: n }, (_, j) =>
    q.reduce((sum, x, c) => sum + x * k[j * d + c], 0),
  );
  const condition = Float64Array.from({ length: n }, (_, j) =>
    q.reduce((sum, x, c) => sum + Math.abs(x * k[j * d + c]), 0),
  );
  return {
    features,
    condition: Math.max(...condition),
    ...softmax(features.map((f, j) => f * multipliers[j])),
  };
}

/** The λ at which softmax(λf) expects the target, by halving an interval. */
function multiplierOf(features, target) {
  let lo = -1;
  let hi = 1;
  const expected = (lambda) => dot(softmax(features.map((f) => lambda * f)).p, features);
  while (expected(lo) > target && lo > -1e300) lo *= 2;
  while (expected(hi) < target && hi < 1e300) hi *= 2;
  for (let x = 0; x < 200; x++) {
    const middle = (lo + hi) / 2;
    if (expected(middle) < target) lo = middle;
    else hi = middle;
  }
  return (lo + hi) / 2;
}

const variance = (p, f) =>
  dot(
    p,
    f.map((x) => (x - dot(p, f)) ** 2),
  );

for (const { variant, ch } of engines) {
  const { maximumEntropy } = await ch.theory;

  test(`one multiplier per key gives the weights of Eq. 16 and of keyScale (${variant})`, () => {
    for (const state of queries(5)) {
      const { q, k, v, r, n, d, dv, name } = state;
      const alpha = 1 / Math.sqrt(d);
      const lambda = Float64Array.from({ length: n }, () => alpha * (0.5 + r.uniform()));
      const want = oracle(state, lambda);
      const got = maximumEntropy(q, k, { multipliers: lambda });
      const slack = u * (64 + 4 * n + (4 * d + 16) * want.condition * Math.max(...lambda));
      assert.ok(
        far(got.features, want.features) <= 2 * u * (d + 2) * want.condition,
        `${name}: features`,
      );
      assert.ok(far(got.weights, want.p) <= slack, `${name}: weights`);
      const options = { headDim: d, valueDim: dv, want: { weights: true } };
      assert.ok(
        far(
          got.weights,
          ch.attention(q, k, v, { ...options, scale: 1, keyScale: lambda }).weights,
        ) <= slack,
        `${name}: keyScale`,
      );
      assert.ok(
        far(
          maximumEntropy(q, k, { multipliers: alpha }).weights,
          ch.attention(q, k, v, options).weights,
        ) <= slack,
        `${name}: tied`,
      );
    }
  });

  /** Seeded states with a target that the multiplier `asked` meets, and the report. */
  function* targets() {
    for (const state of queries(6)) {
      const { q, k, r, d, n } = state;
      const { features } = maximumEntropy(q, k, { multipliers: 0 });
      const asked =
        r.pick([-3, -0.1, 0, 1e-6, 0.5, 1 / Math.sqrt(d), 2]) / (1 + Math.abs(features[0]) / 100);
      const target = dot(softmax(features.map((f) => asked * f)).p, features);
      const got = maximumEntropy(q, k, { target });
      const size = Math.max(...features.map(Math.abs));
      const slack = u * (64 + 4 * d + 32 * Math.log(n)) * size;
      yield { ...state, features, asked, target, got, size, slack };
    }
  }

  test(`the multiplier found meets the target (${variant})`, () => {
    let worst = 0;
    let max = 0;
    for (const { features, target, got, slack, name } of targets()) {
      const met = dot(got.weights, features);
      assert.ok(Math.abs(met - target) <= 2 * slack, `${name}: ⟨f⟩ ${met}, target ${target}`);
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      worst = Math.max(worst, got.identity.difference / got.identity.allowed || 0);
      max = Math.max(max, got.iterations);
    }
    assert.ok(worst > 0.001 && max < 100, `within ${worst} of what is allowed, ${max} iterations`);
  });

  test(`the weights that meet a target are softmax of the features (${variant})`, () => {
    for (const { n, got, size, name } of targets()) {
      if (!Number.isFinite(got.multiplier)) continue;
      const { p } = softmax(got.features.map((f) => got.multiplier * f));
      const allowed = u * (64 + 4 * n + 8 * Math.abs(got.multiplier) * size);
      assert.ok(far(got.weights, p) <= allowed, name);
    }
  });

  test(`the multiplier found is that of halving (${variant})`, () => {
    for (const { features, asked, target, got, size, slack, name } of targets()) {
      const spread = variance(got.weights, features);
      if (!(spread > 1e-9 * size * size && Math.abs(asked) * size < 500)) continue;
      const bisected = multiplierOf(features, target);
      assert.ok(
        Math.abs(got.multiplier - bisected) <= (8 * slack) / spread + 1e-13 * Math.abs(bisected),
        `${name}: λ ${got.multiplier}, ${bisected}`,
      );
    }
  });

  test(`another distribution that meets the target has less entropy, by KL (${variant})`, () => {
    for (const { features, n, got, size, name } of targets()) {
      if (n < 3 || !Number.isFinite(got.multiplier)) continue;
      // weight moved among three keys so that Σ and ⟨f⟩ stay
      const [a, b, c] = features;
      const turn = [b - c, c - a, a - b];
      const limits = turn.map((x, j) => (x ? got.weights[j] / Math.abs(x) : Infinity));
      const step = 0.5 * Math.min(...limits);
      if (!(step > 0 && step < Infinity)) continue;
      const other = got.weights.map((x, j) => (j < 3 ? x + step * turn[j] : x));
      const short = divergence(other, softmax(got.features.map((f) => got.multiplier * f)).logs);
      const allowed = u * (64 + 64 * Math.log(n) ** 2 + 16 * Math.abs(got.multiplier) * size);
      const fall = got.entropy - entropy(other);
      assert.ok(
        Math.abs(fall - short) <= allowed && short >= -allowed,
        `${name}: H falls by KL: ${fall}, ${short}`,
      );
    }
  });

  test(`the target is met whatever the number of keys (${variant})`, () => {
    for (const n of LARGE)
      for (const max of [0.1, 0.3, 0.9])
        for (const target of [0.2, 0.5]) {
          // one sum of many equal terms is all rounding in one direction
          const { identity, iterations } = maximumEntropy(
            Float64Array.of(1),
            Float64Array.from({ length: n }, (_, j) => (j < 2 ? j : max)),
            { target },
          );
          assert.ok(
            identity.holds && iterations < 20,
            `n = ${n}, ${max}, ${target}: ${JSON.stringify(identity)}, ${iterations}`,
          );
        }
  });

  test(`a target at an end of the range puts all weight on the keys there (${variant})`, () => {
    const q = Float64Array.of(1);
    const k = Float64Array.of(2, -1, 2, 0.5);
    const top = maximumEntropy(q, k, { target: 2 });
    const bottom = maximumEntropy(q, k, { target: -1 });
    assert.deepEqual([top.multiplier, [...top.weights]], [Infinity, [0.5, 0, 0.5, 0]]);
    assert.deepEqual([bottom.multiplier, [...bottom.weights]], [-Infinity, [0, 1, 0, 0]]);
    for (const exponent of [-1, -4, -8, -12, -15]) {
      const near = maximumEntropy(q, k, { target: 2 - 10 ** exponent });
      assert.ok(
        near.identity.holds && near.multiplier > 0 && near.iterations < 60,
        `2 − 1e${exponent}: ${JSON.stringify(near)}`,
      );
    }
  });

  test(`features that are all the same have equal weights (${variant})`, () => {
    const q = Float64Array.of(1);
    const same = maximumEntropy(q, Float64Array.of(3, 3), { target: 3 });
    assert.deepEqual([same.multiplier, [...same.weights], same.entropy], [0, [0.5, 0.5], Math.LN2]);
  });
}
