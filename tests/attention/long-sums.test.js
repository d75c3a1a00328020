/** Very many keys: the error of a sum may not grow with its length. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkedCall, types } from '../support/checked.js';
import { engines } from '../support/engines.js';
import { precisions } from '../support/limits.js';
import { random } from '../support/random.js';

const list = (Type, size, f) => Type.from({ length: size }, (_, x) => f(x));
const notes = [];

for (const { variant, ch } of engines)
  for (const [precision, Type] of Object.entries(types)) {
    const claim = (name, body) => test(`${name} (${precision}, ${variant})`, body);
    const { epsilon } = precisions[precision];
    const checked = (q, k, v, options, name, spike) =>
      checkedCall(ch, q, k, v, options, precision, name, spike);

    claim('the error does not grow with the number of keys, up to 10^5', () => {
      const ratios = [1e3, 1e4, 1e5].map((n) => {
        const r = random(n);
        const d = 4;
        const dv = 3;
        const q = list(Type, 2 * d, () => r.normal());
        const k = list(Type, n * d, () => r.normal());
        return ['spread', 'positive', 'constant', 'flat'].map((kind) => {
          const v = list(
            Type,
            n * dv,
            kind === 'spread'
              ? () => r.normal()
              : kind === 'constant'
                ? (x) => 0.7 + 0.1 * (x % dv)
                : () => 1 + r.uniform(),
          );
          return checked(
            q,
            kind === 'flat' ? new Type(n * d) : k,
            v,
            { headDim: d, valueDim: dv },
            `${n} keys, ${kind} values`,
          ).worst;
        });
      });
      notes.push(
        `${precision} ${variant}: worst error / limit at 10^3, 10^4, 10^5 keys: ` +
          `${ratios.map((x) => Math.max(...x).toFixed(2)).join(', ')}`,
      );
    });

    claim('a column of equal values comes out equal within 4 ε, for any number of keys', () => {
      let worst = 0;
      for (const n of [2, 16, 100, 127, 128, 129, 255, 500, 512, 513, 1000, 1024, 2048, 5000]) {
        const r = random(n);
        const dv = 50;
        const column = list(Type, dv, () => 1 + r.uniform());
        const v = list(Type, n * dv, (x) => column[x % dv]);
        for (const temperature of [1, Infinity]) {
          const { output } = ch.attention(
            list(Type, 2, () => r.normal()),
            list(Type, 2 * n, () => r.normal()),
            v,
            { headDim: 2, valueDim: dv, temperature },
          );
          output.forEach(
            (x, c) => (worst = Math.max(worst, Math.abs(x - column[c]) / column[c] / epsilon)),
          );
        }
      }
      notes.push(
        `${precision} ${variant}: a constant column comes out within ${worst.toFixed(2)} ε`,
      );
      assert.ok(worst <= 4, `${worst} ε`);
    });

    claim('weights among the subnormals, and very many of them, are within the rule', () => {
      for (const n of [1000, 1e5])
        for (const depth of precision === 'float32'
          ? [86, 87, 87.5, 95, 103]
          : [700, 708, 709, 740]) {
          const k = list(Type, n, (j) => (j === n >> 1 ? 0 : -depth + (j % 7) / 16));
          checked(
            Type.of(1),
            k,
            list(Type, n, (j) => (j === n >> 1 ? 0 : 1 + (j % 3))),
            { headDim: 1 },
            `${n} weights of e^−${depth}`,
          );
        }
    });
  }

after(() => notes.forEach((note) => console.log(note)));
