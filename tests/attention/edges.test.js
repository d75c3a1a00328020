/**
 * Corners that were once wrong: limits that must be exact, numbers at the ends of their range, very
 * wide heads.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClearheadError, init } from '../../src/js/index.js';
import { threaded } from '../support/engine/threaded.js';
import { engines } from '../support/engines.js';
import { compare } from '../support/limits.js';
import { random } from '../support/random.js';
import { reference } from '../support/reference.js';

const types = { float32: Float32Array, float64: Float64Array };

for (const { variant, ch } of engines)
  for (const [precision, Type] of Object.entries(types)) {
    test(`one winner has entropy 0, weight 1 and KL log n (${precision}, ${variant})`, () => {
      for (let n = 1; n <= 400; n++)
        for (const temperature of [0, 1]) {
          const k = new Type(n).fill(-1000);
          k[n >> 1] = 0;
          const { stats, lse } = ch.attention(Type.of(1), k, new Type(n), {
            headDim: 1,
            temperature,
            want: { stats: true, lse: true },
          });
          assert.deepEqual(
            [stats.entropy[0], stats.maxWeight[0], lse[0], stats.argmax[0]],
            [0, 1, 0, n >> 1],
            `n = ${n}, T = ${temperature}`,
          );
          assert.ok(
            Math.abs(stats.kl[0] - Math.log(n)) <=
              2 * (precision === 'float32' ? 2 ** -23 : 2 ** -52) * Math.log(n),
          );
        }
    });

    test(`the lowest number as a bias gives uniform weights (${precision}, ${variant})`, () => {
      const lowest = precision === 'float32' ? -3.4028234663852886e38 : -Number.MAX_VALUE;
      const { output, weights } = ch.attention(
        Type.of(1),
        Type.of(0.25, -0.5, 0),
        Type.of(1, 2, 6),
        {
          headDim: 1,
          mask: { data: new Type(3).fill(lowest), shape: [3] },
          want: { weights: true },
        },
      );
      assert.deepEqual([...weights], Array(3).fill(Type.of(1 / 3)[0]));
      assert.ok(Math.abs(output[0] - 3) < 1e-6);
    });

    test(`a sink takes a row of −∞, which is NaN without one (${precision}, ${variant})`, () => {
      const n = 1030;
      const q = Type.of(1, 1);
      const k = new Type(2 * n).fill(-Infinity);
      const v = new Type(2 * n).fill(3);
      const sinks = Type.of(-4, -Infinity);
      for (const temperature of [0, 1e-3, 1, 1e308])
        for (const from of [0, 3, 600, n - 1]) {
          const mask = {
            data: Uint8Array.from({ length: n }, (_, j) => Number(j >= from)),
            shape: [n],
          };
          const options = {
            heads: 2,
            headDim: 1,
            temperature,
            sinks,
            ...(from && { mask }),
            want: { weights: true, lse: true, stats: true },
          };
          const { output, weights, lse, stats } = ch.attention(q, k, v, options);
          const expected = (/** @type {number} */ x) =>
            Array.from({ length: n }, (_, j) => (j < from ? 0 : x));
          const what = `T = ${temperature}, from ${from}`;
          assert.deepEqual([...output], [0, NaN], what);
          assert.deepEqual([...weights], [...expected(0), ...expected(NaN)], what);
          assert.deepEqual(
            [...lse, ...stats.entropy, ...stats.maxWeight, ...stats.n],
            [NaN, NaN, NaN, NaN, NaN, NaN, n - from, n - from],
            what,
          );
        }
    });

    test(`at T = ∞ a score of −∞ weighs as much as any (${precision}, ${variant})`, () => {
      const k = Type.of(1, -Infinity, 2);
      const mask = { data: Uint8Array.of(0, 1, 1), shape: [3] };
      const { output, scores } = ch.attention(Type.of(1), k, Type.of(7, 1, 3), {
        headDim: 1,
        temperature: Infinity,
        mask,
        want: { scores: 'masked' },
      });
      assert.deepEqual([...output, ...scores], [2, -Infinity, -Infinity, 2]);
    });

    test(`tiny logits count at a temperature as small (${precision}, ${variant})`, () => {
      const r = random(7);
      const numbers = (length, size = 1) => Type.from({ length }, () => size * r.normal());
      const q = numbers(3 * 8, 1e-26);
      const k = numbers(1030 * 8);
      const v = numbers(1030 * 8);
      for (const temperature of [0, 1e-46, 1e-44]) {
        const options = {
          headDim: 8,
          scale: 2 ** -60,
          temperature,
          want: { weights: true, lse: true, stats: true },
        };
        const expected = reference(
          q,
          k,
          v,
          options,
          precision === 'float32' ? 2 ** -126 : 2 ** -1022,
        );
        for (const { what, ratio } of compare(ch.attention(q, k, v, options), expected, precision))
          assert.ok(ratio <= 1, `T = ${temperature}: ${what} at ${ratio} of the limit`);
      }
    });

    test(`too large scales and softcaps act as the nearest (${precision}, ${variant})`, () => {
      for (const options of [
        { softcap: 1e39 },
        { softcap: 1e300 },
        { softcap: 1e-46 },
        { softcap: 5e-324 },
        { scale: 1e39 },
        { scale: -1e300 },
        { scale: 1e-60 },
      ]) {
        const { output } = ch.attention(Type.of(0), Type.of(1, 2), Type.of(1, 3), {
          headDim: 1,
          ...options,
        });
        assert.equal(output[0], 2, JSON.stringify(options));
      }
      const capped = ch.attention(Type.of(1), Type.of(0, Math.log(3)), Type.of(0, 4), {
        headDim: 1,
        softcap: 1e39,
      }).output[0];
      assert.ok(Math.abs(capped - 3) < 1e-6, `${capped}`);
    });
  }

