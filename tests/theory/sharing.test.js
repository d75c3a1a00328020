/** Statement 12: how far shared keys move weights and outputs, beside the bounds on that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import { queries, u } from '../support/theory/states.js';
import { norm, oracle } from '../support/theory/shared-keys.js';

for (const { variant, ch } of engines) {
  const { operatorNorm, sharedKeyBounds } = await ch.theory;

  /** Seeded states whose keys move by `far`: the report, the definition, and the tolerance. */
  function* made() {
    for (const state of queries(17)) {
      const { q, k, v, r, n, d, T } = state;
      const far = r.pick([0, 1e-9, 0.1, 1, 100]);
      const sharedK = k.map((x) => x + far * r.normal());
      const sharedV = r.chance(0.5) ? v.map((x) => x + 0.1 * r.normal()) : undefined;
      const got = sharedKeyBounds(q, k, sharedK, v, { headDim: d, temperature: T, sharedV });
      const want = oracle(state, sharedK, sharedV ?? v, got.operatorNorm.upper);
      const slack = u * (128 + 8 * n + (8 * d + 64) * want.size);
      yield { ...state, far, sharedK, got, want, slack };
    }
  }
  let known;
  const states = () => (known ??= [...made()]);
  const longest = (list) => Math.max(...list.map(Math.abs));

  test(`every difference is that of the statement (${variant})`, () => {
    for (const { v, n, got, want, slack, name } of states()) {
      const allowed = slack * (4 + 4 * longest(v)) * Math.sqrt(n);
      for (const [key, x] of Object.entries(want.measured)) {
        const [difference] = got.measured[key];
        assert.ok(Math.abs(difference - x) <= allowed, `${name}: ${key} ${difference}, ${x}`);
      }
    }
  });

  test(`every bound is that of the statement (${variant})`, () => {
    for (const { q, k, n, d, T, far, got, want, slack, name } of states()) {
      const terms = u * (64 + 8 * n + 8 * d) * d * Math.sqrt(n) * 4;
      const noise = (terms * longest(q) * (longest(k) + far * 8)) / T;
      const onOutput = (noise + slack * 8 * n) * (1 + got.diameter + 2 * got.longest);
      for (const [key, x] of Object.entries(want.bounds)) {
        const { values, cap, vacuous } = got.bounds[key];
        const allowed = (key.startsWith('output') ? onOutput : noise) + 64 * u * x;
        assert.ok(Math.abs(values[0] - x) <= allowed, `${name}: ${key} ${values[0]}, ${x}`);
        assert.ok(Math.abs(cap - want.caps[key]) <= 16 * u * cap, `${name}: cap of ${key}`);
        assert.equal(vacuous, Number(values[0] >= cap), `${name}: ${key}`);
      }
    }
  });

  test(`each bound holds; sharper ones are smaller and less often vacuous (${variant})`, () => {
    const vacuous = { sharp: 0, note: 0, operator: 0 };
    for (const { got, name } of states()) {
      assert.ok(got.holds, `${name}: ${JSON.stringify(got.bounds)}`);
      const { sharp, note, operator } = got.bounds;
      assert.ok(sharp.values[0] <= note.values[0] * (0.5 + 8 * u), `${name}: sharp and note`);
      assert.ok(note.values[0] <= operator.values[0] * (1 + 64 * u), `${name}: note and operator`);
      for (const key of Object.keys(vacuous)) vacuous[key] += got.bounds[key].vacuous;
    }
    const { sharp, note, operator } = vacuous;
    assert.ok(operator > note && note > sharp && sharp > 0, JSON.stringify(vacuous));
  });

  test(`the norm of the keys' difference is the largest singular value (${variant})`, () => {
    let large = 0;
    for (const { k, sharedK, n, d, got, name } of states()) {
      const { upper, lower } = got.operatorNorm;
      assert.ok(
        lower <= upper && upper - lower <= (16 * Math.min(n, d) + 64) * u * upper,
        `${name}: ‖ΔK‖ from ${lower} to ${upper}`,
      );
      if (d > 7 && large++ > 40) continue;
      const difference = sharedK.map((x, i) => x - k[i]);
      const singular = norm(difference, d);
      const allowed = u * (64 + 16 * n + 16 * d) * upper;
      assert.ok(Math.abs(upper - singular) <= allowed, `${name}: ‖ΔK‖ ${upper}, ${singular}`);
    }
  });

  test(`a vector that all values share has no part in how far an output moves (${variant})`, () => {
    for (const { q, k, v, r, d, T, name } of queries(19, 200))
      for (const offset of [100, 1e4, 1e6]) {
        const values = v.map((x) => x + offset);
        const sharedK = k.map((x) => x + r.pick([1e-9, 0.1]) * r.normal());
        const got = sharedKeyBounds(q, k, sharedK, values, { headDim: d, temperature: T });
        const near = sharedKeyBounds(
          q,
          k,
          sharedK,
          values.map((x) => x - offset),
          { headDim: d, temperature: T },
        );
        assert.ok(got.holds, `${name} + ${offset}: ${got.bounds.outputDiameter.violated}`);
        assert.ok(
          Math.abs(got.measured.output[0] - near.measured.output[0]) <=
            64 * u * near.measured.weights1[0] * near.longest,
          `${name} + ${offset}`,
        );
      }
  });

  test(`many queries at once are those queries one by one, and their summary (${variant})`, () => {
    const r = random(18);
    const numbers = (length) => Float64Array.from({ length }, () => r.normal());
    const q = numbers(9 * 8);
    const k = numbers(20 * 8);
    const v = numbers(20 * 3);
    const sharedK = k.map((x) => x + 0.3 * r.normal());
    const all = sharedKeyBounds(q, k, sharedK, v, { headDim: 8 });
    const each = Array.from({ length: 9 }, (_, i) =>
      sharedKeyBounds(q.subarray(8 * i, 8 * i + 8), k, sharedK, v, { headDim: 8 }),
    );
    for (const name of Object.keys(all.measured))
      assert.deepEqual(
        [...all.measured[name]],
        each.map((x) => x.measured[name][0]),
        name,
      );
    for (const [name, bound] of Object.entries(all.bounds)) {
      assert.deepEqual(
        [...bound.values],
        each.map((x) => x.bounds[name].values[0]),
        name,
      );
      assert.deepEqual(
        [bound.vacuous, bound.slack],
        [
          each.reduce((sum, x) => sum + x.bounds[name].vacuous, 0),
          Math.min(...each.map((x) => x.bounds[name].slack)),
        ],
        name,
      );
    }
    const still = sharedKeyBounds(q, k, k, v, { headDim: 8 });
    assert.ok(
      still.holds &&
        still.operatorNorm.upper === 0 &&
        still.bounds.sharp.slack === Infinity &&
        still.measured.output.every((x) => x === 0),
    );
  });

  test(`a constant added to every score changes nothing, in sharp bounds too (${variant})`, () => {
    const q = Float64Array.of(1, 0);
    const k = Float64Array.of(1, 2, 3, 4, -1, 0.5);
    const sharedK = k.map((x, i) => x + (i % 2 ? 0 : 2));
    const v = Float64Array.of(1, 2, 3);
    const { measured, bounds } = sharedKeyBounds(q, k, sharedK, v, { headDim: 2 });
    assert.deepEqual(
      [measured.weights2[0], bounds.sharp.values[0], bounds.range.values[0]].map((x) => x < 1e-15),
      [true, true, true],
    );
    assert.ok(bounds.note.values[0] > 2);
  });

  test(`the operator norm is between its ends, for close values too (${variant})`, () => {
    const diagonal = (...x) =>
      Float64Array.from(x.flatMap((y, i) => x.map((_, j) => (i === j ? y : 0))));
    for (const [a, columns, want] of [
      [diagonal(1, 1, 1, 1), 4, 1],
      [diagonal(1, 1 - 1e-12, 0.5), 3, 1],
      [diagonal(1e-150, 3e-151), 2, 1e-150],
      [diagonal(1e150, -2e150), 2, 2e150],
      [diagonal(1e-307, 1e-300), 2, 1e-300],
      [diagonal(-1e308, 1.5e308, 1e-308), 3, 1.5e308],
      [Float64Array.of(3, 4), 2, 5],
      [Float64Array.of(3, 4), 1, 5],
      [Float64Array.of(0, 0), 1, 0],
      [Float64Array.of(1, 1, 0, 1), 2, (1 + Math.sqrt(5)) / 2],
    ]) {
      const { upper, lower } = operatorNorm(a, { columns });
      assert.ok(
        lower <= want * (1 + 4 * u) &&
          upper >= want * (1 - 4 * u) &&
          upper - lower <= 64 * u * want,
        `${[...a]}: ${lower} to ${upper}, not ${want}`,
      );
    }
  });
}
