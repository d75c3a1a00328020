/** Caches that keep half precision or bytes, compared with each other and with float32. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { threaded } from '../support/engine/threaded.js';
import { engines } from '../support/engines.js';
import { block, partOf } from '../support/parts.js';
import { fill, random } from '../support/random.js';
import { holding, refused, shapes } from '../support/cache/types.js';

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

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
      for (const [type, max] of Object.entries(said))
        assert.ok(
          worst[type] <= max && worst[type] > max / 2,
          `${type}, ${n} keys: ${worst[type]}`,
        );
      t.diagnostic(`${n} keys: ${JSON.stringify(worst)}`);
    }
  });

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

  claim('f16 keeps numbers up to 65504, and q8 vectors that are finite as a whole', () => {
    const x = Float32Array.of(65504, -65519, 65520, -Infinity, 1, 2, 3, 4);
    for (const [type, first] of [
      ['f16', Float32Array.of(65504, -65504, Infinity, -Infinity)],
      ['q8', new Float32Array(4).fill(NaN)],
    ]) {
      const cache = ch.kvCache({ headDim: 4, capacity: 2, type });
      cache.append(x, x);
      for (const read of Object.values(cache.read())) {
        sameArray(read.slice(0, 4), first, type);
        assert.ok(read.slice(4).every(Number.isFinite), type);
      }
      cache.dispose();
    }
  });

  claim('masked numbers have no influence, and those that are not finite count as NaN', () => {
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

  claim('types are told apart, and caches have the bytes they say', () => {
    const sizes = { kvHeads: 2, headDim: 64, capacity: 1024 };
    const [f32, f16, q8] = ['f32', 'f16', 'q8'].map((type) => ch.kvCache({ ...sizes, type }));
    assert.ok(
      f16.bytes < f32.bytes * 0.501 && q8.bytes < f32.bytes * 0.268,
      `${[f32.bytes, f16.bytes, q8.bytes]}`,
    );
    refused(
      () => f16.restore(q8.snapshot()),
      'FORMAT',
      /, not of such a cache, or of a later version; /,
    );
    refused(() => f32.restore(f16.snapshot()), 'FORMAT');
    refused(() => ch.kvCache({ ...sizes, type: 'q4' }), 'ARG');
    for (const x of [f32, f16, q8]) x.dispose();
  });
}

test('threads give the bits of one over every type', async () => {
  const [{ ch: one, variant }] = engines;
  const two = await threaded({ variant, threads: 2 });
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