for (const { variant, ch } of engines)
  test(`positive data on heads of up to 1024 channels stays within the rule (${variant})`, (t) => {
    let worst = 0;
    for (const d of [129, 255, 256, 512, 1024])
      for (let seed = 0; seed < 40; seed++) {
        const r = random(1000 * d + seed);
        const n = 16;
        const make = (length) => Float32Array.from({ length }, () => r.uniform());
        const q = make(2 * d);
        const k = make(n * d);
        const v = make(n * 4);
        const options = { headDim: d, valueDim: 4, scale: 1 };
        const found = compare(
          ch.attention(q, k, v, options),
          reference(q, k, v, options, 2 ** -126),
          'float32',
        ).find(({ what }) => what === 'output');
        worst = Math.max(worst, found.ratio);
        assert.ok(found.ratio <= 1, `d = ${d}, seed ${seed}: ${found.ratio} of the limit`);
      }
    t.diagnostic(`worst error / limit ${worst.toFixed(3)}`);
  });

test('a tensor whose size is no number is refused, and the engine is as before', async () => {
  const ch = await init();
  for (const shape of [
    [...Array(40).fill(2 ** 31 - 1), 0],
    Array(40).fill(2 ** 31 - 1),
    [2 ** 31 - 1, 2 ** 31 - 1],
  ])
    assert.throws(
      () => ch.tensor(shape),
      (error) => error instanceof ClearheadError && error.code === 'OOM',
    );
  assert.equal(
    ch.attention(Float32Array.of(1), Float32Array.of(0, 0), Float32Array.of(1, 3), { headDim: 1 })
      .output[0],
    2,
  );
});

test('very many small heads and idle threads harm nothing', async () => {
  const ch = await threaded({ threads: 2, variant: 'simd' });
  const t = ch.tensor([4]);
  t.data.fill(5);
  await new Promise((done) => setTimeout(done, 400));
  const batch = 1 << 20;
  const one = Float32Array.from({ length: batch }, (_, x) => x % 7);
  const { output } = ch.attention(one, one, one, { batch, headDim: 1 });
  assert.ok(output.every((x, i) => x === one[i]));
  assert.deepEqual([...t.data], [5, 5, 5, 5]);
  assert.equal(ch.info.threads, 2);
  ch.dispose();
});
