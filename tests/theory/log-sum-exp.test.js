/** Statement 8: log-sum-exp, its gradient, and how strongly softmax moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { divergence, dot, far, logits, softmax, u, units } from '../support/theory/states.js';

for (const { variant, ch } of engines) {
  const { lipschitz, logSumExp } = await ch.theory;

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
    const max = Number.MAX_VALUE;
    for (const [z, T, h] of [
      [[1e308, 0], 1, [-1e308, 1e308]],
      [[max, max, -max], 1],
      [[max, -max], max],
      [[-max, 1e308], 1e-3, [max, 0]],
      [[0, 0], 2 ** -1022],
      [[5e-324, 0], 1, [0, 5e-324]],
    ]) {
      const { identity } = logSumExp(Float64Array.from(z), {
        temperature: T,
        change: h && Float64Array.from(h),
      });
      assert.ok(
        identity.holds && identity.allowed <= 4096 * u * max,
        `${z}, T = ${T}: ${JSON.stringify(identity)}`,
      );
    }
    const back = logSumExp(Float64Array.of(1e308, 0), { change: Float64Array.of(-1e308, 1e308) });
    assert.ok(back.identity.allowed < 1e-13 * back.identity.left, 'and tells right from wrong');
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
}
