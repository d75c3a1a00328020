/**
 * Temperature's limits, and statistics that agree with each other, with the weights and with the
 * reference.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { build, randomCalls, randomCase } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { compare, precisions } from '../support/limits.js';
import { block } from '../support/parts.js';
import { fill, random } from '../support/random.js';
import { reference } from '../support/reference.js';

const all = { weights: true, lse: true, stats: true };
const attend = (ch, { q, k, v, options }, want = all) =>
  ch.attention(q, k, v, { ...options, want });

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  // From nearly uniform rows to nearly one-hot ones. Two of them pass zero: a mean of scores that
  // cancel, and the KL of weights
  // that are equal up to their own rounding. The variance of two keys is that of the gap between
  // them, which may be small beside their scores.
  const near0 = { kl: 2 ** -25, expectedScore: 2 ** -25, variance: 2 ** -20 };
  claim('statistics are those of the full weights to 1e-5', () => {
    for (const [n, amplitude] of [64, 500, 2000].flatMap((n) =>
      [0.05, 0.2, 1, 1.5, 3, 6, 10].map((x) => [n, x]),
    )) {
      const shape = { batch: 1, heads: 2, kvHeads: 1, m: 40, n, d: 64, dv: 8 };
      const { q, k, v } = fill('normal', random(n), shape, amplitude, Float32Array);
      const options = {
        heads: 2,
        kvHeads: 1,
        headDim: 64,
        valueDim: 8,
        causal: true,
        offset: n - 40,
      };
      const { lse, stats } = ch.attention(q, k, v, {
        ...options,
        want: { lse: true, stats: true },
      });
      const ref = reference(q, k, v, options);
      for (const [name, got, want] of [
        ['lse', lse, ref.lse],
        ...Object.keys(stats).map((name) => [name, stats[name], ref.stats[name]]),
      ])
        got.forEach((x, row) =>
          assert.ok(
            Math.abs(x - want[row]) <= 1e-5 * Math.abs(want[row]) + (near0[name] ?? 0),
            `${name}[${row}] of ${n} keys at amplitude ${amplitude} is ${x}, should be ` +
              `${want[row]}`,
          ),
        );
    }
  });

  claim('the variance keeps its digits where one score lies far from all others', () => {
    const { uniform, integer } = random(5);
    const options = { headDim: 1, valueDim: 1, scale: 1 };
    const ones = Float32Array.of(1);
    for (const temperature of [1, 1000])
      for (let round = 0; round < 100; round++) {
        const n = integer(400, 800);
        const k = Float32Array.from({ length: n }, () => temperature * 1e-3 * (uniform() - 0.5));
        k[integer(0, n - 1)] = temperature * 0.01;
        const call = { ...options, temperature };
        const result = ch.attention(ones, k, k, { ...call, want: { stats: true } });
        const found = compare(result, reference(ones, k, k, call), 'float32', true);
        const { ratio } = [...found].find(({ what }) => what === 'stats.variance');
        assert.ok(ratio < 0.4, `round ${round}, T = ${temperature}: ${ratio} of the limit`);
      }
  });

  claim(
    'the variance is 0 of one key, of ties and at T = 0, and that of all scores at T = ∞',
    () => {
      for (const Floats of [Float32Array, Float64Array]) {
        const variance = (scores, temperature = 1) =>
          ch.attention(Floats.of(1), Floats.from(scores), Floats.from(scores), {
            headDim: 1,
            scale: 1,
            temperature,
            want: { stats: true },
          }).stats.variance[0];
        assert.equal(variance([7]), 0);
        assert.equal(variance(Array(700).fill(-3)), 0);
        assert.equal(variance([1, 5, 5, 2], 0), 0);
        assert.equal(variance([-1, 1, 3, 1], Infinity), 2);
        // two keys far above the others: p(1 − p) of the square of their gap
        assert.ok(
          Math.abs(variance([-900, 2, 2 - Math.log(3)]) - (3 / 16) * Math.log(3) ** 2) < 1e-6,
        );
        // of 2000 keys in spans with means of their own: 1/12 of the square of the range
        const flat = variance(
          Array.from({ length: 2000 }, (_, j) => j / 2e6),
          1e-3 * 1e6,
        );
        assert.ok(Math.abs(flat / (1e-6 / 12) - 1) < 1e-4, `${flat}`);
      }
    },
  );

  claim('T towards its limits becomes the limit', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const c = { ...randomCase(seed), family: 'integer', options: () => ({ scale: 0.5 }) };
      const { call } = { call: build(c, seed % 2 ? Float64Array : Float32Array, 'bhsd') };
      const at = (temperature) =>
        attend(ch, { ...call, options: { ...call.options, temperature } });
      for (const tiny of [1e-5, 1e-30, 5e-324])
        sameArray(at(tiny).output, at(0).output, `T = ${tiny}`);
      const far = at(1e12);
      const uniform = at(Infinity);
      far.output.forEach((x, i) => assert.ok(Math.abs(x - uniform.output[i]) <= 1e-6 * 8 + 1e-9));
      sameArray(far.stats.n, uniform.stats.n, 'keys');
    }
  });

  claim('statistics at a T next to 0 are those of T = 0', () => {
    for (const Floats of [Float32Array, Float64Array])
      for (const temperature of [1e-300, 1e-310, 5e-324]) {
        const [q, k] = [Floats.of(1), Floats.of(0, -2, -1)];
        const options = { headDim: 1, scale: 1 };
        const [{ stats }, limit] = [temperature, 0].map((T) =>
          ch.attention(q, k, k, { ...options, temperature: T, want: { stats: true } }),
        );
        for (const name of Object.keys(stats))
          sameArray(stats[name], limit.stats[name], `${name}, T = ${temperature}`);
      }
  });

  claim('the expected score is within the error rule where scores over T leave the floats', () => {
    const r = random(33);
    for (const [size, scale] of [
      [1, 1e-34],
      [1, 1e-36],
      [1, 1e-37],
      [1e-36, 2 ** 60],
      [1e-18, 1],
    ])
      for (const temperature of [0.5, 31, 32, 33, 1e4, 1e6, 1e24])
        for (let round = 0; round < 20; round++) {
          const [k, v] = [0, 1].map(() =>
            Float32Array.from({ length: 40 }, () => size * r.normal()),
          );
          const q = Float32Array.of(1);
          const options = { headDim: 1, scale, temperature };
          const ref = reference(q, k, v, options);
          for (const found of compare(
            attend(ch, { q, k, v, options }, { stats: true }),
            ref,
            'float32',
            false,
          ))
            assert.ok(
              found.ratio <= 1,
              `${found.what}[${found.at}] is ${found.got}, not ${found.want}: ` +
                `${found.ratio} of the limit; size ${size}, scale ${scale}, T = ` +
                `${temperature}`,
            );
        }
  });

  claim('statistics agree with each other and with the weights', () => {
    for (const { c, s, call, precision } of randomCalls(300, 207000)) {
      const { sinks, ...options } = call.options;
      const { weights, lse, stats, scores } = attend(
        ch,
        { ...call, options },
        { ...all, scores: 'masked' },
      );
      const T = options.temperature;
      const { epsilon } = precisions[precision];
      const ref = reference(call.q, call.k, call.v, options);
      stats.n.forEach((n, row) => {
        const own = block(weights, [1, 1, lse.length, s.n], [0, 1], [0, 1], [row, row + 1]);
        const z = block(scores, [1, 1, lse.length, s.n], [0, 1], [0, 1], [row, row + 1]);
        assert.equal(
          n,
          z.reduce((count, x) => count + (x !== -Infinity), 0),
          `${c.name}: n`,
        );
        if (n === 0) return;
        const near = (got, want, size, what) =>
          assert.ok(
            Math.abs(got - want) <= 32 * epsilon * (1 + size + 4 * ref.A[row]) + 1e-36,
            `${c.name}, row ${row}: ${what} ${got} against ${want}`,
          );
        near(
          stats.maxWeight[row],
          own.reduce((a, b) => Math.max(a, b)),
          1,
          'largest weight',
        );
        near(own[stats.argmax[row]], stats.maxWeight[row], 1, 'weight at argmax');
        near(stats.entropy[row] + stats.kl[row], Math.log(n), Math.log(n), 'H + KL = log n');
        near(
          stats.entropy[row],
          own.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0),
          10,
          'entropy of the weights',
        );
        if (T !== 0 && T !== Infinity)
          near(
            stats.kl[row],
            stats.expectedScore[row] / T - lse[row] + Math.log(n),
            Math.abs(lse[row]) + ref.A[row],
            'KL = ⟨z⟩/T − lse + log n',
          );
        assert.ok(
          stats.entropy[row] >= 0 &&
            stats.kl[row] >= 0 &&
            stats.maxWeight[row] > 0 &&
            stats.maxWeight[row] <= 1,
          `${c.name}: signs`,
        );
      });
    }
  });
}
