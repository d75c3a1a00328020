/**
 * Statement 2: attention is the maximum-likelihood estimate of a value, its log-sum-exp the
 * log-precision.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { far, queries, softmax, u } from '../support/theory/states.js';

/**
 * The likelihood of v_j ~ N(at, 1/θ_j β), as the paper writes it: products of densities, and their
 * derivative (Eq. 2 to 9).
 */
function oracle({ q, k, v, n, d, dv }, alpha, beta, at) {
  const z = Float64Array.from(
    { length: n },
    (_, j) => alpha * q.reduce((sum, x, c) => sum + x * k[j * d + c], 0),
  );
  const { p, lse } = softmax(z);
  const estimate = new Float64Array(dv);
  const gradient = new Float64Array(dv);
  let logLikelihood = 0;
  let size = 0;
  let condition = 0;
  for (let j = 0; j < n; j++) {
    condition = Math.max(
      condition,
      alpha * q.reduce((sum, x, c) => sum + Math.abs(x * k[j * d + c]), 0),
    );
    for (let c = 0; c < dv; c++) {
      const precision = Math.exp(z[j]) * beta;
      const away = at[c] - v[j * dv + c];
      estimate[c] += p[j] * v[j * dv + c];
      gradient[c] -= away === 0 ? 0 : precision * away;
      const constant = (z[j] + Math.log(beta) - Math.log(2 * Math.PI)) / 2;
      const square = away === 0 ? 0 : (precision / 2) * away * away;
      logLikelihood += constant - square;
      size += Math.abs(constant) + square;
    }
  }
  return { z, p, lse, estimate, gradient, logLikelihood, size, condition };
}

