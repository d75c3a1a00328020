/** Sums of weights over spans of keys, which the fused kernels give without storing weights. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../../support/bits.js';
import { build, cases, randomCalls } from '../../support/cases.js';
import { within } from '../../support/checked.js';
import { sharing } from '../../support/engine/shared-calls.js';
import { engines } from '../../support/engines.js';
import { block, part } from '../../support/parts.js';
import { fill, random } from '../../support/random.js';

/** All keys, none, halves that overlap, and a few at odd places. */
const spansOf = (n) => [
  [0, n],
  [n >> 1, n >> 1],
  [0, (2 * n) >> 2],
  [n >> 2, n],
  [Math.min(3, n), Math.min(5, n)],
  [Math.max(0, n - 1), n],
  [0, n],
];

/** Sums of the weights of a result. */
const sumsOf = (weights, n, spans) =>
  Array.from({ length: weights.length / n }, (_, row) =>
    spans.map(([from, to]) =>
      weights.subarray(row * n + from, row * n + to).reduce((sum, p) => sum + p, 0),
    ),
  ).flat();

/** NaN where the weights have it, and otherwise their sums to some roundings of floats. */
function agree({ spans: got, weights }, n, spans, name) {
  sumsOf(weights, n, spans).forEach((want, at) =>
    assert.ok(
      Number.isNaN(want) ? Number.isNaN(got[at]) : Math.abs(got[at] - want) <= 2e-5 * want + 1e-30,
      `${name}: sum ${at} is ${got[at]}, of weights ${want}`,
    ),
  );
}

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('every case of the table and random ones are within the error rule', () => {
    const calls = [
      ...cases.map((c, x) => {
        const precision = x % 2 ? 'float64' : 'float32';
        const call = build(c, x % 2 ? Float64Array : Float32Array);
        return { c, s: c.shape, call, precision, spike: c.family === 'spike' };
      }),
      ...randomCalls(150, 731000),
    ];
    for (const { c, s, call, precision, spike } of calls) {
      const options = { ...call.options, want: { spans: spansOf(s.n) } };
      const result = ch.attention(call.q, call.k, call.v, options);
      within(result, { ...call, options }, precision, spike, c.name);
      const plain = ch.attention(call.q, call.k, call.v, call.options);
      sameArray(result.output, plain.output, `${c.name}: the output`);
    }
  });

  claim('a span of all keys has all the weight but that of the sink', () => {
    const s = { batch: 1, heads: 2, kvHeads: 1, m: 9, n: 1300, d: 16, dv: 3 };
    const { q, k, v } = fill('normal', random(5), s, 1, Float32Array);
    const options = { heads: 2, kvHeads: 1, headDim: 16, valueDim: 3 };
    const all = (sinks) =>
      ch.attention(q, k, v, {
        ...options,
        sinks: sinks && Float32Array.from(sinks),
        want: { spans: [[0, 1300]], lse: true },
      });
    for (const x of all().spans) assert.ok(Math.abs(x - 1) < 1e-6, `${x}`);
    const { spans, lse } = all([7, -Infinity]);
    spans.forEach((x, row) => {
      const want = row < 9 ? 1 / (1 + Math.exp(7 - lse[row])) : 1;
      assert.ok(Math.abs(x - want) < 2e-6, `${x} and not ${want}`);
    });
  });

  claim('NaN, limits of T and masks reach the sums as they reach the weights', () => {
    for (const Floats of [Float32Array, Float64Array])
      for (const n of [1, 9, 600])
        for (const temperature of [0, 1, 40, Infinity])
          for (const bad of [0, NaN, Infinity, -Infinity, -0, 3e38]) {
            const s = { batch: 1, heads: 1, kvHeads: 1, m: 3, n, d: 2, dv: 2 };
            const { q, k, v } = fill('normal', random(n), s, 1, Floats);
            k[2 * (n >> 1)] = bad;
            if (Number.isNaN(bad)) q[2] = 3e38;
            for (const window of [undefined, [2, 1], [1, 0]]) {
              const spans = spansOf(n);
              const options = {
                headDim: 2,
                temperature,
                ...(window && { window, offset: n >> 1 }),
              };
              const result = ch.attention(q, k, v, { ...options, want: { weights: true, spans } });
              agree(result, n, spans, `${bad} in ${n} keys, T = ${temperature}, ${window}`);
            }
          }
    const nothing = ch.attention(Float32Array.of(1), Float32Array.of(NaN), Float32Array.of(NaN), {
      headDim: 1,
      keyLengths: Int32Array.of(0),
      want: { spans: [[0, 1]] },
    });
    sameArray(nothing.spans, Float32Array.of(0), 'a row without keys');
  });

  claim('sums have the same bits among other rows, batches and heads', () => {
    for (const { c, s, call } of randomCalls(60, 732000)) {
      const want = { spans: spansOf(s.n) };
      const whole = ch.attention(call.q, call.k, call.v, { ...call.options, want });
      const size = want.spans.length;
      for (const i of [0, s.m >> 1]) {
        if (i >= s.m) continue;
        const ranges = { b: [s.batch - 1, s.batch], i: [i, i + 1] };
        const one = part(call, s, ranges);
        const got = ch.attention(one.q, one.k, one.v, { ...one.options, want });
        const shape = [s.batch, s.heads, s.m, size];
        sameArray(
          got.spans,
          block(whole.spans, shape, ranges.b, undefined, ranges.i),
          `${c.name}, row ${i}`,
        );
      }
    }
  });

  claim('caches of every type, and integers, sum the weights that they give', () => {
    const s = { batch: 1, heads: 4, kvHeads: 2, m: 7, n: 1100, d: 32, dv: 8 };
    const { q, k, v } = fill('normal', random(8), s, 1, Float32Array);
    const spans = spansOf(s.n);
    const options = { heads: 4, causal: true, window: [700, 0], want: { weights: true, spans } };
    for (const type of ['f32', 'f16', 'q8']) {
      const cache = ch.kvCache({ kvHeads: 2, headDim: 32, valueDim: 8, capacity: s.n, type });
      cache.append(k, v);
      for (const rows of [7, 1]) {
        const result = ch.attend(q.slice(0, 4 * rows * 32), cache, options);
        agree(result, s.n, spans, `${type}, ${rows} rows`);
      }
      cache.dispose();
    }
    const sizes = { kvHeads: 2, headDim: 32, valueDim: 8, precision: 'int8' };
    agree(ch.attention(q, k, v, { ...options, ...sizes }), s.n, spans, 'int8');
  });

  claim('threads that share rows or keys give the bits of one', async () => {
    const { ch: shared, counted } = await sharing(variant, 3);
    for (const [m, n] of [
      [1, 2100],
      [3, 1300],
      [90, 700],
    ]) {
      const s = { batch: 1, heads: 4, kvHeads: 2, m, n, d: 24, dv: 5 };
      const { q, k, v } = fill('normal', random(n), s, 1, Float32Array);
      const options = { heads: 4, kvHeads: 2, headDim: 24, valueDim: 5, causal: true };
      const call = { ...options, offset: n - m, want: { spans: spansOf(n), stats: true } };
      const [got, want] = [shared, ch].map((engine) => engine.attention(q, k, v, call));
      sameArray(got.spans, want.spans, `${m} rows over ${n} keys`);
      sameArray(got.stats.variance, want.stats.variance, `variance of ${m} rows`);
    }
    assert.ok(counted.calls >= 3);
    shared.dispose();
  });
}

