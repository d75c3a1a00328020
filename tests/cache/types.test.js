/**
 * KV caches that keep half precision or bytes. They keep numbers to that precision, and attention
 * over them is as exact as promised.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'clearhead';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { block, partOf } from '../support/parts.js';
import { families, fill, random } from '../support/random.js';
import { reference } from '../support/reference.js';

const all = { weights: true, scores: 'raw', lse: true, stats: true };
const refused = (f, code, message = /./) =>
  assert.throws(f, { name: 'ClearheadError', code, message });

/** A cache that holds k and v. */
function holding(ch, type, { kvHeads, d, dv, n }, k, v) {
  const cache = ch.kvCache({ kvHeads, headDim: d, valueDim: dv, capacity: n, type });
  cache.append(k, v);
  return cache;
}

/** To nearest even in half precision, by arithmetic alone. */
function toHalf(x) {
  const size = Math.abs(x);
  if (!(size > 0 && size < Infinity)) return x;
  const unit = 2 ** (Math.max(-14, Math.floor(Math.log2(size))) - 10);
  const down = Math.floor(size / unit);
  const rest = size / unit - down;
  const rounded = (down + (rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? 1 : 0)) * unit;
  return Math.sign(x) * (rounded > 65504 ? Infinity : rounded);
}

const shapes = [
  { batch: 1, heads: 1, kvHeads: 1, m: 1, n: 1, d: 1, dv: 1 },
  { batch: 1, heads: 4, kvHeads: 2, m: 5, n: 37, d: 17, dv: 9 },
  { batch: 1, heads: 3, kvHeads: 1, m: 1, n: 700, d: 64, dv: 64 },
  { batch: 1, heads: 8, kvHeads: 2, m: 40, n: 1100, d: 64, dv: 64 },
  { batch: 1, heads: 2, kvHeads: 2, m: 3, n: 130, d: 128, dv: 96 },
  { batch: 1, heads: 2, kvHeads: 1, m: 2, n: 90, d: 1024, dv: 5 },
];
const variations = [
  {},
  { causal: true },
  { window: [20, 0] },
  { softcap: 3 },
  { temperature: 0 },
  { temperature: Infinity },
  { temperature: 0.3, sinks: true },
];

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('f16 keeps every half as it is and rounds other numbers to the nearest', () => {
    const bits = new Uint32Array(1);
    const float = new Float32Array(bits.buffer);
    const r = random(16);
    const numbers = Float32Array.from({ length: 1 << 17 }, (_, x) => {
      if (x < 1 << 16) {
        // every half, as a float
        const sign = x >> 15 ? -1 : 1;
        const exponent = (x >> 10) & 31;
        const part = x & 1023;
        if (exponent === 31) return part ? NaN : sign * Infinity;
        return sign * (exponent ? (1 + part / 1024) * 2 ** (exponent - 15) : part * 2 ** -24);
      }
      bits[0] = (r.next() & 0x80000fff) | ((96 + (r.next() % 50)) << 23) | (r.next() & 0x7ff000);
      return x % 3 ? float[0] : Math.fround(toHalf(float[0]) * (1 + 2 ** -11)); // a third near ties
    });
    const cache = ch.kvCache({ headDim: 1024, valueDim: 1024, capacity: 128, type: 'f16' });
    cache.append(numbers, numbers);
    const want = numbers.map(toHalf);
    sameArray(cache.read().k, want, 'keys');
    sameArray(cache.read().v, want, 'values');
    cache.dispose();
  });

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
            const most = Math.max(...a.subarray(row, row + size).map(Math.abs));
            // half a scale, and half a last place of the scale for each of 127, and of the number
            // itself
            const allowed = most / 254 + most * 2 ** -23 + 127 * 2 ** -150 + 2 ** -149;
            assert.ok(
              Math.abs(got[at] - x) <= allowed,
              `${family} times ${amplitude}: ${name}[${at}] is ${got[at]}, was ${x}`,
            );
          });
        cache.dispose();
      }
  });

  claim('attending over halves gives the bits of attention over the numbers they are', () => {
    for (const s of shapes)
      for (const { sinks, ...more } of variations) {
        const { q, k, v } = fill('normal', random(s.n), s, 1.5, Float32Array);
        const cache = holding(ch, 'f16', s, k, v);
        const kept = cache.read();
        const options = {
          heads: s.heads,
          offset: s.n - s.m,
          ...more,
          ...(sinks && { sinks: new Float32Array(s.heads).fill(0.5) }),
        };
        sameBits(
          ch.attend(q, cache, { ...options, want: all }),
          ch.attention(q, kept.k, kept.v, {
            ...options,
            kvHeads: s.kvHeads,
            headDim: s.d,
            valueDim: s.dv,
            want: all,
          }),
          JSON.stringify({ ...s, ...more }),
        );
        cache.dispose();
      }
  });

  claim('outputs differ from those of a float32 cache by no more than the guide says', (t) => {
    for (const [n, seeds, said] of [
      [16, 40, { f16: 0.0015, q8: 0.03 }],
      [512, 6, { f16: 0.0005, q8: 0.004 }],
    ]) {
      const s = { batch: 1, heads: 4, kvHeads: 2, m: 16, n, d: 64, dv: 64 };
      const worst = { f16: 0, q8: 0 };
      for (let seed = 1; seed <= seeds; seed++) {
        const { q, k, v } = fill('normal', random(seed), s, 1, Float32Array);
        const output = (type) => {
          const cache = holding(ch, type, s, k, v);
          const { output } = ch.attend(q, cache, { heads: s.heads, causal: true });
          cache.dispose();
          return output;
        };
        const exact = output('f32');
        for (const type of Object.keys(worst))
          worst[type] = Math.max(
            worst[type],
            ...output(type).map((x, at) => Math.abs(x - exact[at])),
          );
      }
      for (const [type, most] of Object.entries(said))
        assert.ok(
          worst[type] <= most && worst[type] > most / 2,
          `${type}, ${n} keys: ${worst[type]}`,
        );
      t.diagnostic(`${n} keys: ${JSON.stringify(worst)}`);
    }
  });

  claim('so does it for few rows, for which halves stay halves, at any size of numbers', () => {
    const r = random(8);
    const signed = (x) => (r.chance(0.1) ? (r.chance(0.5) ? -0 : 0) : x);
    for (let group = 1; group <= 9; group++)
      for (const [query, number, one] of [
        [1, 1],
        [1e-30, 1],
        [1e-38, 1],
        [1e-42, 1],
        [3e4, 1],
        [7e4, 1e-3],
        [1, 1, 1e30],
        [1, 1, NaN],
        [1e30, 1e-6],
        [1, 3e-7],
        [1e-3, 3e4],
      ]) {
        const s = {
          batch: 1,
          heads: 2 * group,
          kvHeads: 2,
          m: r.integer(1, Math.max(1, Math.floor(9 / group))),
          n: r.pick([9, 140, 530]),
          d: r.pick([6, 64]),
          dv: r.pick([5, 24, 64]),
        };
        const { q, k, v } = fill('normal', r, s, 1, Float32Array);
        const scaled = [k, v].map((a) => a.map((x) => signed(x * number)));
        const cache = holding(ch, 'f16', s, ...scaled);
        const kept = cache.read();
        const options = {
          heads: s.heads,
          ...(query < 1e-30 && { scale: r.pick([1, -1e37]) }),
          ...(r.chance(0.3) && { sinks: new Float32Array(s.heads).fill(0.5) }),
        };
        const queries = q.map((x) => signed(x * query));
        const mask = r.chance(0.3) && {
          mask: {
            data: Uint8Array.from({ length: s.n }, () => Number(r.chance(0.8))),
            shape: [s.n],
          },
        };
        // a single row that has no place for the factor
        if (one) queries[r.integer(0, q.length - 1)] *= one;
        sameBits(
          ch.attend(queries, cache, { ...options, ...mask, want: all }),
          ch.attention(queries, kept.k, kept.v, {
            ...options,
            ...mask,
            offset: s.n - s.m,
            kvHeads: 2,
            headDim: s.d,
            valueDim: s.dv,
            want: all,
          }),
          JSON.stringify({ ...s, query, number, one }),
        );
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
              value.reduce((most, x) => Math.max(most, Math.abs(x)), 0),
            );
            const T = more.temperature ?? 1;
            const L = Math.min(32639, Math.floor((2 ** 31 - 1) / (128 * (s.d + 1))));
            const rows = s.heads * s.m;
            for (let row = 0; row < rows; row++) {
              const h = Math.floor(row / s.m);
              const g = Math.floor(h / (s.heads / s.kvHeads));
              const most = Math.max(...q.subarray(row * s.d, (row + 1) * s.d).map(Math.abs));
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
              const shift = T === Infinity ? 0 : (most / (2 * L) / Math.sqrt(s.d) / T) * keys;
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

  claim(
    'any type gives the same bits in chunks, after truncation, from a clone and from a snapshot',
    () => {
      for (const type of ['f16', 'q8'])
        for (const s of shapes.slice(1)) {
          const { q, k, v } = fill('normal', random(s.n), s, 1, Float32Array);
          const r = random(s.d);
          const whole = holding(ch, type, s, k, v);
          const options = { heads: s.heads, causal: true, want: { lse: true, stats: true } };
          const expected = ch.attend(q, whole, options);
          const cache = ch.kvCache({
            kvHeads: s.kvHeads,
            headDim: s.d,
            valueDim: s.dv,
            capacity: s.n + 5,
            type,
          });
          const positions = (a, size, from, to) =>
            block(a, [1, s.kvHeads, s.n, size], undefined, undefined, [from, to]);
          for (let at = 0; at < s.n;) {
            const to = Math.min(s.n, at + r.pick([1, 2, 7, 100]));
            cache.append(positions(k, s.d, at, to), positions(v, s.dv, at, to));
            if (r.chance(0.2) && cache.length > 3) cache.truncate(cache.length - r.integer(1, 3));
            at = cache.length;
          }
          for (let i = 0; i < s.m; i++) {
            const one = block(q, [1, s.heads, s.m, s.d], undefined, undefined, [i, i + 1]);
            sameBits(
              ch.attend(one, cache, { ...options, offset: s.n - s.m + i }),
              partOf(expected, s, { i: [i, i + 1] }),
              `${type}, row ${i}`,
            );
          }
          const twin = cache.clone();
          const restored = ch.kvCache({
            kvHeads: s.kvHeads,
            headDim: s.d,
            valueDim: s.dv,
            capacity: s.n,
            type,
          });
          assert.equal(twin.type, type);
          restored.restore(cache.snapshot());
          for (const other of [twin, restored])
            sameBits(ch.attend(q, other, options), expected, type);
          sameArray(restored.snapshot(), whole.snapshot(), 'snapshots');
          for (const x of [whole, cache, twin, restored]) x.dispose();
        }
    },
  );

  claim('what is masked has no influence, what is not finite counts as NaN', () => {
    const s = { batch: 1, heads: 2, kvHeads: 1, m: 2, n: 40, d: 6, dv: 5 };
    const { q, k, v } = fill('normal', random(3), s, 1, Float32Array);
    for (const type of ['f16', 'q8'])
      for (const bad of [NaN, Infinity])
        for (const [which, size] of [
          ['k', s.d],
          ['v', s.dv],
        ]) {
          const broken = { k: k.slice(), v: v.slice() };
          broken[which][30 * size + 1] = bad;
          const mask = {
            data: Uint8Array.from({ length: s.n }, (_, j) => Number(j !== 30)),
            shape: [s.n],
          };
          const cache = holding(ch, type, s, broken.k, broken.v);
          const good = holding(ch, type, s, k, v);
          sameArray(
            ch.attend(q, cache, { heads: 2, mask }).output,
            ch.attend(q, good, { heads: 2, mask }).output,
            `${type}, ${bad} masked`,
          );
          const seen = ch.attend(q, cache, { heads: 2 }).output;
          const sunk = { temperature: 0, sinks: new Float32Array(2).fill(1e3) };
          if (type === 'q8')
            for (const x of [seen, ch.attend(q, cache, { heads: 2, ...sunk }).output])
              assert.ok(x.every(Number.isNaN), `${type}: ${bad} in ${which}`);
          else
            assert.ok(
              seen.some((x) => !Number.isFinite(x)) || which === 'k',
              `${type}: ${bad} in ${which}`,
            );
          cache.dispose();
          good.dispose();
        }
  });

  claim('a half that is not finite counts as what it is, appended, copied or restored', () => {
    for (const m of [1, 8])
      // one group of rows, and several
      for (const bad of [NaN, Infinity, -Infinity])
        for (const which of ['k', 'v']) {
          const s = { batch: 1, heads: 2, kvHeads: 1, m, n: 40, d: 6, dv: 5 };
          const given = fill('normal', random(m), s, 1, Float32Array);
          given[which][100] = bad;
          const cache = holding(ch, 'f16', s, given.k, given.v);
          const { k, v } = cache.read();
          const restored = ch.kvCache({ headDim: s.d, valueDim: s.dv, capacity: s.n, type: 'f16' });
          restored.restore(cache.snapshot());
          const want = ch.attention(given.q, k, v, {
            heads: 2,
            kvHeads: 1,
            headDim: s.d,
            valueDim: s.dv,
          }).output;
          for (const [how, halves] of Object.entries({
            appended: cache,
            copied: cache.clone(),
            restored,
          })) {
            assert.deepEqual(
              [...ch.attend(given.q, halves, { heads: 2 }).output],
              [...want],
              `${bad} in ${which}, ${how}, ${m} queries`,
            );
            halves.dispose();
          }
        }
  });

  claim('types are told apart, and take the room they say', () => {
    const sizes = { kvHeads: 2, headDim: 64, capacity: 1024 };
    const [f32, f16, q8] = ['f32', 'f16', 'q8'].map((type) => ch.kvCache({ ...sizes, type }));
    assert.ok(
      f16.bytes < f32.bytes * 0.501 && q8.bytes < f32.bytes * 0.267,
      `${[f32.bytes, f16.bytes, q8.bytes]}`,
    );
    refused(() => f16.restore(q8.snapshot()), 'FORMAT', /, not of such a cache; /);
    refused(() => f32.restore(f16.snapshot()), 'FORMAT');
    refused(() => ch.kvCache({ ...sizes, type: 'q4' }), 'ARG');
    for (const x of [f32, f16, q8]) x.dispose();
  });
}

test('threads give the bits of one over every type', async () => {
  const [one, two] = [await init({ variant: 'simd' }), await init({ variant: 'simd', threads: 2 })];
  assert.equal(two.info.threads, 2);
  for (const type of ['f32', 'f16', 'q8'])
    for (const s of [
      { batch: 1, heads: 32, kvHeads: 8, m: 1, n: 4100, d: 64, dv: 64 },
      { batch: 1, heads: 6, kvHeads: 2, m: 200, n: 600, d: 64, dv: 32 },
    ]) {
      const { q, k, v } = fill('normal', random(s.n), s, 1, Float32Array);
      const options = { heads: s.heads, causal: true, want: { lse: true, stats: true } };
      const [a, b] = [one, two].map((ch) => ch.attend(q, holding(ch, type, s, k, v), options));
      sameBits(b, a, `${type}, ${s.m} rows`);
    }
  two.dispose();
});
