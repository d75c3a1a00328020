/** Caches that keep bytes: how exact they are, and attention over them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { families, fill, random } from '../support/random.js';
import { reference } from '../support/reference.js';
import { holding, shapes, variations } from '../support/cache/types.js';

/** Calls of every shape, family and variation but T = 0, where a rounded score may win. */
function* byteCalls() {
  for (const s of shapes)
    for (const family of Object.keys(families)) {
      if (family === 'denormal' || (s.m * s.n >= 1e4 && family !== 'normal')) continue;
      for (const { sinks, ...more } of variations) {
        if (more.temperature === 0) continue;
        const given = fill(family, random(s.n + s.d), s, 1, Float32Array);
        const options = { heads: s.heads, offset: s.n - s.m, ...more };
        if (sinks) options.sinks = new Float32Array(s.heads).fill(0.5);
        yield { family, s, more, ...given, options };
      }
    }
}

/** A number of each row of `size`: of each key or value, over all kv heads. */
const each = (a, size, f) =>
  Array.from({ length: a.length / size }, (_, row) => f(a.subarray(row * size, (row + 1) * size)));
const largestOf = (row) => row.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
const sumOf = (row) => row.reduce((sum, x) => sum + Math.abs(x), 0);

/** The stated bound of each number of the output, (heads, m, dv). */
function boundsOf({ s, q, v, kept, ref, temperature }) {
  const keySums = each(kept.k, s.d, sumOf);
  const largestValues = each(v, s.dv, largestOf);
  const largestQueries = each(q, s.d, largestOf);
  const L = Math.min(32639, Math.floor((2 ** 31 - 1) / (128 * (s.d + 1))));
  const bounds = new Float64Array(s.heads * s.m * s.dv);
  for (let row = 0; row < s.heads * s.m; row++) {
    const g = Math.floor(Math.floor(row / s.m) / (s.heads / s.kvHeads));
    const ofHead = (a) => a.slice(g * s.n, (g + 1) * s.n);
    const keys = Math.max(...ofHead(keySums));
    const weights = ref.weights.subarray(row * s.n, (row + 1) * s.n);
    const values = Math.max(...ofHead(largestValues).map((x, j) => (weights[j] * x) / 127));
    // the rounding of queries in a score, divided by T; a weight is off by the difference of two
    const rounding = largestQueries[row] / (2 * L) / Math.sqrt(s.d) / temperature;
    const grow = Math.expm1(temperature === Infinity ? 0 : 2 * rounding * keys);
    for (let at = row * s.dv; at < (row + 1) * s.dv; at++)
      bounds[at] =
        ref.W[at] * grow +
        (1 + grow) * ((s.n * values * 127) / 65278) +
        2 ** -23 * ref.W[at] * (4 + 2 * ref.A[row]) * (1 + grow) +
        1e-40;
  }
  return bounds;
}

/**
 * The error of a mean of n ones. All weights but the first lie halfway between two integers, so
 * that all are rounded by nearly half and the same way. [error, { unit, sum }], of p_j·s_j.
 */
function worstRounding(ch, n, step) {
  const data = new Float32Array(n).fill(Math.log((step + 0.5 + 1e-5) / 32639));
  data[0] = 0;
  const cache = ch.kvCache({ kvHeads: 1, headDim: 1, capacity: n, type: 'q8' });
  cache.append(new Float32Array(n), new Float32Array(n).fill(1));
  const mask = { data, shape: [1, n] };
  const query = Float32Array.of(1);
  const { output, weights } = ch.attend(query, cache, { heads: 1, mask, want: { weights: true } });
  cache.dispose();
  const sum = weights.reduce((all, p) => all + p, 0);
  return [Math.abs(output[0] - sum), { unit: weights[0] / 127, sum }];
}
const larger = (a, b) => (b[0] > a[0] ? b : a);

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('q8 keeps each vector to within half of 1/127 of its largest number', () => {
    for (const amplitude of [1e-44, 1e-38, 1e-3, 1, 1e36])
      for (const family of ['normal', 'oneHot', 'spike', 'constant']) {
        const s = { batch: 1, heads: 1, kvHeads: 2, m: 1, n: 21, d: 24, dv: 10 };
        const { k, v } = fill(family, random(amplitude), s, 1, Float32Array);
        const scaled = [k, v].map((a) => a.map((x) => x * amplitude));
        const cache = holding(ch, 'q8', s, ...scaled);
        const kept = cache.read();
        for (const [name, size, a, got] of [
          ['k', s.d, scaled[0], kept.k],
          ['v', s.dv, scaled[1], kept.v],
        ])
          a.forEach((x, at) => {
            const row = Math.floor(at / size) * size;
            const max = Math.max(...a.subarray(row, row + size).map(Math.abs));
            // half a scale, and half a last place of the scale for each of 127, and of the number
            // itself
            const allowed = max / 254 + max * 2 ** -23 + 127 * 2 ** -150 + 2 ** -149;
            assert.ok(
              Math.abs(got[at] - x) <= allowed,
              `${family} times ${amplitude}: ${name}[${at}] is ${got[at]}, was ${x}`,
            );
          });
        cache.dispose();
      }
  });

  claim('attending over bytes is within its bound of exact attention over their numbers', (t) => {
    let worst = 0;
    for (const { family, s, more, q, k, v, options } of byteCalls()) {
      const cache = holding(ch, 'q8', s, k, v);
      const kept = cache.read();
      const full = { ...options, kvHeads: s.kvHeads, headDim: s.d, valueDim: s.dv };
      const got = ch.attend(q, cache, { ...options, want: { stats: true } });
      const ref = reference(q, kept.k, kept.v, full);
      const bounds = boundsOf({ s, q, v, kept, ref, temperature: more.temperature ?? 1 });
      const call = `${family} ${JSON.stringify({ ...s, ...more })}`;
      got.output.forEach((x, at) => {
        const ratio = Math.abs(x - ref.output[at]) / bounds[at];
        worst = Math.max(worst, ratio);
        assert.ok(ratio <= 1, `${call}: output[${at}] is ${x}, exact ${ref.output[at]}: ${ratio}`);
      });
      sameArray(got.stats.n, ref.stats.n, 'keys attended');
      cache.dispose();
    }
    assert.ok(worst > 0.01, `a bound that nothing comes near: ${worst}`);
    t.diagnostic(`worst error / bound ${worst.toFixed(3)}`);
  });

  claim('the bound of the output is a strict one, which n keys use up to (n − 1)/n', (t) => {
    const parts = [];
    for (const n of [2, 3, 8, 64, 512]) {
      const [rest, worst] = [0, 1, 10, 100]
        .map((step) => worstRounding(ch, n, step))
        .reduce(larger);
      const stated = (n * worst.unit * 127) / 65278;
      parts.push(rest / stated);
      // the sixteen roundings of floats that the rule of attn_forward_f32 allows beside it
      const floats = 16 * 2 ** -23 * worst.sum;
      assert.ok(rest <= (stated * (n - 1)) / n + floats, `${n} keys: ${rest} of ${stated}`);
      assert.ok(rest > (0.94 * stated * (n - 1)) / n, `${n} keys use ${rest} of ${stated}`);
    }
    t.diagnostic(`error / bound ${parts.map((part) => part.toFixed(4)).join(', ')}`);
  });
}
