/** Attention over a KV cache has the bits of attention over its keys and values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { block, partOf } from '../support/parts.js';
import { fill, random } from '../support/random.js';
import { all } from '../support/attention/attend.js';
import { cacheOf, calls, positions } from '../support/cache/calls.js';

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('attending over a cache gives the bits of attention over its keys and values', () => {
    for (const call of calls(400, 300000)) {
      const { c, q, k, v, options, sizes } = call;
      const cache = cacheOf(ch, call, call.s.n + (c.seed % 9));
      for (const want of [{}, all, { scores: 'raw' }, { scores: 'masked', stats: true }])
        sameBits(
          ch.attend(q, cache, { ...options, offset: options.offset ?? 0, want }),
          ch.attention(q, k, v, { ...options, ...sizes, want }),
          c.name,
        );
      cache.dispose();
    }
  });

  claim('appended keys and values are read back exactly, in either layout and any portions', () => {
    for (const call of calls(150, 301000)) {
      const { c, s, k, v, sizes } = call;
      const r = random(c.seed);
      const cache = ch.kvCache({ ...sizes, capacity: s.n });
      for (let at = 0; at < s.n;) {
        const t = r.integer(0, Math.min(s.n - at, r.pick([1, 3, 8, 200])));
        const layout = r.pick(['bhsd', 'bshd']);
        const turn = (a, size) =>
          layout === 'bhsd'
            ? a
            : a.map((_, x) => {
                const y = Math.floor(x / size);
                return a[((y % s.kvHeads) * t + Math.floor(y / s.kvHeads)) * size + (x % size)];
              });
        cache.append(
          turn(positions(k, s.kvHeads, s.n, s.d, at, at + t), s.d),
          turn(positions(v, s.kvHeads, s.n, s.dv, at, at + t), s.dv),
          { layout },
        );
        at += t;
        assert.equal(cache.length, at);
      }
      sameBits(cache.read(), { k, v }, c.name);
      const from = r.integer(0, s.n);
      const to = r.integer(from, s.n);
      sameBits(
        cache.read(from, to),
        {
          k: positions(k, s.kvHeads, s.n, s.d, from, to),
          v: positions(v, s.kvHeads, s.n, s.dv, from, to),
        },
        `${c.name}: [${from}, ${to})`,
      );
      cache.dispose();
    }
  });

  claim('prefill in any chunks and decoding one by one give the bits of the whole prompt', () => {
    const shapes = [
      [9, 9, 4, 3, 2, 1],
      [70, 70, 8, 8, 4, 2],
      [150, 150, 16, 7, 3, 3],
      [300, 300, 5, 4, 2, 1],
      [600, 600, 4, 4, 1, 1],
    ];
    for (const [n, m, d, dv, heads, kvHeads] of shapes)
      for (const more of [
        {},
        { window: [20, 0] },
        { softcap: 3 },
        { alibi: Float32Array.from({ length: heads }, (_, h) => 2 ** -h) },
        { sinks: new Float32Array(heads).fill(0.5) },
        { temperature: 0.3 },
      ]) {
        const s = { batch: 1, heads, kvHeads, m, n, d, dv };
        const { q, k, v } = fill('normal', random(n), s, 1, Float32Array);
        const options = { heads, causal: true, ...more };
        const whole = ch.attention(q, k, v, {
          ...options,
          kvHeads,
          headDim: d,
          valueDim: dv,
          want: { lse: true, stats: true },
        });
        for (const chunk of [[1], [7], [8], [64, 1], [128], [129, 3], [n - 1, 1]]) {
          const cache = ch.kvCache({ kvHeads, headDim: d, valueDim: dv, capacity: n });
          for (let at = 0, x = 0; at < n; x++) {
            const to = Math.min(n, at + chunk[x % chunk.length]);
            const i = [at, to];
            cache.append(positions(k, kvHeads, n, d, at, to), positions(v, kvHeads, n, dv, at, to));
            const got = ch.attend(block(q, [1, heads, m, d], undefined, undefined, i), cache, {
              ...options,
              want: { lse: true, stats: true },
            });
            sameBits(
              got,
              partOf(whole, s, { i }),
              `rows ${i} of ${n}, chunks ${chunk}, ${Object.keys(more)}`,
            );
            at = to;
          }
          cache.dispose();
        }
      }
  });

  claim('without an offset the queries are the last positions of the cache', () => {
    const s = { batch: 1, heads: 2, kvHeads: 2, m: 3, n: 20, d: 4, dv: 4 };
    const { q, k, v } = fill('normal', random(2), s, 1, Float32Array);
    const cache = ch.kvCache({ kvHeads: 2, headDim: 4, capacity: 20 });
    cache.append(k, v);
    for (const more of [{ causal: true }, { window: [2, 1] }, { alibi: Float32Array.of(1, 0.5) }])
      sameBits(
        ch.attend(q, cache, { heads: 2, ...more }),
        ch.attention(q, k, v, { heads: 2, headDim: 4, offset: 17, ...more }),
        Object.keys(more)[0],
      );
    cache.dispose();
  });

  claim('an empty cache gives rows without keys', () => {
    const cache = ch.kvCache({ headDim: 4, valueDim: 3, capacity: 5 });
    const { output, lse, stats } = ch.attend(new Float32Array(8).fill(1), cache, {
      causal: true,
      offset: -2,
      want: { lse: true, stats: true },
    });
    assert.deepEqual(
      [[...output], [...lse], [...stats.n]],
      [
        [0, 0, 0, 0, 0, 0],
        [-Infinity, -Infinity],
        [0, 0],
      ],
    );
    assert.deepEqual([...cache.read().k], []);
    cache.dispose();
  });

  claim('tensors may be appended and asked with', () => {
    const r = random(4);
    const numbers = (size) => Float32Array.from({ length: size }, () => r.normal());
    const k = numbers(2 * 5 * 3);
    const v = numbers(2 * 5 * 4);
    const q = numbers(2 * 2 * 3);
    const tensor = (a, shape) => {
      const t = ch.tensor(shape);
      t.data.set(a);
      return t;
    };
    const a = ch.kvCache({ kvHeads: 2, headDim: 3, valueDim: 4, capacity: 5 });
    const b = ch.kvCache({ kvHeads: 2, headDim: 3, valueDim: 4, capacity: 5 });
    const made = [tensor(k, [2, 5, 3]), tensor(v, [2, 5, 4]), tensor(q, [2, 2, 3])];
    a.append(k, v);
    b.append(made[0], made[1]);
    sameBits(ch.attend(made[2], b, { heads: 2 }), ch.attend(q, a, { heads: 2 }), 'tensors');
    for (const x of [a, b, ...made]) x.dispose();
  });
}
