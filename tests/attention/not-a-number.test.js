/** NaN spreads to the results that depend on it and nowhere else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { partOf } from '../support/parts.js';
import { fill, random } from '../support/random.js';
import { attend } from '../support/attention/attend.js';
import { put } from '../support/attention/masked.js';

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('NaN in a query, key or value reaches its results, at every lane and tail', () => {
    for (const Type of [Float32Array, Float64Array])
      for (const [n, d, dv] of [
        [1, 1, 1],
        [7, 5, 6],
        [70, 16, 9],
        [130, 7, 4],
        [600, 3, 5],
      ]) {
        const s = { batch: 1, heads: 2, kvHeads: 2, m: 5, n, d, dv };
        const { q, k, v } = fill('normal', random(n), s, 1, Type);
        const options = { heads: 2, headDim: d, valueDim: dv };
        const want = attend(ch, { q, k, v, options });
        const nans = (a, width) =>
          Array.from({ length: a.length / width }, (_, x) =>
            Number(a.subarray(x * width, (x + 1) * width).some(Number.isNaN)),
          );
        for (const channel of new Set([0, d >> 1, d - 1]))
          for (const i of [0, 4]) {
            const bad = q.slice();
            bad[(1 * 5 + i) * d + channel] = NaN;
            const got = attend(ch, { q: bad, k, v, options });
            const expected = Array.from({ length: 10 }, (_, row) => Number(row === 5 + i));
            assert.deepEqual(nans(got.output, dv), expected, `NaN in query ${i}`);
            for (const name of ['lse', 'entropy', 'kl', 'expectedScore', 'maxWeight', 'variance'])
              assert.deepEqual(
                nans(got.lse && (got.stats[name] ?? got.lse), 1),
                expected,
                `NaN in query ${i}: ${name}`,
              );
            assert.ok(got.weights.subarray((5 + i) * n, (6 + i) * n).every(Number.isNaN));
            sameBits(
              partOf(got, s, { h: [0, 1] }),
              partOf(want, s, { h: [0, 1] }),
              'the other head',
            );
          }
        for (const j of new Set([0, 1, n >> 1, n - 1].filter((x) => x < n))) {
          for (const channel of new Set([0, d - 1])) {
            const bad = k.slice();
            put(bad, d, s, 0, 0, j, NaN, channel);
            const got = attend(ch, { q, k: bad, v, options });
            assert.deepEqual(
              nans(got.output, dv),
              [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
              `NaN in key ${j} of ${n}`,
            );
            assert.ok(
              got.output.subarray(0, 5 * dv).every(Number.isNaN),
              `NaN in key ${j}: all channels`,
            );
            sameBits(
              partOf(got, s, { h: [1, 2] }),
              partOf(want, s, { h: [1, 2] }),
              'the other head',
            );
          }
          for (const channel of new Set([0, dv >> 1, dv - 1])) {
            const bad = v.slice();
            put(bad, dv, s, 0, 1, j, NaN, channel);
            const got = attend(ch, { q, k, v: bad, options });
            got.output.forEach((x, at) =>
              at >= 5 * dv && at % dv === channel
                ? assert.ok(Number.isNaN(x), `NaN in value ${j}, channel ${channel}`)
                : sameArray(
                    got.output.subarray(at, at + 1),
                    want.output.subarray(at, at + 1),
                    `channel ${at % dv} beside NaN in ${channel}`,
                  ),
            );
            sameBits(
              { ...got, output: want.output },
              want,
              'a value changes nothing but the output',
            );
          }
        }
      }
  });

  claim('NaN in a bias, a key scale, a slope or a sink reaches its rows and no others', () => {
    for (const Type of [Float32Array, Float64Array]) {
      const s = { batch: 1, heads: 2, kvHeads: 1, m: 3, n: 70, d: 8, dv: 5 };
      const { q, k, v } = fill('normal', random(9), s, 1, Type);
      const options = { heads: 2, kvHeads: 1, headDim: 8, valueDim: 5 };
      const rows = (more) => {
        const { output } = attend(ch, { q, k, v, options: { ...options, ...more } });
        return Array.from({ length: 6 }, (_, x) =>
          Number(output.subarray(x * 5, x * 5 + 5).every(Number.isNaN)),
        );
      };
      const bias = new Type(3 * 70);
      bias[70 + 69] = NaN;
      assert.deepEqual(rows({ mask: { data: bias, shape: [3, 70] } }), [0, 1, 0, 0, 1, 0]);
      assert.deepEqual(
        rows({ mask: { data: bias, shape: [3, 70] }, keyLengths: Int32Array.of(69) }),
        [0, 0, 0, 0, 0, 0],
        'a masked NaN',
      );
      assert.deepEqual(rows({ alibi: Type.of(0.5, NaN) }), [0, 0, 0, 1, 1, 1]);
      assert.deepEqual(rows({ sinks: Type.of(NaN, 0) }), [1, 1, 1, 0, 0, 0]);
      assert.deepEqual(
        rows({ keyScale: Type.from({ length: 70 }, (_, j) => (j === 2 ? NaN : 1)), causal: true }),
        [0, 0, 1, 0, 0, 1],
      );
    }
  });
}
