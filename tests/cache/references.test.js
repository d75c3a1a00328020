/**
 * Caches that keep bytes store keys as differences from a reference that earlier keys give. A
 * constant that keys share then costs no precision. One that turns with the position, as key biases
 * in models do, costs some.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { holding } from '../support/cache/types.js';
import { engines } from '../support/engines.js';
import { block } from '../support/parts.js';
import { random } from '../support/random.js';

const LARGEST = 3.4028234663852886e38;

/** The key of a channel, with the constants that the key biases of Qwen2 put into two of them. */
const withConstant = (x, channel, constant) =>
  x + (channel === 31 ? constant : channel === 63 ? -0.8 * constant : 0);

/** Unit-normal keys and values of 64 channels, and queries of a standard deviation of 1.5. */
function numbersOf(seed, { heads, kvHeads, m, n }, constant) {
  const r = random(seed);
  const normal = (length, scale = 1) => Float32Array.from({ length }, () => scale * r.normal());
  return {
    k: normal(kvHeads * n * 64).map((x, at) => withConstant(x, at % 64, constant)),
    v: normal(kvHeads * n * 64),
    q: normal(heads * m * 64, 1.5),
  };
}

const norm = (a) => Math.hypot(...a);

/** How far a number may be off in a vector whose largest is `max`: half a step, and rounding. */
const halfStep = (max) => max / 254 + max * 2 ** -22 + 2 ** -143;

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('a constant that keys share does not make outputs over bytes less exact', (t) => {
    for (const constant of [0, 30, 100, 300, 600]) {
      const errors = [];
      for (const n of [512, 40, 1300])
        for (let seed = 1; seed <= 10; seed++) {
          const s = { heads: 7, kvHeads: 1, m: 1, n, d: 64, dv: 64 };
          const { q, k, v } = numbersOf(seed, s, constant);
          const exact = ch.attention(q, k, v, { heads: 7, kvHeads: 1, headDim: 64 }).output;
          const cache = holding(ch, 'q8', s, k, v);
          const got = ch.attend(q, cache, { heads: 7 }).output;
          cache.dispose();
          errors.push(norm(got.map((x, c) => x - exact[c])) / norm(exact));
          assert.ok(errors.at(-1) <= 0.03, `${constant}, ${n} keys: off by ${errors.at(-1)}`);
        }
      t.diagnostic(`constant ${constant}: largest relative error ${Math.max(...errors)}`);
    }
  });

  claim(
    'a key unlike the others costs no precision as the first, and that of six as another',
    () => {
      const s = { heads: 1, kvHeads: 1, m: 1, n: 1300, d: 64, dv: 64 };
      const numbers = numbersOf(3, s, 600);
      for (const odd of [0, 1, -600, 1e30, NaN, Infinity])
        for (const at of [0, 1, 2, 7, 8, 505, 511, 512]) {
          const { v } = numbers;
          const k = numbers.k.slice();
          k.fill(odd, at * 64, (at + 1) * 64);
          const cache = holding(ch, 'q8', s, k, v);
          const kept = cache.read().k;
          cache.dispose();
          // differences between unit-normal numbers, none of which is above 3.5
          const allowed = halfStep(7) + 600 * 2 ** -23;
          for (let j = 0; j < s.n; j++) {
            if (j === at || (at === 1 && j > 1 && j < 8)) continue;
            for (let x = j * 64; x < (j + 1) * 64; x++)
              if (!(Math.abs(kept[x] - k[x]) <= allowed))
                assert.fail(`${odd} as key ${at}: key ${j} has ${kept[x]}, was ${k[x]}`);
          }
        }
    },
  );

  claim('heads of any size gain from references', () => {
    for (const d of [1, 3, 5, 17, 70]) {
      const r = random(d);
      const k = Float32Array.from({ length: 1100 * d }, () => 300 + r.normal());
      const cache = ch.kvCache({ headDim: d, valueDim: 1, capacity: 1100, type: 'q8' });
      cache.append(k, new Float32Array(1100));
      const kept = cache.read().k;
      cache.dispose();
      // differences between unit-normal numbers, none of which is above 3.5
      k.forEach((x, at) =>
        assert.ok(
          Math.abs(kept[at] - x) <= halfStep(7) + 300 * 2 ** -23,
          `${d} channels: ${kept[at]} was ${x}`,
        ),
      );
    }
  });

  claim('no key is rounded more coarsely than without a reference, whatever came before', () => {
    const r = random(7);
    const oddities = [0, 1e-40, 1e-3, 1, -300, 1e20, LARGEST, NaN, -Infinity];
    for (let round = 0; round < 60; round++) {
      const d = r.pick([1, 5, 24, 64]);
      const n = r.pick([9, 30, 520, 1030]);
      const k = Float32Array.from({ length: n * d }, (_, at) => (at % d ? 0 : 300) + r.normal());
      for (let j = 0; j < n; j = r.chance(0.5) ? j + 1 : j + 400)
        if (r.chance(0.4)) k.fill(r.pick(oddities), j * d + r.integer(0, d - 1), (j + 1) * d);
      const cache = ch.kvCache({ headDim: d, valueDim: 1, capacity: n, type: 'q8' });
      cache.append(k, new Float32Array(n));
      const kept = cache.read().k;
      cache.dispose();
      for (let j = 0; j < n; j++) {
        const key = k.subarray(j * d, (j + 1) * d);
        const max = Math.max(...key.map(Math.abs));
        const allowed = halfStep(max);
        for (let c = 0; c < d; c++) {
          const got = kept[j * d + c];
          const fits = max < Infinity ? Math.abs(got - key[c]) <= allowed : Number.isNaN(got);
          if (!fits) assert.fail(`round ${round}, key ${j}: ${got} was ${key[c]}, largest ${max}`);
        }
      }
    }
  });

  claim('a bias that turns costs its way since the reference, and never more than without', (t) => {
    for (const [base, pair] of [
      [1e6, 31],
      [1e6, 20],
      [1e4, 31],
      [1e4, 20],
    ])
      for (const size of [100, 600]) {
        const n = 1300;
        const turn = base ** (-pair / 32);
        const r = random(pair + size);
        const noise = Float32Array.from({ length: n * 64 }, () => r.normal());
        const k = noise.map((x, at) => {
          const angle = turn * Math.floor(at / 64);
          const [cos, sin] = [size * Math.cos(angle), size * Math.sin(angle)];
          return x + (at % 64 === pair ? cos : at % 64 === pair + 32 ? sin : 0);
        });
        const cache = ch.kvCache({ headDim: 64, valueDim: 1, capacity: n, type: 'q8' });
        cache.append(k, new Float32Array(n));
        const kept = cache.read().k;
        cache.dispose();
        const loudest = noise.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
        let largest = 0;
        for (let j = 1; j < n; j++) {
          // the first of the keys that the reference is made of
          const first = j < 512 ? 1 : j - (j % 512) - 7;
          const way = 2 * size * Math.sin(Math.min(Math.PI, turn * (j - first)) / 2);
          const key = k.subarray(j * 64, (j + 1) * 64);
          const max = Math.max(...key.map(Math.abs));
          const allowed = halfStep(Math.min(max, 2 * loudest + way)) + size * 2 ** -23;
          for (let c = 0; c < 64; c++) {
            const off = Math.abs(kept[j * 64 + c] - key[c]);
            largest = Math.max(largest, off);
            assert.ok(off <= allowed, `${base}, ${pair}, ${size}: key ${j} is off by ${off}`);
          }
        }
        t.diagnostic(`base ${base}, pair ${pair}, bias ${size}: numbers are off by ${largest}`);
      }
  });

  claim('keys that are all the same come back exactly', () => {
    const { k } = numbersOf(5, { heads: 1, kvHeads: 1, m: 1, n: 1 }, 600);
    const cache = ch.kvCache({ headDim: 64, valueDim: 1, capacity: 1100, type: 'q8' });
    for (let j = 0; j < 1100; j++) cache.append(k, Float32Array.of(j));
    for (const j of [0, 1, 7, 8, 511, 512, 1024, 1099])
      sameArray(cache.read(j, j + 1).k, k, `key ${j}`);
    cache.dispose();
  });

  claim('references are the same for any portions and after truncating anywhere', () => {
    const s = { batch: 1, heads: 4, kvHeads: 2, m: 2, n: 1100, d: 64, dv: 64 };
    const { q, k, v } = numbersOf(11, s, 300);
    const of = (a, from, to) => block(a, [1, 2, s.n, 64], undefined, undefined, [from, to]);
    const append = (cache, from, to) => cache.append(of(k, from, to), of(v, from, to));
    const empty = (capacity) => ch.kvCache({ kvHeads: 2, headDim: 64, capacity, type: 'q8' });
    const whole = holding(ch, 'q8', s, k, v);
    const bytes = whole.snapshot();
    const ask = (cache) => ch.attend(q, cache, { heads: 4, want: { scores: 'raw', lse: true } });
    const expected = ask(whole);
    for (const length of [0, 1, 5, 7, 8, 9, 16, 511, 512, 513, 519, 520, 521, 1024, 1025, 1099]) {
      const cache = empty(s.n + (length % 5));
      // other keys at first, whose references must not survive
      cache.append(of(v, 0, s.n), of(k, 0, s.n));
      cache.truncate(0);
      for (let at = 0; at < s.n; at += 137) append(cache, at, Math.min(s.n, at + 137));
      cache.truncate(length);
      const short = empty(s.n);
      append(short, 0, length);
      sameArray(cache.snapshot(), short.snapshot(), `truncated to ${length}`);
      const restored = empty(s.n);
      restored.restore(cache.snapshot());
      for (const [how, same] of Object.entries({ cache, restored, clone: cache.clone() })) {
        for (let at = length; at < s.n; at += at < length + 9 ? 1 : 300)
          append(same, at, Math.min(s.n, at < length + 9 ? at + 1 : at + 300));
        sameArray(same.snapshot(), bytes, `${how}, filled again from ${length} on`);
        sameBits(ask(same), expected, `${how}, filled again from ${length} on`);
        same.dispose();
      }
      short.dispose();
    }
    whole.dispose();
  });

  claim('the largest float comes back from bytes as it is, or within a step, and finite', () => {
    for (const value of [[1], [-1], [1, 1e-38, 0.3, -1], [0.5, 1]].map((x) =>
      Float32Array.from(x, (y) => y * LARGEST),
    )) {
      const size = value.length;
      const cache = ch.kvCache({ headDim: size, valueDim: size, capacity: 20, type: 'q8' });
      for (let j = 0; j < 20; j++) cache.append(j % 2 ? value.map((x) => -x) : value, value);
      const kept = cache.read();
      const answer = ch.attend(new Float32Array(size), cache).output;
      cache.dispose();
      for (let at = 0; at < 20 * size; at++) {
        const sign = Math.floor(at / size) % 2 ? -1 : 1;
        for (const [what, got, was] of [
          ['key', kept.k[at], sign * value[at % size]],
          ['value', kept.v[at], value[at % size]],
          ['output', answer[at % size], value[at % size]],
        ])
          assert.ok(
            Math.abs(got - was) <= (LARGEST / 254) * 1.0001 && Number.isFinite(got),
            `${what} ${got}, was ${was}`,
          );
      }
    }
  });
}