for (const { variant, ch } of engines) {
  const { maximumLikelihood } = await ch.theory;

  /** Seeded states: the report, the definition and the tolerance. */
  function* made() {
    for (const state of queries(2)) {
      const { q, k, v, r, n, d, dv } = state;
      const alpha = r.pick([1 / Math.sqrt(d), 1, 0.3]);
      const beta = r.pick([1, 1e-3, 40]);
      const at = Float64Array.from({ length: dv }, () => 2 * r.normal());
      const got = maximumLikelihood(q, k, v, { alpha, beta, at });
      const want = oracle(state, alpha, beta, at);
      // naive sums over d on our side, exponents of size `condition`
      const slack = u * (64 + 4 * n + (4 * d + 16) * want.condition);
      const longest = Math.max(...v.map(Math.abs));
      yield { ...state, beta, at, got, want, slack, longest };
    }
  }
  let known;
  const states = () => (known ??= [...made()]);

  test(`weights and estimate are those of the definition (${variant})`, () => {
    for (const { got, want, slack, longest, name } of states()) {
      assert.ok(far(got.weights, want.p) <= slack, `${name}: weights`);
      assert.ok(far(got.estimate, want.estimate) <= slack * (1 + longest) * 2, `${name}: estimate`);
      const numbers = [...got.weights, ...got.estimate, ...got.step];
      assert.ok(numbers.every(Number.isFinite), `${name}: finite`);
    }
  });

  test(`precisions and the variance are those of the definition (${variant})`, () => {
    for (const { beta, got, want, slack, name } of states()) {
      const log = Math.log(beta);
      const allowed = slack * (1 + Math.abs(log));
      const logs = want.z.map((x) => x + log);
      assert.ok(far(got.logPrecisions, logs) <= allowed, `${name}: precisions`);
      const error = Math.abs(got.logPrecision - want.lse - log);
      assert.ok(error <= allowed, `${name}: log-precision`);
      const size = Math.abs(got.logPrecision);
      const apart = Math.abs(Math.log(got.variance) + got.logPrecision);
      assert.ok(apart <= 4 * u * (2 + size) || size > 700, `${name}: variance`);
    }
  });

  test(`likelihood and derivatives are those of the definition (${variant})`, () => {
    let finite = 0;
    for (const { beta, at, got, want, slack, longest, name } of states()) {
      const apart = Math.abs(got.logLikelihood - want.logLikelihood);
      if (!Number.isFinite(want.size) || want.lse >= 600) {
        const same = got.logLikelihood === want.logLikelihood;
        assert.ok(same || apart <= 2 * slack * want.size, `${name}: ${got.logLikelihood}`);
        continue;
      }
      finite++;
      const what = `${got.logLikelihood}, ${want.logLikelihood}`;
      assert.ok(apart <= 2 * slack * (1 + want.size), `${name}: likelihood ${what}`);
      const precision = Math.exp(want.lse) * beta;
      const pull = precision * (4 + longest + Math.max(...at.map(Math.abs)));
      assert.ok(far(got.gradient, want.gradient) <= 2 * slack * pull, `${name}: gradient`);
      assert.ok(
        Math.abs(got.secondDerivative + precision) <= slack * precision,
        `${name}: second derivative`,
      );
    }
    assert.ok(finite > 500, `${finite} states with a finite likelihood`);
  });

  test(`the identity holds, and comes near to its tolerance (${variant})`, () => {
    let worst = 0;
    for (const { got, name } of states()) {
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      worst = Math.max(worst, got.identity.difference / got.identity.allowed || 0);
    }
    assert.ok(worst > 0.01, `the identity comes within ${worst} of what is allowed`);
  });

  test(`the likelihood is greatest at the output, where its gradient is zero (${variant})`, () => {
    for (const { q, k, v, r, d, dv, name } of queries(3)) {
      const { output, lse } = ch.attention(q, k, v, {
        headDim: d,
        valueDim: dv,
        want: { lse: true },
      });
      const beta = r.pick([1, 3]);
      const here = maximumLikelihood(q, k, v, { beta, at: output });
      const reach = q.reduce((sum, x) => sum + Math.abs(x), 0) * Math.max(...k.map(Math.abs));
      const slack = u * (64 + 16 * reach);
      const size = Math.max(...v.map(Math.abs));
      assert.ok(
        here.step.every((x) => Math.abs(x) <= slack * size),
        `${name}: step ${here.step}`,
      );
      assert.ok(
        Math.abs(here.logPrecision - lse[0] - Math.log(beta)) <= slack * (1 + Math.abs(lse[0])),
        `${name}: log-precision`,
      );
      // anywhere else it is smaller, by half the precision times the distance squared
      const away = output.map((x) => x + r.normal());
      const there = maximumLikelihood(q, k, v, { beta, at: away });
      assert.ok(
        there.identity.left > here.identity.left * (1 - 1e-12),
        `${name}: less likely elsewhere`,
      );
      assert.ok(
        far(
          away.map((x, c) => x + there.step[c]),
          output,
        ) <=
          4 * slack * (4 + size),
        `${name}: one step leads to the estimate`,
      );
    }
  });

  test(`the gradient is that of finite differences (${variant})`, () => {
    for (const { q, k, v, dv, name, r } of queries(4, 200)) {
      const at = Float64Array.from({ length: dv }, () => r.normal());
      const moved = (c, h) =>
        maximumLikelihood(q, k, v, { at: at.map((x, i) => x + (i === c ? h : 0)) });
      const { gradient, logPrecision, logLikelihood, precisions } = maximumLikelihood(q, k, v, {
        at,
      });
      if (logPrecision > 50 || Math.abs(logLikelihood) > 1e6) continue;
      const h = 2 ** -10;
      for (let c = 0; c < dv; c++) {
        // exact for a quadratic but for rounding, which h divides
        const slope = (moved(c, h).logLikelihood - moved(c, -h).logLikelihood) / (2 * h);
        assert.ok(
          Math.abs(slope - gradient[c]) <=
            (256 * u * (1 + Math.abs(logLikelihood) + precisions.length * 10)) / h,
          `${name}: ${slope}, ${gradient[c]}`,
        );
      }
    }
  });
}
