/** Statement 8: the Hessian of log-sum-exp, with all its eigenvalues. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worked } from '../support/clock.js';
import { engines } from '../support/engines.js';
import { eigenvalues } from '../support/theory/jacobi.js';
import { dot, far, logits, softmax, u } from '../support/theory/states.js';
import { hessian, side } from '../support/theory/hessian.js';

/** Numbers of logits, and their spread. */
const SPREADS = [
  [2, 1],
  [7, 3],
  [33, 1],
  [60, 2],
  [150, 0.01],
  [150, 3],
  [400, 1],
];

for (const { variant, ch } of engines) {
  const { normal, softmaxJacobian } = await ch.theory;
  const spreadLogits = (n, spread) => normal(n, { seed: n }).map((x) => spread * x);

  test(`the Hessian times a vector is that of the matrix (${variant})`, () => {
    for (const { r, n, z, T, name } of logits(14)) {
      const x = Float64Array.from({ length: n }, () => r.normal());
      const J = softmaxJacobian(z, { temperature: T });
      const size = Math.max(...x.map(Math.abs)) / T;
      const got = J.apply(x);
      const want = hessian(J.weights, T).map((row) => dot(row, x));
      assert.ok(far(got, want) <= u * (16 + 4 * n) * size, `${name}: ${got}, ${want}`);
      assert.ok(
        Math.abs(got.reduce((a, b) => a + b, 0)) <= u * (16 + 4 * n) * size,
        `${name}: nothing is gained or lost`,
      );
      const h = 1e-5 * T;
      const shifted = (s) =>
        softmax(
          z.map((y, j) => y + s * x[j]),
          T,
        ).p;
      const up = shifted(h);
      const down = shifted(-h);
      const noise =
        (u * (64 + 2 * n + (16 * Math.max(...z.map(Math.abs))) / T)) / h +
        (1e-8 * size ** 3 * T ** 2) / 1 +
        1e-9 * size;
      assert.ok(
        got.every((y, j) => Math.abs((up[j] - down[j]) / (2 * h) - y) <= noise),
        `${name}: the change of softmax`,
      );
    }
  });

  test(`the spectrum is that of the matrix, and interlaces with the weights (${variant})`, () => {
    let compared = 0;
    for (const { r, n, z, T, name } of logits(15)) {
      const J = softmaxJacobian(z, { temperature: T });
      const p = J.weights;
      const { eigenvalues: mu, identity } = J.spectrum();
      const sorted = [...p].sort((a, b) => b - a);
      assert.ok(
        identity.holds && Math.abs(identity.right - (1 - dot(p, p)) / T) <= (16 * u) / T,
        `${name}: ${JSON.stringify(identity)}`,
      );
      const squares = dot(p, p);
      const frobenius =
        (squares -
          2 *
            dot(
              p,
              p.map((x) => x * x),
            ) +
          squares ** 2) /
        T ** 2;
      assert.ok(
        Math.abs(dot(mu, mu) - frobenius) <= (64 * u) / T ** 2,
        `${name}: Σμ² is the squared Frobenius norm`,
      );
      assert.equal(mu[n - 1], 0, name);
      for (let i = 0; i < n - 1; i++)
        assert.ok(
          mu[i] <= (sorted[i] / T) * (1 + 4 * u) && mu[i] >= (sorted[i + 1] / T) * (1 - 4 * u),
          `${name}: μ_${i} = ${mu[i]} between ${sorted[i + 1] / T} and ${sorted[i] / T}`,
        );
      assert.ok(
        Math.abs(J.top() - mu[0]) <= 16 * u * mu[0] && mu[0] <= (0.5 / T) * (1 + 4 * u),
        `${name}: top ${J.top()}, ${mu[0]}`,
      );
      if (n > 17 || r.chance(0.5)) continue;
      compared++;
      assert.ok(far(mu, eigenvalues(hessian(p, T))) <= (u * (64 + 16 * n)) / T, `${name}: ${mu}`);
    }
    assert.ok(compared > 200);
  });

  test(`eigenvalues are within 4 units of the exact roots (${variant})`, () => {
    let checked = 0;
    for (const [n, spread] of SPREADS) {
      const { weights, spectrum } = softmaxJacobian(spreadLogits(n, spread));
      const { eigenvalues: mu } = spectrum();
      const sorted = [...weights].sort((a, b) => b - a);
      for (let i = 0; i < n - 1; i += 1 + Math.floor(n / 40)) {
        const below = mu[i] * (1 - 4 * u);
        const above = mu[i] * (1 + 4 * u);
        const what = `n = ${n}, spread ${spread}: μ_${i} = ${mu[i]} is too`;
        assert.ok(mu[i] > 2 ** -30, 'large enough for whole numbers');
        // a weight nearer than 4 units bounds the root itself
        if (below > sorted[i + 1]) assert.equal(side(weights, below), -1, `${what} large`);
        if (above < sorted[i]) assert.equal(side(weights, above), 1, `${what} small`);
        checked++;
      }
    }
    assert.ok(checked > 150);
  });

  test(`the largest eigenvalue alone is that of the spectrum (${variant})`, () => {
    for (const [n, spread] of SPREADS) {
      const J = softmaxJacobian(spreadLogits(n, spread));
      const [largest] = J.spectrum().eigenvalues;
      if (n > 2) assert.ok(Math.abs(J.top() / largest - 1) <= 16 * u, `n = ${n}: top`);
    }
  });

  test(`the squares of thousands of eigenvalues have the sum of the matrix (${variant})`, () => {
    for (const [n, spread] of [
      [1000, 5],
      [3000, 30],
      [3000, 0],
    ]) {
      const { weights, spectrum } = softmaxJacobian(spreadLogits(n, spread));
      const { eigenvalues, identity } = spectrum();
      const squares = dot(weights, weights);
      const square = weights.map((x) => x * x);
      const want = squares - 2 * dot(weights, square) + squares ** 2;
      const what = `n = ${n}, spread ${spread}`;
      assert.ok(identity.holds, what);
      assert.ok(Math.abs(dot(eigenvalues, eigenvalues) - want) <= 128 * u, what);
    }
  });

  test(`all n eigenvalues take fewer steps than n² (${variant})`, () => {
    const work = (n) => {
      const J = softmaxJacobian(normal(n, { seed: 5 }));
      const before = worked();
      for (let i = 0; i < 3; i++) J.spectrum();
      return worked() - before;
    };
    work(1000);
    // 32 times the weights: 1024 times the work if each met each other; measured 45 times
    const small = Math.min(work(1000), work(1000), work(1000));
    const large = work(32000);
    assert.ok(large < 256 * small, `${small} ms of work, ${large} ms`);
  });

  test(`a distribution far from any softmax still has a spectrum (${variant})`, () => {
    const z = Float64Array.from({ length: 40 }, (_, j) => (j % 3 ? -1e5 : j % 2));
    const { eigenvalues: mu, identity } = softmaxJacobian(z).spectrum();
    assert.ok(
      identity.holds && mu.filter((x) => x > 0).length === z.filter((x) => x > -1e5).length - 1,
      `${mu}`,
    );
    assert.ok(
      [...softmaxJacobian(Float64Array.of(5)).spectrum().eigenvalues].join() === '0' &&
        softmaxJacobian(Float64Array.of(5)).top() === 0,
    );
  });
}
