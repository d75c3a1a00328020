/** NaN spreads to the results that depend on it and nowhere else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { partOf } from '../support/parts.js';
import { fill, random } from '../support/random.js';
import { attend } from '../support/attention/attend.js';
import { put } from '../support/attention/masked.js';

/** Keys and channels, with every lane of a vector and every tail. */
const SIZES = [
  [1, 1, 1],
  [7, 5, 6],
  [70, 16, 9],
  [130, 7, 4],
  [600, 3, 5],
];
const STATISTICS = ['entropy', 'kl', 'expectedScore', 'maxWeight', 'variance'];

/** Which rows of `width` numbers have NaN: 1 or 0 each. */
const nansOf = (a, width) =>
  Array.from({ length: a.length / width }, (_, x) =>
    Number(a.subarray(x * width, (x + 1) * width).some(Number.isNaN)),
  );

/** Calls of two heads and five queries, of every size and both precisions. */
function* callsOf(ch) {
  for (const Type of [Float32Array, Float64Array])
    for (const [n, d, dv] of SIZES) {
      const s = { batch: 1, heads: 2, kvHeads: 2, m: 5, n, d, dv };
      const given = fill('normal', random(n), s, 1, Type);
      const options = { heads: 2, headDim: d, valueDim: dv };
      const ask = (changed) => attend(ch, { ...given, ...changed, options });
      yield { s, ...given, ask, want: ask({}) };
    }
}

const someKeys = (n) => new Set([0, 1, n >> 1, n - 1].filter((j) => j < n));

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('NaN in a query reaches all results of its row and no others, at every lane', () => {
    for (const { s, q, ask, want } of callsOf(ch))
      for (const channel of new Set([0, s.d >> 1, s.d - 1]))
        for (const i of [0, 4]) {
          const bad = q.slice();
          bad[(s.m + i) * s.d + channel] = NaN;
          const got = ask({ q: bad });
          const expected = Array.from({ length: 10 }, (_, row) => Number(row === s.m + i));
          assert.deepEqual(nansOf(got.output, s.dv), expected, `output, query ${i}`);
          assert.deepEqual(nansOf(got.lse, 1), expected, `lse, query ${i}`);
          for (const name of STATISTICS)
            assert.deepEqual(nansOf(got.stats[name], 1), expected, `${name}, query ${i}`);
          const weights = got.weights.subarray((s.m + i) * s.n, (s.m + i + 1) * s.n);
          assert.ok(weights.every(Number.isNaN), `weights, query ${i}`);
          sameBits(partOf(got, s, { h: [0, 1] }), partOf(want, s, { h: [0, 1] }), 'other head');
        }
  });

  claim('NaN in a key reaches every channel of the rows of its head and no others', () => {
    for (const { s, k, ask, want } of callsOf(ch))
      for (const j of someKeys(s.n))
        for (const channel of new Set([0, s.d - 1])) {
          const bad = k.slice();
          put(bad, s.d, s, 0, 0, j, NaN, channel);
          const got = ask({ k: bad });
          const ofHead = got.output.subarray(0, s.m * s.dv);
          assert.ok(ofHead.every(Number.isNaN), `NaN in key ${j} of ${s.n}`);
          sameBits(partOf(got, s, { h: [1, 2] }), partOf(want, s, { h: [1, 2] }), 'other head');
        }
  });

  claim('NaN in a value reaches its channel of the output and nothing else, at every tail', () => {
    for (const { s, v, ask, want } of callsOf(ch))
      for (const j of someKeys(s.n))
        for (const channel of new Set([0, s.dv >> 1, s.dv - 1])) {
          const bad = v.slice();
          put(bad, s.dv, s, 0, 1, j, NaN, channel);
          const got = ask({ v: bad });
          const isOf = (at) => at >= s.m * s.dv && at % s.dv === channel;
          const expected = want.output.map((x, at) => (isOf(at) ? NaN : x));
          sameArray(got.output, expected, `NaN in value ${j}, channel ${channel}`);
          sameBits({ ...got, output: want.output }, want, 'all but the output');
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