test('spans that are none are refused by name', () => {
  const [{ ch }] = engines;
  const x = Float32Array.of(1, 2, 3);
  const ask = (spans) => () =>
    ch.attention(Float32Array.of(1), x, x, { headDim: 1, want: { spans } });
  const refused = (spans, code, message) =>
    assert.throws(ask(spans), { name: 'ClearheadError', code, message });
  refused(true, 'ARG', /want\.spans is true; expected an array of \[from, to\]/);
  refused([3], 'ARG', /want\.spans\[0\] is 3; expected \[from, to\]/);
  refused([[0, 1], [2]], 'SHAPE', /want\.spans\[1\] is 1 long/);
  refused([[0, 4]], 'RANGE', /want\.spans\[0\]\[1\] is 4; expected an integer from 0 to 3/);
  refused([[-1, 2]], 'RANGE', /want\.spans\[0\]\[0\] is -1/);
  refused([[0, NaN]], 'RANGE', /want\.spans\[0\]\[1\] is NaN/);
  refused([[2, 1]], 'RANGE', /want\.spans\[0\] is \[2, 1\]; expected from at most to/);
  refused(Array(1025).fill([0, 1]), 'LIMIT', /want\.spans is 1025 long; expected at most 1024/);
  assert.equal(ask([])().spans.length, 0);
});
