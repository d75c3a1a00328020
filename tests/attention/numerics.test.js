/** The numbers that break attention kernels: huge, equal and subnormal ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, checkedCall, types } from '../support/checked.js';
import { engines } from '../support/engines.js';
import { precisions } from '../support/limits.js';
import { random } from '../support/random.js';

const list = (Type, size, f) => Type.from({ length: size }, (_, x) => f(x));

for (const { variant, ch } of engines)
  for (const [precision, Type] of Object.entries(types)) {
    const claim = (name, body) => test(`${name} (${precision}, ${variant})`, body);
    const { epsilon } = precisions[precision];
    const checked = (q, k, v, options, name, spike) =>
      checkedCall(ch, q, k, v, options, precision, name, spike);

    claim('equal logits give uniform weights, whatever their size', () => {
      for (const z of [0, 1, -1e30, 1e30, 88, -104]) {
        const n = 70;
        const { weights, output, stats } = ch.attention(
          Type.of(1),
          list(Type, n, () => z),
          list(Type, n, (j) => j),
          { headDim: 1, scale: 1, want: all },
        );
        weights.forEach((w) =>
          assert.ok(Math.abs(w - 1 / n) <= (2 * epsilon) / n, `z = ${z}: ${w}`),
        );
        assert.ok(Math.abs(output[0] - 34.5) <= 8 * epsilon * 34.5);
        assert.ok(
          Math.abs(stats.entropy[0] - Math.log(n)) <= 8 * epsilon * 5 &&
            stats.kl[0] <= 8 * epsilon * 5 &&
            stats.argmax[0] === 0,
        );
      }
    });

    claim('one logit of 1e30 among many takes all the weight', () => {
      for (const at of [0, 1, 63, 69]) {
        const k = list(Type, 70, (j) => (j === at ? 1e30 : 1));
        const { weights, output, stats, lse } = ch.attention(
          Type.of(1),
          k,
          list(Type, 70, (j) => j + 1),
          { headDim: 1, want: all },
        );
        assert.deepEqual(
          [...weights],
          Array.from(weights, (_, j) => Number(j === at)),
        );
        assert.deepEqual(
          [output[0], stats.argmax[0], stats.maxWeight[0], stats.entropy[0], lse[0]],
          [at + 1, at, 1, 0, k[at]],
        );
      }
    });

    claim('logits at the ends of exp are subtracted from their maximum first', () => {
      for (const size of [87, 88, 89, 103, 104, 1e3, 1e4])
        for (const sign of [1, -1]) {
          const k = list(Type, 20, (j) => sign * size + j / 8);
          checked(
            Type.of(1),
            k,
            list(Type, 20, (j) => Math.sin(j)),
            { headDim: 1 },
            `logits about ${sign * size}`,
          );
          checked(
            Type.of(1),
            list(Type, 20, (j) => (j % 2 ? size : -size)),
            list(Type, 20, (j) => 1 + j),
            { headDim: 1 },
            `logits ±${size}`,
          );
        }
    });

    claim('the largest logit may stand at any place of any block', () => {
      const n = 600;
      const v = list(Type, n, (j) => Math.cos(j));
      for (const at of [
        0, 1, 3, 4, 7, 8, 15, 16, 127, 128, 129, 255, 256, 511, 512, 513, 598, 599,
      ]) {
        const k = list(Type, n, (j) => (j === at ? 6 : Math.sin(7 * j)));
        assert.equal(
          checked(Type.of(1), k, v, { headDim: 1 }, `largest at ${at}`).stats.argmax[0],
          at,
        );
        assert.equal(
          checked(Type.of(1), k, v, { headDim: 1, temperature: 0 }, `largest at ${at}, T = 0`)
            .output[0],
          v[at],
        );
      }
    });

    claim('ties of the largest logit name the lowest position', () => {
      for (const [first, second] of [
        [0, 1],
        [3, 4],
        [5, 200],
        [127, 128],
        [100, 599],
        [511, 512],
        [598, 599],
      ]) {
        const k = list(Type, 600, (j) => (j === first || j === second ? 2 : 1 - 1 / (j + 1)));
        for (const temperature of [0, 0.3, 1, 1e3])
          assert.equal(
            ch.attention(Type.of(1), k, k, { headDim: 1, temperature, want: all }).stats.argmax[0],
            first,
          );
        const { stats } = ch.attention(Type.of(1), k, k, {
          headDim: 1,
          temperature: Infinity,
          window: [Infinity, Infinity],
          mask: { data: Uint8Array.from(k, (_, j) => j >= 2), shape: [600] },
          want: all,
        });
        assert.deepEqual([stats.argmax[0], stats.n[0]], [2, 598]);
      }
    });

    claim('no output is −0, in one span of keys or in several', () => {
      const smallest = precision === 'float32' ? 2 ** -149 : 5e-324;
      for (const n of [8, 600])
        for (const last of [-0, -smallest]) {
          const v = list(Type, n, (j) => (j === n - 1 ? last : -0));
          assert.ok(
            Object.is(
              ch.attention(
                Type.of(1),
                list(Type, n, () => 0.1),
                v,
                { headDim: 1 },
              ).output[0],
              0,
            ),
            `${n} keys, ${last}`,
          );
        }
    });

    claim('values at the end of the range stay finite, subnormal values stay themselves', () => {
      const highest = precision === 'float32' ? 3.4028234663852886e38 : Number.MAX_VALUE;
      const smallest = precision === 'float32' ? 2 ** -149 : 5e-324;
      for (const n of [1, 2, 8, 70, 200]) {
        const q = Type.of(1, 0.5);
        const k = list(Type, 2 * n, (x) => Math.sin(x));
        for (const big of [highest, -highest]) {
          const { output } = ch.attention(
            q,
            k,
            list(Type, n, () => big),
            { headDim: 2, valueDim: 1 },
          );
          // a rounding above the largest number is infinite in any formula that does not compute
          // means of means
          assert.ok(
            Math.abs(output[0] / big - 1) <= 8 * epsilon,
            `${n} values of ${big}: ${output[0]}`,
          );
        }
        checked(
          q,
          k,
          list(Type, n, (j) => (j % 5 ? 3 : 40) * smallest),
          { headDim: 2, valueDim: 1 },
          `${n} subnormal values`,
        );
      }
    });

    claim('a large common offset of the keys costs what A says and no more', () => {
      for (const c of [1, 10, 100, 1e3]) {
        const r = random(c);
        const n = 80;
        const d = 16;
        checked(
          list(Type, 2 * d, () => r.normal()),
          list(Type, n * d, () => c + 0.01 * r.normal()),
          list(Type, n, () => 5 + r.normal()),
          { headDim: d, valueDim: 1 },
          `offset ${c}`,
        );
      }
    });
  }
