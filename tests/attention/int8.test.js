/**
 * Attention in 8-bit integers is within its stated bounds, and as deaf to masked keys as floats.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { build, cases } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { compare, exactly, integers, numbers, withinBounds } from '../support/attention/int8.js';

/**
 * Cases without what changes weights in ways of their own (weights that come back are not all the
 * softmax where a sink has a share).
 */
const plain = cases
  .map((c) => [c.name, build(c, Float32Array), c.shape])
  .filter(
    ([, { options }, { m, n, heads, d }]) =>
      !options.sinks && !(options.temperature === 0) && m * n * heads * d < 2e6,
  );

for (const { variant, ch } of engines) {
  test(`scores and outputs within the stated bounds, over the table of cases (${variant})`, (t) => {
    const maxUsed = { score: 0, output: 0 };
    for (const [name, call] of plain) {
      try {
        const used = withinBounds(ch, call);
        for (const what of ['score', 'output']) maxUsed[what] = Math.max(maxUsed[what], used[what]);
      } catch (error) {
        error.message = `${name}: ${error.message}`;
        throw error;
      }
    }
    t.diagnostic(
      `${plain.length} cases; at most ${maxUsed.score.toFixed(2)} of a score's bound, ` +
        `${maxUsed.output.toFixed(2)} of an output's`,
    );
  });

  test(`masks, windows and empty rows as in floats (${variant})`, () => {
    for (const c of cases) {
      const { q, k, v, options } = build(c, Float32Array);
      if (options.temperature === 0) continue; // another key may be the largest then
      const want = { stats: true, weights: true };
      const a = integers(ch, { q, k, v, options }, want);
      const b = ch.attention(q, k, v, { ...options, want });
      sameArray(a.stats.n, b.stats.n, `${c.name}: keys attended`);
      for (let x = 0; x < a.weights.length; x++)
        assert.equal(
          Number.isNaN(a.weights[x]),
          Number.isNaN(b.weights[x]),
          `${c.name}: weight ${x}`,
        );
      const { scores } = ch.attention(q, k, v, { ...options, want: { scores: 'masked' } });
      for (let x = 0; x < scores.length; x++)
        assert.ok(
          scores[x] !== -Infinity || !(a.weights[x] > 0),
          `${c.name}: the weight of key ${x}, which is masked`,
        );
    }
  });
}

for (const { variant, ch } of engines) {
  const heads = 4;
  const kvHeads = 2;
  const d = 40;
  const dv = 24;
  const m = 90;
  const n = 1200;
  const options = { heads, kvHeads, headDim: d, valueDim: dv };
  const call = {
    q: numbers(11, heads * m * d),
    k: numbers(12, kvHeads * n * d),
    v: numbers(13, kvHeads * n * dv),
    options,
  };

  test(`a row has the same bits alone, among others or padded (${variant})`, () => {
    const all = integers(
      ch,
      { ...call, options: { ...options, causal: true, offset: n - m } },
      { stats: true, lse: true },
    );
    for (const i of [0, 1, 37, m - 1]) {
      const q = Float32Array.from(
        { length: heads * d },
        (_, at) => call.q[(Math.floor(at / d) * m + i) * d + (at % d)],
      );
      const one = integers(
        ch,
        { ...call, q, options: { ...options, causal: true, offset: n - m + i } },
        { lse: true },
      );
      for (let h = 0; h < heads; h++) {
        sameArray(
          one.output.subarray(h * dv, (h + 1) * dv),
          all.output.subarray((h * m + i) * dv, (h * m + i + 1) * dv),
          `row ${i} of head ${h}`,
        );
        assert.equal(one.lse[h], all.lse[h * m + i]);
      }
    }
    const repeat = (x, size) =>
      Float32Array.from(
        { length: 2 * x.length },
        (_, at) => x[Math.floor(at / (2 * n * size)) * n * size + (at % (n * size))],
      );
    sameBits(
      integers(ch, {
        ...call,
        k: repeat(call.k, d),
        v: repeat(call.v, dv),
        options: { ...options, kvHeads: heads },
      }),
      integers(ch, call),
      'repeated heads',
    );
  });

  test(`masked keys have no say, however large, infinite or NaN (${variant})`, () => {
    const data = Uint8Array.from({ length: n }, (_, j) => +(j % 7 !== 3));
    const masked = { ...call, options: { ...options, mask: { data, shape: [n] } } };
    const exact = exactly(ch, masked);
    const lengths = { ...call, options: { ...options, keyLengths: Int32Array.of(700) } };
    const short = integers(ch, lengths).output;
    const beyond = (x, size) => x.map((y, at) => (Math.floor(at / size) % n < 700 ? y : 1e30));
    sameArray(
      integers(ch, { ...lengths, k: beyond(call.k, d), v: beyond(call.v, dv) }).output,
      short,
      'padding: the same bits',
    );
    for (const garbage of [NaN, Infinity, -3e38, 1e30, 50]) {
      const spoil = (x, size) => x.map((y, at) => (data[Math.floor(at / size) % n] ? y : garbage));
      const spoilt = integers(ch, { ...masked, k: spoil(call.k, d), v: spoil(call.v, dv) }).output;
      // finite numbers move the mean, and with it how other keys are rounded, but no further
      assert.ok(
        compare(spoilt, exact).cosine > 0.9995,
        `${garbage}: ${compare(spoilt, exact).cosine}`,
      );
    }
  });

  test(`a number that is not finite makes NaN only where results depend on it (${variant})`, () => {
    for (const [which, size] of [
      ['k', d],
      ['v', dv],
    ])
      for (const odd of [NaN, Infinity]) {
        const x = call[which].slice();
        x[600 * size + 3] = odd; // of the first kv head
        const output = integers(ch, {
          ...call,
          [which]: x,
          options: { ...options, causal: true, offset: 560 },
        }).output;
        for (const [at, y] of output.entries()) {
          const head = Math.floor(at / (m * dv));
          const i = Math.floor(at / dv) % m;
          assert.equal(
            Number.isNaN(y),
            head < 2 && i + 560 >= 600,
            `${which} ${odd}: head ${head}, row ${i}`,
          );
        }
      }
    const q = call.q.slice();
    q[5 * d] = NaN;
    for (const [at, y] of integers(ch, { ...call, q }).output.entries())
      assert.equal(Number.isNaN(y), Math.floor(at / dv) === 5);
  });

  test(`statistics, weights and log-sum-exp are those of the scores (${variant})`, () => {
    const { scores, weights, lse, stats } = integers(ch, call, {
      scores: 'masked',
      weights: true,
      lse: true,
      stats: true,
    });
    for (let row = 0; row < heads * m; row++) {
      const z = scores.subarray(row * n, (row + 1) * n);
      const max = Math.max(...z);
      const e = Array.from(z, (x) => Math.exp(x - max));
      const sum = e.reduce((a, b) => a + b);
      assert.ok(Math.abs(lse[row] - (max + Math.log(sum))) < 1e-5);
      assert.equal(stats.argmax[row], z.indexOf(max));
      assert.ok(Math.abs(stats.maxWeight[row] - 1 / sum) < 1e-6);
      assert.ok(e.every((x, j) => Math.abs(weights[row * n + j] - x / sum) < 1e-6));
    }
  });
}
