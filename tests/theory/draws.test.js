/** Statement 24: how many draws from a row it takes to reject that it is uniform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { refuses, t, z as row } from '../support/theory/calls.js';
import { random } from '../support/random.js';
import { divergence, entropy, logits, softmax, u } from '../support/theory/states.js';

/** Draws keys until the evidence against uniform passes log(1/ε), or falls below `hopeless`. */
function sequentialTest(r, from, evidence, epsilon, hopeless = -Infinity) {
  let total = 0;
  let count = 0;
  while (total < -Math.log(epsilon) && total > hopeless) {
    let x = r.uniform();
    const key = from.findIndex((p) => (x -= p) < 0);
    total += evidence[key < 0 ? from.length - 1 : key];
    count++;
  }
  return { count, total };
}
const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;
const deviation = (xs) => Math.sqrt(mean(xs.map((x) => (x - mean(xs)) ** 2)));

for (const { variant, ch } of engines) {
  const { drawsToReject } = await ch.theory;

  test(`the experiment meets log(1/ε)/ρ, over rows of every kind (${variant})`, () => {
    const scores = [];
    for (const [seed, { r, n, z, T, name }] of [...logits(92)].entries()) {
      const { p, logs } = softmax(z, T);
      const uniform = p.map(() => -Math.log(n));
      const rho = divergence(p, uniform);
      if (!(rho > 0.05)) continue;
      const epsilon = r.pick([0.2, 0.01, 1e-6]);
      const got = drawsToReject(z, { temperature: T, epsilon, samples: 60, seed });
      const threshold = -Math.log(epsilon);
      const maxEvidence = Math.log(n) + Math.max(...logs);
      const slack = (u * (256 + 16 * n + 64 * Math.log(n) ** 2)) / rho;
      assert.ok(Math.abs(got.rho / rho - 1) <= slack, `${name}: ${got.rho}, ${rho}`);
      for (const [x, want] of [
        [got.expected, threshold / rho],
        [got.upper, (threshold + maxEvidence) / rho],
      ])
        assert.ok(Math.abs(x / want - 1) <= slack, `${name}: ${x}, ${want}`);
      // a draw adds at most that, so the draws are as many at least, and the evidence ends below
      assert.ok(got.draws * maxEvidence >= threshold * (1 - 1e-12), `${name}: ${got.draws}`);
      assert.ok(
        got.falseAlarms <= epsilon * (1 + 64 * u) &&
          got.falseAlarms >= epsilon * Math.exp(-maxEvidence) * (1 - 1e-12),
        `${name}: ${got.falseAlarms}`,
      );
      if (got.residualError > 1e-9) scores.push(got.residual / got.residualError);
      else assert.ok(Math.abs(got.residual) <= 1e-9, `${name}: ${got.residual}`);
    }
    const error = deviation(scores) / Math.sqrt(scores.length);
    assert.ok(scores.length > 300 && Math.abs(mean(scores)) <= 5 * error, `${mean(scores)}`);
    // its standard error is as stated: the scores have a variance of about 1
    assert.ok(Math.abs(deviation(scores) - 1) < 0.3, `${deviation(scores)}`);
  });

  test(`another experiment with other numbers needs as many draws (${variant})`, () => {
    for (const T of [0.5, 1, 3]) {
      const z = Float64Array.of(2, 1, 0.5, -1, 0, 0);
      const { p, logs } = softmax(z, T);
      const evidence = logs.map((x) => x + Math.log(6));
      const r = random(9301 + T);
      const counts = Array.from({ length: 3000 }, () => sequentialTest(r, p, evidence, 0.01).count);
      const got = drawsToReject(z, { temperature: T, epsilon: 0.01, samples: 20000 });
      const error = Math.hypot(got.standardError, deviation(counts) / Math.sqrt(counts.length));
      assert.ok(Math.abs(got.draws - mean(counts)) <= 5 * error, `${got.draws}, ${mean(counts)}`);
      assert.ok(
        got.draws >= got.expected - 5 * error && got.draws <= got.upper + 5 * error,
        `${got.expected}, ${got.draws}, ${got.upper}`,
      );
      // of small errors the formula is all: the evidence beyond the threshold weighs less and less
      const small = drawsToReject(z, { temperature: T, epsilon: 1e-200, samples: 200 });
      assert.ok(Math.abs(small.draws / small.expected - 1) < 0.05, `${small.draws}`);
    }
  });

  test(`uniform draws are rejected as seldom as their likelihood ratio says (${variant})`, () => {
    const z = Float64Array.of(1, 0, 0, -0.5);
    const epsilon = 0.2;
    const { logs } = softmax(z);
    const evidence = logs.map((x) => x + Math.log(4));
    const r = random(9302);
    const count = 4000;
    const uniform = new Float64Array(4).fill(1 / 4);
    let rejected = 0;
    for (let x = 0; x < count; x++)
      rejected += Number(sequentialTest(r, uniform, evidence, epsilon, -12).total > 0);
    const { falseAlarms } = drawsToReject(z, { epsilon, samples: 4000 });
    const error = Math.sqrt((epsilon * (1 - epsilon)) / count);
    assert.ok(Math.abs(rejected / count - falseAlarms) <= 5 * error + Math.exp(-12), `${rejected}`);
    assert.ok(rejected / count <= epsilon + 5 * error, `${rejected}`);
  });

  test(`a row on one key of n is rejected after log(1/ε)/log n draws (${variant})`, () => {
    const z = Float64Array.of(1e4, 0, 0, 0, 0, 0, 0, 0);
    const got = drawsToReject(z, { epsilon: 1e-3, samples: 7 });
    assert.deepEqual([got.draws, got.standardError], [Math.ceil(Math.log(1e3) / Math.log(8)), 0]);
    assert.ok(Math.abs(got.rho - Math.log(8) + entropy(Float64Array.of(1))) < 1e-15);
  });

  test(`a seed repeats its draws, and another has others (${variant})`, () => {
    const z = Float64Array.of(2, 1, 0.5, -1);
    sameBits(drawsToReject(z, { seed: 4 }), drawsToReject(z, { seed: 4 }));
    assert.notEqual(drawsToReject(z, { seed: 4 }).draws, drawsToReject(z, { seed: 5 }).draws);
  });
}

test('a seed or an epsilon outside its range, and rows of too many draws, are refused', () => {
  for (const seed of [-1, 1.5, NaN, 2 ** 32])
    refuses(`a seed of ${seed}`, 'RANGE', 'seed', () => t.drawsToReject(row, { seed }));
  refuses('an epsilon of 1', 'RANGE', 'epsilon', () => t.drawsToReject(row, { epsilon: 1 }));
  for (const [what, logits, samples] of [
    ['equal logits', [1, 1, 1], 1],
    ['a single key', [1], 1],
    ['nearly equal logits', [1, 1, 1 + 1e-6], 10],
    ['many samples', [1, 2, 3], 2 ** 31 - 1],
  ])
    refuses(what, 'LIMIT', 'samples', () =>
      t.drawsToReject(Float64Array.from(logits), { samples, epsilon: 0.01 }),
    );
});
