/** Infinite and NaN numbers in attention, and integers that stay exact. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, types } from '../support/checked.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import { reference } from '../support/reference.js';

const list = (Type, size, f) => Type.from({ length: size }, (_, x) => f(x));

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

    claim('infinities follow IEEE arithmetic: the pattern of the reference', () => {
      const wrong = [];
      const pattern = (a) =>
        Array.from(a, (x) => (Number.isNaN(x) ? 'NaN' : Number.isFinite(x) ? 'finite' : String(x)));
      for (const n of [3, 70, 200])
        for (const at of [0, n >> 1, n - 1]) {
          const r = random(at);
          const q = list(Type, 4, () => r.normal());
          const k = list(Type, 2 * n, () => r.normal());
          const v = list(Type, 3 * n, () => r.normal());
          const compared = (
            what,
            q1,
            k1,
            v1,
            kExact = k1,
            temperature = 1,
            names = ['output', 'weights', 'lse'],
          ) => {
            const options = { headDim: 2, valueDim: 3, temperature };
            const got = ch.attention(q1, k1, v1, { ...options, want: all });
            const ref = reference(q1, kExact, v1, options);
            for (const name of names) {
              const [a, b] = [got, ref].map((result) =>
                pattern(result[name] ?? result.stats[name]),
              );
              const x = a.findIndex((y, i) => y !== b[i]);
              if (x >= 0)
                wrong.push(
                  `${what} at ${at} of ${n}, T = ${temperature}: ${name}[${x}] is ${a[x]}, ` +
                    `should be ${b[x]}`,
                );
            }
          };
          for (const x of [Infinity, -Infinity, NaN]) {
            const with_ = (a, i) => {
              const b = a.slice();
              b[i] = x;
              return b;
            };
            compared(`value ${x}`, q, k, with_(v, 3 * at + 1));
            compared(`key ${x}`, q, with_(k, 2 * at), v);
            compared(`query ${x}`, with_(q, 2), k, v);
            if (Number.isNaN(x)) {
              // lse at T = ∞ is log n, whatever the scores
              const every = [
                'output',
                'weights',
                'lse',
                'entropy',
                'kl',
                'expectedScore',
                'maxWeight',
                'variance',
              ];
              for (const temperature of [0, 1]) {
                compared('key NaN', q, with_(k, 2 * at), v, undefined, temperature, every);
                compared('query NaN', with_(q, 2), k, v, undefined, temperature, every);
              }
              compared('key NaN', q, with_(k, 2 * at), v, undefined, Infinity, [
                'output',
                'weights',
              ]);
              compared('value NaN', q, k, with_(v, 3 * at + 1), undefined, Infinity);
            }
          }
          const away = (x) => Type.of(x, 0, x, 0);
          const nowhere = new Type(2 * n).fill(-Infinity);
          compared('nothing but −∞', away(1), nowhere, v);
        }
      assert.ok(wrong.length === 0, `${wrong.length} wrong:\n${wrong.slice(0, 12).join('\n')}`);
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
