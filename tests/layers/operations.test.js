/**
 * Products, norms, activations and rotary positions against float64, on every variant. Their bits
 * and their refusals are tested too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import {
  frequencies,
  gelu,
  geluTanh,
  layerNorm,
  linear,
  rmsNorm,
  silu,
  turn,
} from '../support/layers/textbook.js';

const EPS = 2 ** -23;
const U = 2 ** -24;
const r = random(9);
const numbers = (length, scale = 1) => Float32Array.from({ length }, () => scale * r.normal());

/** The largest |got − want| / allowed. */
function worst(got, want, allowed, name) {
  let most = 0;
  assert.equal(got.length, want.length, name);
  got.forEach((x, i) => {
    const ratio = Math.abs(x - want[i]) / allowed(i);
    assert.ok(
      ratio <= 1,
      `${name}[${i}] is ${x}, should be ${want[i]}: ${ratio} of what is allowed`,
    );
    most = Math.max(most, ratio);
  });
  return most;
}

const shapes = [
  [1, 1, 1],
  [1, 8, 3],
  [2, 7, 5],
  [3, 9, 31],
  [4, 8, 32],
  [5, 33, 33],
  [33, 31, 64],
  [7, 40, 255],
  [1, 65, 256],
  [31, 17, 257],
  [66, 50, 600],
  [1, 3, 2000],
  [2, 2, 2000],
];

