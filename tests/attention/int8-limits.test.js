/** Attention in 8-bit integers at the limits of temperatures, numbers, lengths and types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { build, cases } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { Kernels } from '../support/kernels.js';
import { compare, exactly, integers, numbers, withinBounds } from '../support/attention/int8.js';

test(
  'raw scores have the same bits from both variants: the integers are the same',
  { skip: engines.length < 2 && 'skipped: this engine has no relaxed SIMD' },
  () => {
    for (const c of cases) {
      const call = build(c, Float32Array);
      const [a, b] = engines.map(({ ch }) => integers(ch, call, { scores: 'raw' }).scores);
      sameArray(a, b, c.name);
    }
  },
);

test('the temperature has its exact limits', () => {
  const { ch } = engines[0];
  const q = numbers(21, 3 * 8);
  const k = numbers(22, 70 * 8);
  const v = numbers(23, 70 * 8);
  for (const temperature of [0, Infinity]) {
    const { output, weights } = ch.attention(q, k, v, {
      headDim: 8,
      temperature,
      precision: 'int8',
      want: { weights: true },
    });
    for (let i = 0; i < 3; i++) {
      const row = [...weights.subarray(i * 70, (i + 1) * 70)];
      assert.deepEqual([...new Set(row)].sort(), temperature ? [Math.fround(1 / 70)] : [0, 1]);
      for (let c = 0; c < 8; c++)
        assert.ok(
          Math.abs(output[i * 8 + c] - row.reduce((sum, p, j) => sum + p * v[j * 8 + c], 0)) < 0.05,
        );
    }
  }
});

test('int8 stays close for numbers near both ends of the floats', () => {
  const n = 200;
  const d = 16;
  const options = { headDim: d };
  for (const { ch } of engines) {
    const numbersOf = (seed, size) => numbers(seed, n * d).map((x) => x * size);
    const close = (call, cosineLimit) => {
      const { cosine } = compare(integers(ch, call).output, exactly(ch, call));
      assert.ok(cosine >= cosineLimit, `${cosine}`);
    };
    // large queries of small keys, and the other way round
    for (const size of [1e35, 1e-35])
      close(
        { q: numbersOf(1, size), k: numbersOf(2, 0.3 / size), v: numbersOf(3, 1), options },
        0.999,
      );
    // values near the largest float, and as small as their scale can be
    const ends = numbersOf(4, 1).map((x) => Math.sign(x) * 3.4028234663852886e38);
    const { output } = integers(ch, { q: numbersOf(1, 1), k: numbersOf(2, 1), v: ends, options });
    assert.ok(output.every(Number.isFinite));
    close({ q: numbersOf(1, 1), k: numbersOf(2, 1), v: ends.map((x) => x / 8), options }, 0.999);
    close({ q: numbersOf(1, 1), k: numbersOf(2, 1), v: numbersOf(3, 1e-32), options }, 0.999);
    // one key with a number beyond 2^124 in a channel where others are small
    const k = numbersOf(2, 1e-3);
    const q = numbersOf(1, 1e-30);
    k[5] = 1e38;
    close({ q, k, v: numbersOf(3, 1), options: { headDim: d, scale: 1e-8 } }, 0.999);
  }
});

test('a sink does not hide NaN at T = 0', () => {
  for (const { ch } of engines)
    for (const which of ['q', 'k']) {
      const call = {
        q: numbers(1, 8),
        k: numbers(2, 40 * 8),
        v: numbers(3, 40 * 8),
        options: { headDim: 8, temperature: 0, sinks: Float32Array.of(1) },
      };
      call[which][3] = NaN;
      assert.ok(integers(ch, call).output.every(Number.isNaN), which);
    }
});

test('key lengths outside [0, n] are clamped', () => {
  const m = 3;
  const n = 600;
  const d = 4;
  const [q, k, v] = [m, n, n].map((rows, x) => numbers(31 + x, rows * d));
  const attend = (length) => {
    const kernels = new Kernels('simd');
    const { c } = kernels;
    return kernels.scope(() => {
      const p = kernels.allocate(c.attn_params_bytes());
      const scores = kernels.allocate(4 * m * n);
      const out = kernels.allocate(4 * m * d);
      assert.equal(c.attn_init(p, 1, 1, 1, m, n, d, d), 0);
      c.attn_set_key_lengths(p, kernels.copy(Int32Array.of(length)));
      assert.equal(c.attn_set_precision(p, 1), 0);
      c.attn_want_scores(p, 0, scores);
      const at = [q, k, v].map((x) => kernels.copy(x));
      assert.equal(
        c.attn_forward_f32(p, out, ...at, kernels.allocate(c.attn_scratch_bytes_f32(p))),
        0,
      );
      return {
        output: kernels.read(Float32Array, out, m * d),
        scores: kernels.read(Float32Array, scores, m * n),
      };
    });
  };
  for (const [length, clamped] of [
    [-(2 ** 31), 0],
    [-1, 0],
    [n + 1, n],
    [2 ** 31 - 1, n],
  ])
    sameBits(attend(length), attend(clamped), `length ${length}`);
});

test('it is for float32 arrays', () => {
  const { ch } = engines[0];
  const f64 = new Float64Array(8);
  const f32 = new Float32Array(8);
  const refused = (run, code, words) =>
    assert.throws(run, (error) => error.code === code && words.test(error.message));
  refused(
    () => ch.attention(f64, f64, f64, { headDim: 8, precision: 'int8' }),
    'ARG',
    /^precision is int8 of float64; expected float32$/,
  );
  refused(
    () => ch.attention(f32, f32, f32, { headDim: 8, precision: 8 }),
    'ARG',
    /^precision is 8; expected "float" or "int8"$/,
  );
  const cache = ch.kvCache({ headDim: 8, capacity: 4 });
  refused(() => ch.attend(f32, cache, { precision: 'int8' }), 'ARG', /given "precision"/);
  assert.equal(ch.attention(f32, f32, f32, { headDim: 8, precision: 'float' }).output.length, 8);
});

test('keys that are all alike keep the bounds, however their mean is rounded', () => {
  const d = 2;
  for (const { ch } of engines)
    for (const count of [1, 3, 7, 100, 511])
      for (let seed = 0; seed < 20; seed++) {
        // the last key is beyond the length, and in another channel than those before it
        const [x, y] = numbers(seed, 2);
        const k = Float32Array.from({ length: (count + 1) * d }, (_, at) =>
          at < count * d ? (at % d) * x : y * (1 - (at % d)),
        );
        const options = { headDim: d, scale: 1, keyLengths: Int32Array.of(count) };
        withinBounds(ch, { q: numbers(100 + seed, d), k, v: k, options });
      }
});

test('and so do keys whose mean is that of larger ones, which cancel', () => {
  const [n, d] = [512, 2];
  for (const { ch } of engines)
    for (const large of [2 ** 8, 2 ** 11, 2 ** 13, 2 ** 16])
      for (let seed = 0; seed < 10; seed++) {
        const x = Math.fround(1 / 3 + seed / 70);
        const k = Float32Array.from({ length: n * d }, (_, at) => (at % d) * x);
        k[1] = x + large * x;
        k[2 * n - 1] = x - large * x;
        // two keys in the other channel, where a query has little
        [k[10], k[18]] = [0.9 * x, -0.9 * x];
        const v = k.map((y) => Math.max(-1, Math.min(1, y)));
        const q = Float32Array.of(0.02 + seed / 100, 1);
        withinBounds(ch, { q, k, v, options: { headDim: d, scale: 1 } });
      }
});
