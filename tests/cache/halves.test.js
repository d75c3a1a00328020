/**
 * Caches that keep half precision: the nearest half, and attention with the bits of its numbers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { fill, random } from '../support/random.js';
import { all, holding, shapes, toHalf, variations } from '../support/cache/types.js';

/** Factors of the queries, of keys and values, and of one query. */
const FACTORS = [
  { query: 1, number: 1 },
  { query: 1e-30, number: 1 },
  { query: 1e-38, number: 1 },
  { query: 1e-42, number: 1 },
  { query: 3e4, number: 1 },
  { query: 7e4, number: 1e-3 },
  { query: 1, number: 1, one: 1e30 },
  { query: 1, number: 1, one: NaN },
  { query: 1e30, number: 1e-6 },
  { query: 1, number: 3e-7 },
  { query: 1e-3, number: 3e4 },
];

/** A random call with few query rows, some zeros of both signs, and numbers of that size. */
function randomCall(r, group, { query, number, one }) {
  const signed = (x) => (r.chance(0.1) ? (r.chance(0.5) ? -0 : 0) : x);
  const s = {
    batch: 1,
    heads: 2 * group,
    kvHeads: 2,
    m: r.integer(1, Math.max(1, Math.floor(9 / group))),
    n: r.pick([9, 140, 530]),
    d: r.pick([6, 64]),
    dv: r.pick([5, 24, 64]),
  };
  const given = fill('normal', r, s, 1, Float32Array);
  const [k, v] = [given.k, given.v].map((a) => a.map((x) => signed(x * number)));
  const q = given.q.map((x) => signed(x * query));
  // a single row that has no place for the factor
  if (one) q[r.integer(0, q.length - 1)] *= one;
  const options = { heads: s.heads };
  if (query < 1e-30) options.scale = r.pick([1, -1e37]);
  if (r.chance(0.3)) options.sinks = new Float32Array(s.heads).fill(0.5);
  if (r.chance(0.3))
    options.mask = {
      data: Uint8Array.from({ length: s.n }, () => Number(r.chance(0.8))),
      shape: [s.n],
    };
  return { s, q, k, v, options };
}

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

  claim('few rows over halves have the bits of attention over the numbers, at any size', () => {
    const r = random(8);
    for (let group = 1; group <= 9; group++)
      for (const factors of FACTORS) {
        const { s, q, k, v, options } = randomCall(r, group, factors);
        const cache = holding(ch, 'f16', s, k, v);
        const kept = cache.read();
        const sizes = { offset: s.n - s.m, kvHeads: 2, headDim: s.d, valueDim: s.dv };
        sameBits(
          ch.attend(q, cache, { ...options, want: all }),
          ch.attention(q, kept.k, kept.v, { ...options, ...sizes, want: all }),
          JSON.stringify({ ...s, ...factors }),
        );
        cache.dispose();
      }
  });

  claim('a half that is not finite keeps its meaning, appended, copied or restored', () => {
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
}
