/** Scores, statistics and ties near the end of the type. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { types } from '../support/checked.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';

const largest = { float32: 3.4028234663852886e38, float64: Number.MAX_VALUE };
const one = { headDim: 1, scale: 1 };

for (const { variant, ch } of engines)
  for (const [precision, Type] of Object.entries(types)) {
    const M = largest[precision];
    const claim = (name, body) => test(`${name} (${precision}, ${variant})`, body);
    /** A call of one query of 1. */
    const attend = (k, v, options) =>
      ch.attention(Type.of(1), Type.from(k), Type.from(v), { ...one, ...options });

    claim('the expected score of scores near ±M is their mean', () => {
      const near = (x, y) => assert.ok(Math.abs(x - y) <= 1e-6 * M, `${x} should be ${y}`);
      const alternating = Array.from({ length: 1500 }, (_, j) => (j % 3 ? M : -M * 0.875));
      for (const k of [[-M, M, M / 2], [-M, -M / 8, -M], alternating, alternating.slice(0, 600)]) {
        const uniform = k.reduce((s, x) => s + x / k.length, 0);
        const { stats, lse } = attend(k, k, {
          temperature: Infinity,
          want: { stats: true, lse: true },
        });
        near(stats.expectedScore[0], uniform);
        assert.equal(stats.entropy[0], Type.of(Math.log(k.length))[0]);
        assert.equal(lse[0], Type.of(Math.log(k.length))[0]);
        const e = k.map((x) => Math.exp(x / M - 1));
        const total = e.reduce((s, x) => s + x);
        near(
          attend(k, k, { temperature: M, want: { stats: true } }).stats.expectedScore[0],
          k.reduce((s, x, j) => s + x * (e[j] / total), 0),
        );
      }
    });

    claim('at T = 0 the log-sum-exp has the sign of the largest score, rounded or not', () => {
      const r = random(8403);
      const want = { stats: true, lse: true };
      const options = { headDim: 3, scale: 1, temperature: 0, want };
      const ones = Type.of(1, 1, 1);
      const seen = new Set();
      for (let i = 0; i < 300; i++) {
        // the exact score is 1, -1 or 0, and its terms cancel
        const large = r.normal() * 2 ** r.integer(20, 60);
        const small = r.pick([1, -1, 0]);
        const last = r.pick([0, 1]) ? [small, -large] : [-large, small];
        const { stats, lse } = ch.attention(Type.of(large, ...last), ones, ones, options);
        const largest = stats.expectedScore[0];
        assert.equal(lse[0], largest === 0 ? 0 : largest * Infinity, `${large}, ${last}`);
        seen.add(Math.sign(largest));
      }
      assert.equal(seen.size, 3);
    });

    claim('scores that are made of finite numbers are finite', () => {
      for (const [options, expected] of [
        [{ mask: { data: Type.of(-M, M), shape: [2] } }, { masked: [-M, M] }],
        [{ scale: 4 }, { raw: [-M, M], capped: [-M, M], masked: [-M, M] }],
        [
          { scale: 4, causal: true },
          { raw: [-M, M], masked: [-M, -Infinity] },
        ],
        [
          { scale: 4, softcap: 3 },
          { raw: [-M, M], capped: [-3, 3] },
        ],
        [
          { alibi: Type.of(M), offset: 3 },
          { raw: [-M / 2, M / 2], masked: [-M, -M] },
        ],
      ])
        for (const [stage, list] of Object.entries(expected)) {
          const { scores } = attend([-M / 2, M / 2], [1, 2], {
            ...options,
            want: { scores: stage },
          });
          assert.deepEqual(
            [...scores],
            list.map((x) => Type.of(x)[0]),
            stage,
          );
        }
    });

    claim('wanted scores beyond the type change no output', () => {
      const k = [0.3, 0.1, 0.2].map((x) => x * M);
      const options = { scale: -5 };
      for (const scores of /** @type {const} */ (['raw', 'capped', 'masked']))
        for (const temperature of [M, 2 ** 100, 0])
          assert.deepEqual(
            [...attend(k, [1, 2, 4], { ...options, temperature, want: { scores } }).output],
            [...attend(k, [1, 2, 4], { ...options, temperature }).output],
          );
    });

    claim('scores that are made of an infinite number are as they were', () => {
      const { scores, output } = attend([-Infinity, 1, 1], [1, 2, 4], { want: { scores: 'raw' } });
      assert.deepEqual([...scores, ...output], [-Infinity, 1, 1, 3]);
      assert.ok(Number.isNaN(attend([Infinity, 1], [1, 2]).output[0]));
      assert.ok(Number.isNaN(attend([NaN, 1], [1, 2], { softcap: 2 }).output[0]));
      const capped = attend([-Infinity, Infinity], [0, 1], { softcap: 2 }).output[0];
      assert.ok(Math.abs(capped - 1 / (1 + Math.exp(-4))) < 1e-6, `${capped}`);
    });

    claim('at T = 0 a tie of values ∞ and −∞ is NaN', () => {
      for (const n of [2, 40, 700])
        for (const [x, y] of [
          [0, n - 1],
          [n >> 1, n - 1],
          [0, 1],
        ]) {
          if (x === y) continue;
          const k = Array.from({ length: n }, (_, j) => (j === x || j === y ? 1 : 0));
          const v = k.map((_, j) => (j === x ? Infinity : j === y ? -Infinity : 1));
          const { output } = ch.attention(Type.of(1), Type.from(k), Type.from(v), {
            ...one,
            temperature: 0,
          });
          assert.ok(Number.isNaN(output[0]), `${n} keys, ${x} and ${y}: ${output[0]}`);
        }
    });
  }
