/**
 * Attention in 8-bit integers: within what attn.h states, near enough to be of use, and as deaf to
 * masked keys as in floats.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { build, cases } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { Kernels } from '../support/kernels.js';
import { random } from '../support/random.js';

const SPAN = 512;
const BLOCK = 128;
const EPSILON = 2 ** -23;
const LEAST = 2e-36;
const numbers = (seed, length, of = (r) => r.normal()) => {
  const r = random(seed);
  return Float32Array.from({ length }, (_, at) => of(r, at));
};
const integers = (ch, { q, k, v, options }, want = {}) =>
  ch.attention(q, k, v, { ...options, precision: 'int8', want });
const largest = (x) => x.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
/** By how much rounding moves a number of a vector, at most; so little counts as 0. */
const half = (most) => (most < LEAST ? most : most / 254);
const magnitude = (x) => x.reduce((sum, y) => sum + Math.abs(y), 0);

/** The vectors of (batch, heads, positions, size), whatever the layout. */
function rowsOf(x, { heads, positions, size, layout }) {
  const at = (b, h, i) =>
    (layout === 'bshd' ? (b * positions + i) * heads + h : (b * heads + h) * positions + i) * size;
  return (b, h, i) => x.subarray(at(b, h, i), at(b, h, i) + size);
}

/**
 * The keys that are rounded, and the factors of the queries that make up for it. A key loses the
 * mean of its span where that makes it smaller. It is divided by the root of its channel's mean
 * size relative to the largest. In float64, which is near enough for a bound.
 */
function reshaped(keys, length) {
  const result = [];
  for (let start = 0; start < keys.length; start += SPAN) {
    const span = keys.slice(start, start + SPAN);
    const known = span.slice(0, Math.max(0, length - start));
    const counts = known.filter((key) => largest(key) >= LEAST);
    const mean = Array.from(
      span[0],
      (_, c) => counts.reduce((sum, key) => sum + key[c], 0) / counts.length || 0,
    );
    const short = span.map((key, j) => {
      if (j >= known.length) return key;
      const less = key.map((x, c) => x - mean[c]);
      return largest(less) < largest(key) ? less : key;
    });
    const times = mean.map((_, c) =>
      Math.max(
        1 / 16,
        Math.sqrt(
          short
            .slice(0, known.length)
            .reduce(
              (sum, key) => sum + (largest(key) >= LEAST ? Math.abs(key[c]) / largest(key) : 0),
              0,
            ) / known.length || 0,
        ),
      ),
    );
    for (const key of short) result.push({ key: key.map((x, c) => x / times[c]), times });
  }
  return result;
}

/**
 * Holds raw scores and output of one call against the bounds stated with ATTN_INT8; returns the
 * largest part of each bound that was used.
 */
