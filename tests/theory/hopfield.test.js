/** Statement 23: attention never raises the energy of a Hopfield network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { k as keys, q as query, refuses, t } from '../support/theory/calls.js';
import { dot, queries, softmax, u, units } from '../support/theory/states.js';

const length = (x) => Math.hypot(...x);

/** Kξ/T, softmax of it and the energy. */
function state(xi, k, T) {
  const d = xi.length;
  const z = Float64Array.from({ length: k.length / d }, (_, j) =>
    dot(xi, k.subarray(j * d, j * d + d)),
  );
  const { p, lse, logs } = softmax(z, T);
  return { z, p, logs, energy: dot(xi, xi) / 2 - T * lse };
}

for (const { variant, ch } of engines) {
  const { hopfield } = await ch.theory;

  test(`each step is attention, and falls by its length and a KL (${variant})`, () => {
    let worst = 0;
    for (const { r, n, d, T, q, k, name } of queries(90)) {
      const steps = r.integer(1, 4);
      const got = hopfield(q, k, { temperature: T, steps });
      const longest = Math.max(
        ...Array.from({ length: n }, (_, j) => length(k.subarray(j * d, j * d + d))),
      );
      assert.ok(got.holds && got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      worst = Math.max(worst, got.identity.difference / got.identity.allowed);
      const drops = [];
      for (let x = 0; x < steps; x++) {
        const xi = got.states.subarray(x * d, x * d + d);
        const next = got.states.subarray((x + 1) * d, (x + 2) * d);
        const { z, energy } = state(xi, k, T);
        const size = (longest + length(xi)) ** 2;
        const slack = u * (64 + 8 * n + 8 * d) * (T * (1 + Math.log(n)) + size);
        assert.ok(Math.abs(got.energies[x] - energy) <= slack, `${name}: ${energy}`);
        const step = ch.attention(xi, k, k, { headDim: d, scale: 1, temperature: T }).output;
        const rounding = u * (units(z, T) + (16 * d * size) / T) * longest;
        for (let c = 0; c < d; c++)
          assert.ok(Math.abs(next[c] - step[c]) <= rounding, `${name}: ${next[c]}, ${step[c]}`);
        drops.push(got.energies[x] - got.energies[x + 1]);
        assert.ok(drops[x] >= -slack, `${name}: E rises by ${-drops[x]}`);
      }
      assert.equal(got.minDrop, Math.min(...drops), name);
      assert.equal(got.drop, got.energies[0] - got.energies[steps], name);
      const last = got.states.subarray((steps - 1) * d);
      const moved = length(last.subarray(d).map((x, c) => x - last[c]));
      assert.ok(Math.abs(got.moved - moved) <= 8 * d * u * moved, `${name}: ${got.moved}`);
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`the fall is ½‖Δξ‖² + T·KL of the two rows of weights (${variant})`, () => {
    for (const { n, d, T, q, k, name } of queries(91)) {
      const { states, drop } = hopfield(q, k, { temperature: T });
      const [before, after] = [states.subarray(0, d), states.subarray(d)].map((x) =>
        state(x, k, T),
      );
      const kl = before.p.reduce((sum, x, j) => sum + x * (before.logs[j] - after.logs[j]), 0);
      const half = states.subarray(d).reduce((sum, x, c) => sum + (x - states[c]) ** 2 / 2, 0);
      const size = Math.max(
        ...before.z.map(Math.abs),
        ...after.z.map(Math.abs),
        dot(q, q),
        ...k.map((x) => d * x * x),
      );
      // a relative error of the weights meets the differences of their logarithms
      const slack = u * (128 + 8 * n + 16 * d) * (T * (1 + Math.log(n)) + size) * (1 + size / T);
      assert.ok(Math.abs(drop - half - T * kl) <= slack, `${name}: ${drop}, ${half + T * kl}`);
    }
  });

  test(`a cold network recalls the pattern that is nearest (${variant})`, () => {
    const k = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
    const { states, moved } = hopfield(Float64Array.of(0.4, 0.9, 0.2), k, {
      temperature: 0.02,
      steps: 5,
    });
    assert.deepEqual(
      [...states.subarray(15)].map((x) => Math.round(x * 1e9) / 1e9),
      [0, 1, 0],
    );
    assert.ok(moved < 1e-12, `${moved}`);
  });

  test(`a hot one goes to the mean of all, and stays there (${variant})`, () => {
    const k = Float64Array.of(1, 2, -3, 4, 5, 0);
    const { states } = hopfield(Float64Array.of(7, 7), k, { temperature: 1e9, steps: 3 });
    for (const [x, want] of [...states.subarray(6)].entries())
      assert.ok(Math.abs(want - [1, 2][x]) < 1e-6, `${states}`);
  });
}

test('more than a million steps are refused', () =>
  refuses('too many', 'RANGE', 'steps', () => t.hopfield(query, keys, { steps: 1e6 + 1 })));
