/** Caches that keep bytes: how exact they are, and attention over them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { families, fill, random } from '../support/random.js';
import { reference } from '../support/reference.js';
import { holding, shapes, variations } from '../support/cache/types.js';

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

  claim(
    'attending over bytes is within the stated bound of exact attention over the numbers they are',
    (t) => {
      let worst = 0;
      for (const s of shapes)
        for (const family of Object.keys(families).filter(
          (name) => name !== 'denormal' && (s.m * s.n < 1e4 || name === 'normal'),
        ))
          for (const { sinks, ...more } of variations.filter(
            ({ temperature }) => temperature !== 0,
          )) {
            const { q, k, v } = fill(family, random(s.n + s.d), s, 1, Float32Array);
            const cache = holding(ch, 'q8', s, k, v);
            const kept = cache.read();
            const options = {
              heads: s.heads,
              offset: s.n - s.m,
              ...more,
              ...(sinks && { sinks: new Float32Array(s.heads).fill(0.5) }),
            };
            const full = { ...options, kvHeads: s.kvHeads, headDim: s.d, valueDim: s.dv };
            const got = ch.attend(q, cache, { ...options, want: { stats: true } });
            const ref = reference(q, kept.k, kept.v, full);
            // of each key and value, over all kv heads
            const each = (a, size, f) =>
              Array.from({ length: a.length / size }, (_, row) =>
                f(a.subarray(row * size, (row + 1) * size)),
              );
            const keySums = each(kept.k, s.d, (key) =>
              key.reduce((sum, x) => sum + Math.abs(x), 0),
            );
            const largest = each(v, s.dv, (value) =>
              value.reduce((max, x) => Math.max(max, Math.abs(x)), 0),
            );
            const T = more.temperature ?? 1;
            const L = Math.min(32639, Math.floor((2 ** 31 - 1) / (128 * (s.d + 1))));
            const rows = s.heads * s.m;
            for (let row = 0; row < rows; row++) {
              const h = Math.floor(row / s.m);
              const g = Math.floor(h / (s.heads / s.kvHeads));
              const max = Math.max(...q.subarray(row * s.d, (row + 1) * s.d).map(Math.abs));
              let keys = 0;
              let values = 0;
              for (let j = 0; j < s.n; j++) {
                keys = Math.max(keys, keySums[g * s.n + j]);
                values = Math.max(
                  values,
                  (ref.weights[row * s.n + j] * largest[g * s.n + j]) / 127,
                );
              }
              // the rounding of queries in a score, divided by T; a weight is off by the difference
              // of two such
              const shift = T === Infinity ? 0 : (max / (2 * L) / Math.sqrt(s.d) / T) * keys;
              for (let c = 0; c < s.dv; c++) {
                const at = row * s.dv + c;
                const W = ref.W[at];
                const grow = Math.expm1(2 * shift);
                const bound =
                  W * grow +
                  (1 + grow) * ((s.n * values * 127) / 65278) +
                  2 ** -23 * W * (4 + 2 * ref.A[row]) * (1 + grow) +
                  1e-40;
                const ratio = Math.abs(got.output[at] - ref.output[at]) / bound;
                worst = Math.max(worst, ratio);
                assert.ok(
                  ratio <= 1,
                  `${family} ${JSON.stringify({ ...s, ...more })}: output[${at}] is ` +
                    `${got.output[at]}, exact ${ref.output[at]}: ${ratio}`,
                );
              }
            }
            sameArray(got.stats.n, ref.stats.n, 'keys attended');
            cache.dispose();
          }
      assert.ok(worst > 0.01, `a bound that nothing comes near: ${worst}`);
      t.diagnostic(`worst error / bound ${worst.toFixed(3)}`);
    },
  );
}