function withinBounds(ch, { q, k, v, options }) {
  const { batch = 1, heads = 1, kvHeads = heads, headDim: d, valueDim: dv = d, layout } = options;
  const m = q.length / (batch * heads * d);
  const n = k.length / (batch * kvHeads * d);
  const scale = options.scale ?? 1 / Math.sqrt(d);
  const { output, scores, weights } = integers(
    ch,
    { q, k, v, options },
    { scores: 'raw', weights: true },
  );
  const qs = rowsOf(q, { batch, heads, positions: m, size: d, layout });
  const ks = rowsOf(k, { batch, heads: kvHeads, positions: n, size: d, layout });
  const vs = rowsOf(v, { batch, heads: kvHeads, positions: n, size: dv, layout });
  const outs = rowsOf(output, { batch, heads, positions: m, size: dv, layout });
  const used = { score: 0, output: 0 };
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++) {
      const g = Math.floor(h / (heads / kvHeads));
      const keys = Array.from({ length: n }, (_, j) => ks(b, g, j));
      const short = reshaped(keys, options.keyLengths?.[b] ?? n);
      const values = Array.from({ length: n }, (_, j) => vs(b, g, j));
      const valueSteps = values.map((x) => half(largest(x)));
      for (let i = 0; i < m; i++) {
        const row = ((b * heads + h) * m + i) * n;
        const query = qs(b, h, i);
        for (let j = 0; j < n; j++) {
          const { key, times } = short[j];
          const q = query.map((x, c) => x * times[c]);
          const eq = half(largest(q));
          const ek = half(largest(key));
          const lambda = scale * (options.keyScale?.[j] ?? 1);
          let condition = 0;
          let exact = 0;
          for (let c = 0; c < d; c++) {
            exact += query[c] * keys[j][c];
            condition +=
              Math.abs(q[c]) * (Math.abs(key[c]) + Math.abs(keys[j][c] / times[c] - key[c]));
          }
          const bound =
            Math.abs(lambda) *
              (eq * magnitude(key) +
                ek * magnitude(q) +
                d * eq * ek +
                (8 + d) * EPSILON * condition) +
            2 ** -149;
          const error = Math.abs(scores[row + j] - lambda * exact);
          assert.ok(error <= bound, `score ${h} ${i} ${j}: ${error} beyond ${bound}`);
          used.score = Math.max(used.score, error / bound);
        }
        // beside what exact weights of these scores give: the weights that came back
        for (let c = 0; c < dv; c++) {
          let want = 0;
          let bound = 0;
          let condition = 0;
          for (let block = 0; block < n; block += BLOCK) {
            let most = 0;
            let words = 0;
            for (let j = block; j < Math.min(n, block + BLOCK); j++) {
              const p = weights[row + j];
              if (p === 0) continue;
              want += p * values[j][c];
              condition += p * Math.abs(values[j][c]);
              bound += p * valueSteps[j];
              most = Math.max(most, p * 2 * valueSteps[j]);
              words += valueSteps[j] && Math.abs(values[j][c] / (2 * valueSteps[j])) + 0.5;
            }
            bound += (most * words) / 254;
          }
          const error = Math.abs(outs(b, h, i)[c] - want);
          const allowed = bound * (1 + 2 ** -20) + 16 * EPSILON * condition + 2 ** -149;
          assert.ok(error <= allowed, `output ${h} ${i} ${c}: ${error} beyond ${allowed}`);
          used.output = Math.max(used.output, error / allowed);
        }
      }
    }
  return used;
}

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
    const most = { score: 0, output: 0 };
    for (const [name, call] of plain) {
      try {
        const used = withinBounds(ch, call);
        for (const what of ['score', 'output']) most[what] = Math.max(most[what], used[what]);
      } catch (error) {
        error.message = `${name}: ${error.message}`;
        throw error;
      }
    }
    t.diagnostic(
      `${plain.length} cases; at most ${most.score.toFixed(2)} of a score's bound, ` +
        `${most.output.toFixed(2)} of an output's`,
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

/** Cosine of all outputs, and the error relative to the size of the exact ones. */
function compare(got, want) {
  let dot = 0;
  let a = 0;
  let b = 0;
  let error = 0;
  for (const [x, y] of want.entries()) {
    dot += got[x] * y;
    a += got[x] ** 2;
    b += y ** 2;
    error += (got[x] - y) ** 2;
  }
  return { cosine: dot / Math.sqrt(a * b), error: Math.sqrt(error / b) };
}

const exactly = (ch, { q, k, v, options }) =>
  ch.attention(...[q, k, v].map((x) => Float64Array.from(x)), options).output;

for (const { variant, ch } of engines)
  for (const [name, reshape, options] of [
    ['normal data', (x) => x, {}],
    ['normal data, causal', (x) => x, { causal: true }],
    ['keys that share a large part in some channels', (x, c) => x + (c % 16 ? 0 : 200), {}],
    ['keys that share a part in all channels', (x) => x + 20, {}],
    [
      'keys with channels of very different size',
      (x, c) => x * (c % 8 ? 1 : 20),
      { scale: 1 / 64 },
    ],
  ])
    test(`cosine of at least 0.9995 against float64: ${name} (${variant})`, (t) => {
      const heads = 2;
      const d = 64;
      const n = 1024;
      const k = numbers(2, heads * n * d, (r, at) => reshape(r.normal(), at % d));
      const call = {
        q: numbers(1, heads * n * d),
        k,
        v: numbers(3, heads * n * d),
        options: { heads, headDim: d, ...options },
      };
      const { cosine, error } = compare(integers(ch, call).output, exactly(ch, call));
      t.diagnostic(`cosine ${cosine.toFixed(6)}, relative error ${error.toFixed(4)}`);
      assert.ok(cosine >= 0.9995, `${cosine}`);
    });

const real = new URL(
  '../../../shared/models/stories260K/reference/once.qkvo.half.f32',
  import.meta.url,
);
const skip = existsSync(real) ? false : 'skipped, not present: stories260K';

for (const { variant, ch } of engines)
  test(
    `cosine of at least 0.9995 on the queries, keys and values of a trained model (${variant})`,
    { skip },
    (t) => {
      // five layers of q (256, 8, 8), k and v (256, 4, 8), and the results
      const all = new Float32Array(new Uint8Array(readFileSync(real)).buffer);
      const positions = 256;
      const [Q, K] = [positions * 64, positions * 32];
      for (let layer = 0; layer < 5; layer++) {
        const at = layer * (2 * Q + 2 * K);
        const part = (from, length) => all.slice(at + from, at + from + length);
        const call = {
          q: part(0, Q),
          k: part(Q, K),
          v: part(Q + K, K),
          options: { heads: 8, kvHeads: 4, headDim: 8, causal: true, layout: 'bshd' },
        };
        const { cosine, error } = compare(integers(ch, call).output, part(Q + 2 * K, Q));
        t.diagnostic(
          `layer ${layer}: cosine ${cosine.toFixed(6)}, relative error ${error.toFixed(4)}`,
        );
        assert.ok(cosine >= 0.9995, `layer ${layer}: ${cosine}`);
      }
    },
  );

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

  test(`what is masked has no say, however large, infinite or NaN (${variant})`, () => {
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
      const most = Math.max(...z);
      const e = Array.from(z, (x) => Math.exp(x - most));
      const sum = e.reduce((a, b) => a + b);
      assert.ok(Math.abs(lse[row] - (most + Math.log(sum))) < 1e-5);
      assert.equal(stats.argmax[row], z.indexOf(most));
      assert.ok(Math.abs(stats.maxWeight[row] - 1 / sum) < 1e-6);
      assert.ok(e.every((x, j) => Math.abs(weights[row * n + j] - x / sum) < 1e-6));
    }
  });
}

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

test('numbers at both ends of the floats', () => {
  const n = 200;
  const d = 16;
  const options = { headDim: d };
  for (const { ch } of engines) {
    const numbersOf = (seed, size) => numbers(seed, n * d).map((x) => x * size);
    const close = (call, least) => {
      const { cosine } = compare(integers(ch, call).output, exactly(ch, call));
      assert.ok(cosine >= least, `${cosine}`);
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
        output: kernels.take(Float32Array, out, m * d),
        scores: kernels.take(Float32Array, scores, m * n),
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
