/** Statement 21: a sink is a gate. Statement 22: a bias is a prior. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { refuses, t, z as row } from '../support/theory/calls.js';
import {
  distribution,
  divergence,
  dot,
  far,
  logits,
  softmax,
  u,
  units,
} from '../support/theory/states.js';

/** Biases of a row: as of positions, of a few keys, huge or none. */
const biasesOf = (r, n) => {
  const at = r.pick([
    (j) => -0.5 * j,
    (j) => (j % 3 ? 0 : r.normal()),
    () => r.pick([-1e4, 1e4]),
    () => 0,
  ]);
  return Float64Array.from({ length: n }, (_, j) => at(j));
};

for (const { variant, ch } of engines) {
  const { biasPrior, gibbs, sinkGate } = await ch.theory;

  test(`a sink multiplies attention by one number (${variant})`, () => {
    let worst = 0;
    for (const { r, n, z, T, name } of logits(87)) {
      const top = Math.max(...z);
      const sink = top + T * r.pick([-1e3, -20, -1, 0, 1, 20, 1e3]);
      const got = sinkGate(z, { temperature: T, sink });
      const v = Float64Array.from({ length: n }, () => r.normal());
      const attend = (more) =>
        ch.attention(Float64Array.of(1), z, v, { headDim: 1, temperature: T, ...more });
      const plain = attend().output[0];
      const gated = attend({ sinks: Float64Array.of(sink), want: { weights: true } });
      const all = softmax(Float64Array.of(...z, sink), T);
      const gate = all.p.subarray(0, n).reduce((a, b) => a + b);
      // of the weights, and of the logits that make them
      const slack = u * (units([...z, sink], T) + (16 * (Math.abs(top) + Math.abs(sink))) / T);
      const size = dot(softmax(z, T).p, v.map(Math.abs));
      assert.ok(Math.abs(got.gate - gate) <= slack * gate + 1e-300, `${name}: ${got.gate}`);
      assert.ok(
        Math.abs(got.sink - all.p[n]) <= slack * all.p[n] + 1e-300,
        `${name}: sink ${got.sink}`,
      );
      assert.ok(
        Math.abs(gated.output[0] - got.gate * plain) <= slack * got.gate * size + 1e-300,
        `${name}: ${gated.output[0]}, ${got.gate * plain}`,
      );
      assert.ok(far(got.weights, gated.weights) <= slack, `${name}: weights`);
      const odds = softmax(z, T).lse - sink / T;
      const lost = u * (64 + 4 * n + 16 * ((Math.abs(top) + Math.abs(sink)) / T + Math.log(n)));
      assert.ok(Math.abs(got.odds - odds) <= lost, `${name}: ${got.odds}, ${odds}`);
      assert.ok(Math.abs(got.lse - softmax(z, T).lse) <= lost, `${name}: ${got.lse}`);
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      worst = Math.max(worst, got.identity.difference / got.identity.allowed);
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`a sink as likely as all keys halves the output (${variant})`, () => {
    const z = Float64Array.of(1, 1, 1, 1);
    const { gate, sink, odds, weights } = sinkGate(z, {
      sink: 1 + 0.5 * Math.log(4),
      temperature: 0.5,
    });
    for (const [x, want] of [
      [gate, 0.5],
      [sink, 0.5],
      [odds, 0],
      [weights[2], 1 / 8],
    ])
      assert.ok(Math.abs(x - want) < 1e-15, `${x}, ${want}`);
  });

  test(`softmax of biased logits is the best answer to a prior (${variant})`, () => {
    let worst = 0;
    for (const { r, n, z, T, name } of logits(88)) {
      const bias = biasesOf(r, n);
      const biased = z.map((x, j) => x + bias[j]);
      const [posterior, prior] = [softmax(biased, T), softmax(bias, T)];
      const candidate = r.chance(0.3) ? prior.p : distribution(r, n);
      const got = biasPrior(z, { temperature: T, bias, candidate });
      const size = Math.max(...z.map(Math.abs)) + Math.max(...bias.map(Math.abs));
      const slack = u * (units(biased, T) + units(bias, T) + (32 * size) / T);
      assert.ok(far(got.weights, posterior.p) <= slack, `${name}: weights`);
      assert.ok(far(got.prior, prior.p) <= slack, `${name}: prior`);
      const sum = candidate.reduce((a, b) => a + b);
      const other = candidate.map((x) => x / sum);
      const reached = dot(other, z) - T * divergence(other, prior.logs);
      const optimum = T * (posterior.lse - prior.lse);
      const logSize = -Math.min(...prior.logs, ...posterior.logs);
      const wide =
        T * (slack + u * (256 + 8 * n + 64 * Math.log(n) + 32 * logSize)) + 32 * u * size;
      assert.ok(Math.abs(got.optimum - optimum) <= wide, `${name}: ${got.optimum}, ${optimum}`);
      assert.ok(Math.abs(got.objective - reached) <= wide, `${name}: ${got.objective}, ${reached}`);
      assert.ok(
        got.kl >= 0 &&
          got.gap === T * got.kl &&
          Math.abs(got.gap - T * divergence(other, posterior.logs)) <= wide,
        `${name}: ${got.kl}`,
      );
      assert.ok(
        got.evidence >= 0 &&
          Math.abs(got.evidence - divergence(posterior.p, prior.logs)) * T <= wide,
        `${name}: evidence ${got.evidence}`,
      );
      for (const { holds, difference, allowed } of [got.identity, got.evidenceIdentity]) {
        assert.ok(holds, `${name}: ${difference} of ${allowed}`);
        worst = Math.max(worst, difference / allowed);
      }
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`without a bias, evidence is the budget and the answer Gibbs’s (${variant})`, () => {
    for (const { r, n, z, T, name } of logits(89)) {
      const candidate = distribution(r, n);
      const bias = new Float64Array(n).fill(r.pick([0, 3, -7]));
      const got = biasPrior(z, { temperature: T, bias, candidate });
      const plain = gibbs(z, { temperature: T, candidate });
      const size = Math.max(...z.map(Math.abs)) / T;
      const slack = u * (64 + 64 * Math.log(n) ** 2 + 64 * Math.log(n) + 16 * size);
      assert.ok(Math.abs(got.kl - plain.kl) <= slack * (1 + plain.kl), `${name}: ${got.kl}`);
      assert.ok(
        Math.abs(got.evidence - (Math.log(n) - plain.entropy)) <= slack,
        `${name}: ${got.evidence}`,
      );
      const own = biasPrior(z, { temperature: T, bias });
      assert.ok(own.kl === 0 && own.identity.holds, `${name}: ${JSON.stringify(own.identity)}`);
    }
  });

  test(`content that changes nothing is no evidence (${variant})`, () => {
    const bias = Float64Array.of(0, -1, -2, -30);
    const { evidence } = biasPrior(new Float64Array(4).fill(9), { bias });
    assert.ok(evidence >= 0 && evidence < 1e-28, `${evidence}`);
  });
}

test('neither a sink nor a bias is assumed', () => {
  refuses('no bias', 'ARG', 'bias', () => t.biasPrior(row));
  refuses('no sink', 'ARG', 'sink', () => t.sinkGate(row));
});