for (const { variant, ch } of engines) {
  test(`a matrix product keeps its bound, u·(33 + ⌈k/32⌉)·Σ|x·w| (${variant})`, (t) => {
    let most = 0;
    for (const [m, rows, k] of shapes) {
      const x = numbers(m * k);
      const w = numbers(rows * k);
      const bias = numbers(rows);
      const { y, size } = linear(x, w, k, bias);
      const layer = ch.linear(w, { inputs: k, bias });
      most = Math.max(
        most,
        worst(
          layer.forward(x),
          y,
          (i) => U * (33 + Math.ceil(k / 32)) * size[i],
          `${[m, rows, k]}`,
        ),
      );
      layer.dispose();
    }
    // terms of one sign: nothing cancels, rounding has a direction
    const x = Float32Array.from({ length: 5000 }, () => r.uniform());
    const { y, size } = linear(x, x, 5000);
    const result = ch.matmul(x, x, { k: 5000, transposeB: true });
    most = Math.max(
      most,
      worst(result, y, (i) => U * (33 + Math.ceil(5000 / 32)) * size[i], 'of one sign'),
    );
    t.diagnostic(`worst error ${most.toFixed(3)} of the bound`);
  });

  test(`a product has the same bits alone, among others and transposed (${variant})`, () => {
    for (const [m, rows, k] of shapes) {
      const x = numbers(m * k);
      const w = numbers(rows * k);
      const whole = ch.matmul(x, w, { k, transposeB: true });
      const layer = ch.linear(w, { inputs: k });
      sameArray(layer.forward(x), whole, 'packed once');
      for (let i = 0; i < m; i++)
        sameArray(
          layer.forward(x.subarray(i * k, (i + 1) * k)),
          whole.slice(i * rows, (i + 1) * rows),
          `row ${i} of ${[m, rows, k]}`,
        );
      const b = Float32Array.from(
        { length: rows * k },
        (_, at) => w[(at % rows) * k + Math.floor(at / rows)],
      );
      sameArray(ch.matmul(x, b, { k }), whole, 'b (k, n)');
      const X = ch.tensor([m, k]);
      const Y = ch.tensor([m, rows]);
      X.data.set(x);
      assert.equal(layer.forward(X, { out: Y }).byteOffset, Y.data.byteOffset);
      sameArray(Y.data.slice(), whole, 'tensors');
      for (const held of [X, Y, layer]) held.dispose();
    }
  });

  test(`NaN and infinity in a row of x stay in that row (${variant})`, () => {
    const x = numbers(6 * 40);
    const w = numbers(11 * 40);
    const want = ch.matmul(x, w, { k: 40, transposeB: true });
    x[2 * 40 + 3] = NaN;
    x[4 * 40] = Infinity;
    const got = ch.matmul(x, w, { k: 40, transposeB: true });
    for (let i = 0; i < 6; i++)
      if (i === 2) assert.ok(got.subarray(22, 33).every(Number.isNaN));
      else if (i === 4) assert.ok(got.subarray(44, 55).every((x) => Math.abs(x) === Infinity));
      else sameArray(got.slice(i * 11, i * 11 + 11), want.slice(i * 11, i * 11 + 11), `row ${i}`);
  });

  test(`norms are within one rounding of float64 (${variant})`, (t) => {
    let most = 0;
    for (const size of [1, 2, 3, 4, 5, 8, 63, 64, 577])
      for (const [scale, shift] of [
        [1, 0],
        [1e-20, 0],
        [1e18, 0],
        [1, 1000],
      ]) {
        const x = numbers(3 * size, scale).map((v) => v + shift);
        const w = numbers(size);
        const b = numbers(size);
        for (const epsilon of [0, 1e-5]) {
          // a variance of 0 divides by 0
          if (epsilon === 0 && size === 1) continue;

          // Half a unit in the last place, or half the smallest float. Another 1e-9 is the rounding
          // of double, which the mean may magnify.
          const near =
            (want, part = 1e-9) =>
            (i) =>
              0.5 * EPS * Math.abs(want[i]) * 1.001 + part + 2 ** -149;
          const rms = rmsNorm(x, size, epsilon, (c) => w[c]);
          const plus = rmsNorm(x, size, epsilon, (c) => 1 + w[c]);
          const layer = layerNorm(
            x,
            size,
            epsilon,
            (c) => w[c],
            (c) => b[c],
          );
          most = Math.max(
            most,
            worst(ch.rmsNorm(x, w, { epsilon }), rms, near(rms, 0), 'rms'),
            worst(ch.rmsNorm(x, w, { epsilon, onePlus: true }), plus, near(plus, 0), 'one plus'),
          );
          worst(
            ch.layerNorm(x, w, b, { epsilon }),
            layer,
            near(layer),
            `layer ${size} ${scale} ${shift}`,
          );
          sameArray(
            ch.rmsNorm(x, undefined, { epsilon, size }),
            ch.rmsNorm(x, new Float32Array(size).fill(1), { epsilon }),
            'no scale',
          );
        }
      }
    t.diagnostic(`worst RMSNorm error ${most.toFixed(3)} of half a unit in the last place`);
  });

  test(`activations keep their relative accuracy, in the tails too (${variant})`, (t) => {
    const x = Float32Array.from([
      ...Array.from({ length: 40001 }, (_, i) => (i - 20000) / 1400),
      ...numbers(5000, 5),
      0,
      -0,
      1e-30,
      -1e-30,
      1e-45,
      50,
      -50,
      86,
      -86,
      200,
      -200,
      3e38,
      -3e38,
    ]);
    const up = numbers(x.length);
    const flushed = 2 ** -126; // a result of exp that may be 0, times x

    // The errors are those of exp and of the operations after it. The exponent of the GELUs is
    // rounded as well, and its size multiplies that error.
    const rules = {
      silu: [silu, () => 4, (x, o) => ch.silu(x, o), (x, up) => ch.swiglu(x, up)],
      gelu: [gelu, () => 6, (x, o) => ch.gelu(x, o), (x, up) => ch.geglu(x, up)],
      tanh: [
        geluTanh,
        (v) => 4 + (v < 0 ? 3 * Math.abs(1.6 * v + 0.0714 * v ** 3) : 0),
        (x, o) => ch.gelu(x, { ...o, approximate: 'tanh' }),
        (x, up) => ch.geglu(x, up, { approximate: 'tanh' }),
      ],
    };
    for (const [name, [f, units, run, gated]] of Object.entries(rules)) {
      const want = Array.from(x, (v) => (v < -300 ? 0 : f(v)));
      const got = run(x);
      const most = worst(
        got,
        want,
        (i) => EPS * units(x[i]) * Math.abs(want[i]) + flushed * Math.abs(x[i]) + 2 ** -149,
        name,
      );
      t.diagnostic(`${name}: ${most.toFixed(2)} of the bound`);
      sameArray(
        gated(x, up),
        got.map((v, i) => v * up[i]),
        `${name} times up`,
      );
      for (const n of [1, 2, 3, 5])
        sameArray(run(x.subarray(7, 7 + n)), got.slice(7, 7 + n), `${n} alone`);
      assert.ok(Number.isNaN(run(Float32Array.of(NaN))[0]));
      assert.equal(run(Float32Array.of(Infinity))[0], Infinity);
      const X = ch.tensor([x.length]);
      X.data.set(x);
      run(X, { out: X });
      sameArray(X.data.slice(), got, 'in place');
      X.dispose();
    }
  });

  const scalings = [
    undefined,
    { type: 'none' },
    { type: 'linear', factor: 4 },
    { type: 'ntk', factor: 8 },
    { type: 'dynamic', factor: 2, length: 9000, original: 4096 },
    { type: 'dynamic', factor: 2, length: 100, original: 4096 },
    { type: 'llama3', factor: 8, original: 8192 },
    { type: 'llama3', factor: 32, original: 8192, lowFreqFactor: 1, highFreqFactor: 4 },
    { type: 'yarn', factor: 4, original: 4096 },
    {
      type: 'yarn',
      factor: 40,
      original: 4096,
      betaFast: 32,
      betaSlow: 1,
      mscale: 0.707,
      mscaleAllDim: 0.707,
    },
    { type: 'yarn', factor: 40, original: 4096, mscale: 1, mscaleAllDim: 0 },
    { type: 'yarn', factor: 16, original: 2048, truncate: false },
  ];

  test(`rope tables are those of float64, for every scaling (${variant})`, () => {
    for (const scaling of scalings)
      for (const [dim, base] of [
        [64, 10000],
        [128, 500000],
        [8, 1e6],
        [4, 10000],
      ]) {
        const table = ch.ropeTable({ dim, positions: 5, from: 131069, base, scaling });
        const f = frequencies(dim, base, scaling);
        const factor =
          scaling?.type !== 'yarn'
            ? 1
            : scaling.mscaleAllDim
              ? 1
              : 0.1 * Math.log(scaling.factor) + 1;
        worst(table.frequencies, f, (p) => 1e-13 * f[p], 'frequencies');
        assert.ok(Math.abs(table.attentionFactor - factor) < 1e-14, `${table.attentionFactor}`);
        const angle = (at) => (131069 + Math.floor(at / (dim / 2))) * f[at % (dim / 2)];
        // the angle's own error, some units of double times 10^5, and one rounding to float32
        for (const [name, g] of [
          ['cos', Math.cos],
          ['sin', Math.sin],
        ])
          worst(
            table[name],
            Array.from(table[name], (_, at) => factor * g(angle(at))),
            (at) => 1e-13 * angle(at) + factor * U,
            name,
          );
      }
    const { cos, sin } = ch.ropeTable({ dim: 2, positions: 3, base: 10000 });
    assert.deepEqual(
      [...cos, ...sin],
      [
        1,
        Math.fround(Math.cos(1)),
        Math.fround(Math.cos(2)),
        0,
        Math.fround(Math.sin(1)),
        Math.fround(Math.sin(2)),
      ],
    );
  });

  test(`the factors of YaRN are those of published implementations (${variant})`, () => {
    // log 40 = 3.6888794541139363; y(1) = 1.36888794541139363, y(0.707) = 1.26080377740585, as
    // transformers and DeepSeek-V2 compute them
    for (const [more, want] of [
      [{}, 1.3688879454113936],
      [{ mscale: 1, mscaleAllDim: 1 }, 1],
      [{ mscale: 0.707, mscaleAllDim: 0.707 }, 1],
      [{ mscale: 1, mscaleAllDim: 0.707 }, 1.3688879454113936 / 1.2608037774058553],
      [{ mscale: 0.707, mscaleAllDim: 1 }, 1.2608037774058553 / 1.3688879454113936],
      [{ mscale: 1, mscaleAllDim: 0 }, 1.3688879454113936],
      [{ mscale: 0, mscaleAllDim: 1 }, 1.3688879454113936],
      [{ attentionFactor: 0.5 }, 0.5],
    ]) {
      const { attentionFactor } = ch.ropeTable({
        dim: 64,
        positions: 1,
        scaling: { type: 'yarn', factor: 40, original: 4096, ...more },
      });
      assert.ok(
        Math.abs(attentionFactor - want) <= 4e-16,
        `${JSON.stringify(more)}: ${attentionFactor}`,
      );
      for (const factor of [0.5, 1])
        assert.equal(
          ch.ropeTable({
            dim: 64,
            positions: 1,
            scaling: { type: 'yarn', factor, original: 4096, ...more },
          }).attentionFactor,
          more.attentionFactor ?? 1,
        );
    }
  });

  test(`heads turn by their positions, in every form and layout (${variant})`, () => {
    for (const interleaved of [false, true])
      for (const [dim, headDim] of [
        [2, 2],
        [6, 6],
        [8, 13],
        [10, 12],
        [64, 64],
      ])
        for (const layout of ['bhsd', 'bshd']) {
          const batch = 2;
          const heads = 3;
          const m = 4;
          const x = numbers(batch * heads * m * headDim);
          const table = ch.ropeTable({ dim, positions: 40, interleaved });
          const f = frequencies(dim, 10000);
          const places = Int32Array.from({ length: batch * m }, () => r.integer(0, 39));
          for (const options of [{}, { offset: 30 }, { positions: places }]) {
            const got = ch.rope(x, table, { headDim, heads, batch, layout, ...options });
            for (let b = 0; b < batch; b++)
              for (let h = 0; h < heads; h++)
                for (let i = 0; i < m; i++) {
                  const at =
                    layout === 'bhsd'
                      ? ((b * heads + h) * m + i) * headDim
                      : ((b * m + i) * heads + h) * headDim;
                  const head = x.slice(at, at + headDim);
                  const position = options.positions
                    ? places[b * m + i]
                    : (options.offset ?? 0) + i;
                  // two products and a sum, and the rounding of cos and sin
                  worst(
                    got.slice(at, at + headDim),
                    turn(head, position, f, interleaved),
                    () => 4 * EPS * Math.max(...head.map(Math.abs)),
                    'head',
                  );
                  sameArray(
                    got.slice(at + dim, at + headDim),
                    head.slice(dim),
                    'what does not turn',
                  );
                }
          }
        }
  });

  test(`a turn keeps lengths and makes scores depend on distance alone (${variant})`, () => {
    const table = ch.ropeTable({ dim: 16, positions: 100 });
    const q = numbers(16);
    const k = numbers(16);
    const at = (x, offset) => ch.rope(x, table, { headDim: 16, offset });
    const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);
    for (const shift of [0, 1, 50, 90])
      assert.ok(Math.abs(dot(at(q, 9 + shift), at(k, 2 + shift)) - dot(at(q, 9), at(k, 2))) < 1e-5);
    assert.ok(Math.abs(dot(at(q, 77), at(q, 77)) - dot(q, q)) < 1e-5);
  });
}

test('threads give the bits of one', async () => {
  const [{ ch }] = engines;
  const many = await init({ layers: true, variant: 'simd', threads: 3 });
  for (const [m, rows, k] of [
    [300, 200, 100],
    [1, 4000, 1200],
    [2, 2000, 1500],
    [33, 700, 301],
    [513, 577, 65],
  ]) {
    const x = numbers(m * k);
    const w = numbers(rows * k);
    const bias = numbers(rows);
    for (let times = 0; times < 3; times++)
      sameArray(
        many.linear(w, { inputs: k, bias }).forward(x),
        ch.linear(w, { inputs: k, bias }).forward(x),
        `${[m, rows, k]}`,
      );
  }
  assert.equal(many.info.threads, 3);
  many.dispose();
});
