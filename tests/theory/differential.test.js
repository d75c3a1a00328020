/**
 * Statement 8: log-sum-exp, its gradient, its Hessian with all eigenvalues, and how strongly
 * softmax moves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worked } from '../support/clock.js';
import { engines } from '../support/engines.js';
import { eigenvalues } from '../support/theory/jacobi.js';
import { divergence, dot, far, logits, softmax, u, units } from '../support/theory/states.js';

/** λ(Diag p − ppᵀ), written out. */
const hessian = (p, T) =>
  Array.from(p, (x, i) => Array.from(p, (y, j) => ((i === j ? x : 0) - x * y) / T));

/**
 * The sign of Σ p_j/(p_j − μ), which rises from one weight to the next, without any rounding: all
 * numbers are whole multiples of 2⁻¹⁷⁰.
 */
function side(p, mu) {
  const whole = (x) => BigInt(x * 2 ** 85) * 2n ** 85n + BigInt(((x * 2 ** 85) % 1) * 2 ** 85);
  const at = whole(mu);
  let top = 0n;
  let bottom = 1n;
  for (const x of p) {
    const w = whole(x);
    top = top * (w - at) + w * bottom;
    bottom *= w - at;
  }
  return Number(top > 0n) * 2 - 1 === Number(bottom > 0n) * 2 - 1 ? 1 : -1;
}

