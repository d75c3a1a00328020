/** Infinite and NaN numbers in attention, and integers that stay exact. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, types } from '../support/checked.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import { reference } from '../support/reference.js';

const list = (Type, size, f) => Type.from({ length: size }, (_, x) => f(x));

const RESULTS = ['output', 'weights', 'lse'];
const EVERY = [...RESULTS, 'entropy', 'kl', 'expectedScore', 'maxWeight', 'variance'];

const kindOf = (x) => (Number.isNaN(x) ? 'NaN' : Number.isFinite(x) ? 'finite' : String(x));

/** The first number of a result that is not of the reference's kind, in a list. */
function differenceOf(name, got, ref) {
  const [a, b] = [got, ref].map((result) => result[name] ?? result.stats[name]);
  const x = a.findIndex((y, i) => kindOf(y) !== kindOf(b[i]));
  return x < 0 ? [] : [`${name}[${x}] is ${a[x]}, should be ${b[x]}`];
}

for (const { variant, ch } of engines)
  for (const [precision, Type] of Object.entries(types)) {
    const claim = (name, body) => test(`${name} (${precision}, ${variant})`, body);

    claim('at T = ∞ every attended key weighs the same, one with a score of −∞ too', () => {
      const { weights, output, stats } = ch.attention(
        Type.of(1),
        Type.of(1, -Infinity, 2),
        Type.of(1, 2, 6),
        {
          headDim: 1,
          temperature: Infinity,
          want: all,
        },
      );
      const third = Type.of(1 / 3)[0];
      assert.deepEqual([...weights, stats.maxWeight[0]], [third, third, third, third]);
      assert.deepEqual(
        [output[0], stats.n[0], stats.argmax[0], stats.expectedScore[0]],
        [3, 3, 0, -Infinity],
      );
    });

    /** Calls of two queries, and how their patterns differ from the reference's. */
    function* patterns() {
      for (const n of [3, 70, 200])
        for (const at of [0, n >> 1, n - 1]) {
          const r = random(at);
          const call = {
            q: list(Type, 4, () => r.normal()),
            k: list(Type, 2 * n, () => r.normal()),
            v: list(Type, 3 * n, () => r.normal()),
          };
          const differences = (changed, temperature = 1, names = RESULTS) => {
            const { q, k, v } = { ...call, ...changed };
            const options = { headDim: 2, valueDim: 3, temperature };
            const got = ch.attention(q, k, v, { ...options, want: all });
            const ref = reference(q, k, v, options);
            return names.flatMap((name) =>
              differenceOf(name, got, ref).map((x) => `T = ${temperature}, ${x}`),
            );
          };
          yield { n, at, ...call, differences };
        }
    }

    claim('infinities and NaN follow IEEE arithmetic: the pattern of the reference', () => {
      for (const { n, at, q, k, v, differences } of patterns())
        for (const x of [Infinity, -Infinity, NaN]) {
          const where = `${x} at ${at} of ${n}`;
          assert.deepEqual(differences({ v: v.with(3 * at + 1, x) }), [], `value ${where}`);
          assert.deepEqual(differences({ k: k.with(2 * at, x) }), [], `key ${where}`);
          assert.deepEqual(differences({ q: q.with(2, x) }), [], `query ${where}`);
        }
    });

    claim('a row whose keys are all at −∞ has the pattern of the reference', () => {
      for (const { n, v, differences } of patterns()) {
        const nowhere = new Type(2 * n).fill(-Infinity);
        assert.deepEqual(differences({ q: Type.of(1, 0, 1, 0), k: nowhere, v }), [], `${n} keys`);
      }
    });

    claim('NaN reaches every statistic, also at T = 0 and T = ∞', () => {
      for (const { at, q, k, v, differences } of patterns()) {
        const [badQ, badK, badV] = [q.with(2, NaN), k.with(2 * at, NaN), v.with(3 * at + 1, NaN)];
        for (const temperature of [0, 1]) {
          assert.deepEqual(differences({ k: badK }, temperature, EVERY), [], `key ${at}`);
          assert.deepEqual(differences({ q: badQ }, temperature, EVERY), [], `query, key ${at}`);
        }
        // lse at T = ∞ is log n, whatever the scores
        assert.deepEqual(
          differences({ k: badK }, Infinity, ['output', 'weights']),
          [],
          `key ${at}`,
        );
        assert.deepEqual(differences({ v: badV }, Infinity), [], `value ${at}`);
      }
    });

    claim(
      'integers give exact scores, and exact outputs where the weights are powers of two',
      () => {
        const r = random(3);
        const n = 64;
        const d = 16;
        const m = 5;
        const q = list(Type, m * d, () => r.integer(-3, 3));
        const k = list(Type, n * d, () => r.integer(-3, 3));
        const v = list(Type, n * 4, () => r.integer(-8, 8));
        const { scores } = ch.attention(q, k, v, {
          headDim: d,
          valueDim: 4,
          want: { scores: 'raw' },
        });
        const ref = reference(q, k, v, { headDim: d, valueDim: 4 });
        assert.deepEqual([...scores], [...ref.raw]);
        const { output } = ch.attention(q, k, v, {
          headDim: d,
          valueDim: 4,
          temperature: Infinity,
        });
        for (let c = 0; c < 4; c++)
          assert.equal(
            output[c],
            list(Float64Array, n, (j) => v[4 * j + c]).reduce((a, b) => a + b) / n,
          );
      },
    );
  }
