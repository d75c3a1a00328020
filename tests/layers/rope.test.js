/** Rotary positions against float64, with every scaling of frequencies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { frequencies, turn } from '../support/layers/operations-textbook.js';
import { EPS, numbers, r, U, worst } from '../support/layers/operations.js';

for (const { variant, ch } of engines) {
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