for (const { variant, ch } of engines) {
  const { lipschitz, logSumExp, normal, softmaxJacobian } = await ch.theory;

  test(`log-sum-exp, its gradient and its rise are those of the definition (${variant})`, () => {
    let worst = 0;
    let slopes = 0;
    for (const { r, n, z, T, name } of logits(13)) {
      const h = Float64Array.from({ length: n }, () => r.pick([1e-3, 1, 30]) * r.normal());
      const { p, lse } = softmax(z, T);
      const moved = z.map((x, j) => x + h[j]);
      const got = logSumExp(z, { temperature: T, change: h });
      const size = Math.max(...z.map(Math.abs), ...h.map(Math.abs));
      const slack = u * (64 + 8 * n) * (T + size);
      assert.ok(
        Math.abs(got.value - T * lse) <= slack &&
          Math.abs(got.changed - T * softmax(moved, T).lse) <= slack,
        `${name}: ${got.value}`,
      );
      assert.ok(far(got.gradient, p) <= u * units(z, T), `${name}: gradient`);
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      assert.ok(
        Math.abs(got.identity.right - T * divergence(p, softmax(moved, T).logs)) <=
          slack * (4 + units(z, T) / 32),
        `${name}: KL`,
      );
      worst = Math.max(worst, got.identity.difference / got.identity.allowed);
      // central differences; the third derivative is at most λ² times h² over 6
      const e = 1e-4 * T;
      const at = r.integer(0, n - 1);
      const shift = (x) =>
        logSumExp(
          z.map((y, j) => y + (j === at ? x : 0)),
          { temperature: T },
        ).value;
      if (size > 1e3 * T) continue;
      slopes++;
      assert.ok(
        Math.abs((shift(e) - shift(-e)) / (2 * e) - got.gradient[at]) <=
          2e-9 + (8 * u * (size + T)) / e,
        `${name}: slope along ${at}`,
      );
    }
    assert.ok(worst > 0.01 && slopes > 400, `within ${worst} of what is allowed, ${slopes} slopes`);
  });

  test(`log-sum-exp holds as far as the doubles go (${variant})`, () => {
    const most = Number.MAX_VALUE;
    for (const [z, T, h] of [
      [[1e308, 0], 1, [-1e308, 1e308]],
      [[most, most, -most], 1],
      [[most, -most], most],
      [[-most, 1e308], 1e-3, [most, 0]],
      [[0, 0], 2 ** -1022],
      [[5e-324, 0], 1, [0, 5e-324]],
    ]) {
      const { identity } = logSumExp(Float64Array.from(z), {
        temperature: T,
        change: h && Float64Array.from(h),
      });
      assert.ok(
        identity.holds && identity.allowed <= 4096 * u * most,
        `${z}, T = ${T}: ${JSON.stringify(identity)}`,
      );
    }
    const back = logSumExp(Float64Array.of(1e308, 0), { change: Float64Array.of(-1e308, 1e308) });
    assert.ok(back.identity.allowed < 1e-13 * back.identity.left, 'and tells right from wrong');
  });

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
    for (const [n, spread] of [
      [2, 1],
      [7, 3],
      [33, 1],
      [60, 2],
      [150, 0.01],
      [150, 3],
      [400, 1],
    ]) {
      const z = normal(n, { seed: n }).map((x) => spread * x);
      const J = softmaxJacobian(z);
      const { eigenvalues: mu } = J.spectrum();
      const sorted = [...J.weights].sort((a, b) => b - a);
      const step = 4 * u;
      for (let i = 0; i < n - 1; i += 1 + Math.floor(n / 40)) {
        const below = mu[i] * (1 - step);
        const above = mu[i] * (1 + step);
        assert.ok(mu[i] > 2 ** -30, 'large enough for whole numbers');
        // a weight nearer than 4 units bounds the root itself
        if (below > sorted[i + 1])
          assert.equal(
            side(J.weights, below),
            -1,
            `n = ${n}, spread ${spread}: μ_${i} = ${mu[i]} is too large`,
          );
        if (above < sorted[i])
          assert.equal(
            side(J.weights, above),
            1,
            `n = ${n}, spread ${spread}: μ_${i} = ${mu[i]} is too small`,
          );
        checked++;
      }
      if (n > 2) assert.ok(Math.abs(J.top() / mu[0] - 1) <= 16 * u, `n = ${n}: top`);
    }
    assert.ok(checked > 150);
    for (const [n, spread] of [
      [1000, 5],
      [3000, 30],
      [3000, 0],
    ]) {
      const z = normal(n, { seed: n }).map((x) => spread * x);
      const { weights, spectrum } = softmaxJacobian(z);
      const { eigenvalues, identity } = spectrum();
      const squares = dot(weights, weights);
      const cubes = dot(
        weights,
        weights.map((x) => x * x),
      );
      assert.ok(
        identity.holds &&
          Math.abs(dot(eigenvalues, eigenvalues) - (squares - 2 * cubes + squares ** 2)) <= 128 * u,
        `n = ${n}, spread ${spread}`,
      );
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

  test(`softmax is λ/2-Lipschitz and 2/λ-cocoercive, also for close pairs (${variant})`, () => {
    let nearest = 0;
    for (const { r, n, z, T, name } of logits(16)) {
      const pairs = 4;
      const a = new Float64Array(pairs * n);
      const b = new Float64Array(pairs * n);
      for (let x = 0; x < pairs; x++)
        for (let j = 0; j < n; j++) {
          // any change, a tiny one, one of the top direction, none
          a[x * n + j] = x === 2 ? (j < 2 ? 0 : -1e5 * T) : z[j];
          b[x * n + j] =
            a[x * n + j] +
            [3 * T * r.normal(), 1e-9 * T * r.normal(), j < 2 ? (j ? -1 : 1) * 1e-3 * T : 0, 0][x];
        }
      const got = lipschitz(a, b, { keys: n, temperature: T });
      assert.ok(got.holds, `${name}: ${JSON.stringify(got)}`);
      assert.deepEqual(
        [
          got.bounds.sharp,
          got.bounds.note,
          got.cocoercivityBounds.sharp,
          got.cocoercivityBounds.note,
        ],
        [1 / T / 2, 1 / T, 2 * T, T],
        name,
      );
      assert.deepEqual([got.ratios[3], got.cocoercivity[3]], [0, Infinity], name);
      assert.equal(got.maxRatio, Math.max(...got.ratios), name);
      assert.equal(got.minCocoercivity, Math.min(...got.cocoercivity), name);
      if (n > 1) nearest = Math.max(nearest, got.ratios[2] * 2 * T);
      // against plain differences, where those have digits left
      const from = softmax(a.subarray(0, n), T).p;
      const to = softmax(b.subarray(0, n), T).p;
      const dz = b.subarray(0, n).map((x, j) => x - a[j]);
      const dp = to.map((x, j) => x - from[j]);
      const moved = Math.hypot(...dp);
      const ratio = moved / Math.hypot(...dz);
      const noise = u * units(z, T) * 4;
      assert.ok(
        Math.abs(got.ratios[0] - ratio) <= noise / Math.hypot(...dz),
        `${name}: ratio ${got.ratios[0]}, ${ratio}`,
      );
      if (moved > 1e-3)
        assert.ok(
          Math.abs(got.cocoercivity[0] / (dot(dz, dp) / moved ** 2) - 1) <=
            1e3 * noise * (1 + Math.hypot(...dz) / T),
          `${name}: cocoercivity`,
        );
    }
    assert.ok(nearest > 1 - 1e-6, `the nearest pair reaches ${nearest} of λ/2`);
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
