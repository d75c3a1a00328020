/**
 * Matrices of model weights: every type against its format's description in float64, products
 * within a derived bound, and the same bits whatever is done together.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { currentFile, weightTypesFile } from '../../scripts/generate-weight-types.js';
import { sameArray } from '../support/bits.js';
import { TYPES, half, isFloat, randomRows, readRow, toHalf } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { Kernels } from '../support/kernels.js';
import { expected, matrix, multiply, quantized, readRows, rowOf } from '../support/products.js';
import { random } from '../support/random.js';

const names = Object.keys(TYPES);
const quantizedNames = names.filter((name) => !isFloat(name));
const widths = (name) =>
  isFloat(name)
    ? [1, 31, 300, 1100]
    : TYPES[name].block === 32
      ? [32, 96, 800, 1568]
      : [256, 768, 1536];
const normal = (r, count, size = 1) =>
  Float32Array.from({ length: count }, () => r.normal() * size);

/**
 * Scales that break conversions: subnormal, the smallest, the largest, zero, negative, ordinary.
 */
const oddScales = (r) => () =>
  r.pick([0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0, 0x8000, 0x2e66, 0xae66]);

/** Inputs whose blocks are hard to quantise. */
const inputs = {
  normal: (r, count) => normal(r, count),
  'one spike in each block': (r, count) =>
    normal(r, count).map((x, c) => (c % 32 === 7 ? 1000 * x : x)),
  'ties and whole steps': (r, count) =>
    Float32Array.from({ length: count }, (_, c) => (c % 32 ? r.integer(-254, 254) / 2 : 127)),
  'zero blocks': (r, count) => normal(r, count).map((x, c) => (c % 64 < 32 ? 0 : x)),
  'tiny blocks': (r, count) => normal(r, count, 1e-37).map((x, c) => (c % 96 < 32 ? x : x * 1e30)),
  'near the largest': (r, count) => normal(r, count, 1e33),
  'all alike': (r, count) => new Float32Array(count).fill(r.normal()),
};

for (const { variant } of engines)
  describe(variant, () => {
    for (const name of names) {
      test(`${name}: a row comes out as the format says, to the last bit`, () => {
        const r = random(11);
        for (const columns of widths(name))
          for (const scales of [undefined, oddScales(r)]) {
            const rows = 13;
            const data = randomRows(name, r, rows, columns, scales);
            const k = new Kernels(variant);
            const w = matrix(k, name, data, rows, columns);
            for (let row = 0; row < rows; row++) {
              const got = rowOf(k, w, row, columns);
              const want = readRow(name, data, row, columns).values;
              got.forEach((y, c) =>
                assert.equal(
                  y + 0,
                  Math.fround(want[c]) + 0,
                  `${columns} columns, row ${row}, ${c}`,
                ),
              );
            }
          }
      });

      test(`${name}: rows in groups of any order, and twice, are packed like all at once`, () => {
        const r = random(12);
        const columns = widths(name)[1];
        const rows = 29;
        const k = new Kernels(variant);
        const { type } = TYPES[name];
        const data = randomRows(name, r, rows, columns);
        const bytes = k.c.attn_matrix_bytes(type, rows, columns);
        const size = data.length / rows;
        const once = matrix(k, name, data, rows, columns);
        const pieces = k.allocate(bytes);
        const source = k.copy(data);
        const wrong = k.copy(randomRows(name, r, rows, columns));
        assert.equal(k.c.attn_matrix_init(pieces, type, rows, columns), 0);
        assert.equal(k.c.attn_matrix_pack(pieces, type, wrong, 0, rows), 0);
        for (const [first, count] of [
          [21, 8],
          [0, 0],
          [3, 1],
          [4, 17],
          [0, 3],
        ])
          assert.equal(k.c.attn_matrix_pack(pieces, type, source + first * size, first, count), 0);
        sameArray(k.read(Uint8Array, pieces, bytes), k.read(Uint8Array, once, bytes), name);
      });

      test(`${name}: products are within the bounds of float64 and of quantised inputs`, (t) => {
        const r = random(13);
        let worst = 0;
        let worstRounding = 0;
        for (const columns of widths(name))
          for (const [kind, make] of Object.entries(inputs)) {
            const m = r.pick([1, 2, 3, 4, 5, 9]);
            const rows = r.pick([1, 7, 8, 21]);
            const k = new Kernels(variant);
            const data = randomRows(name, r, rows, columns);
            const x = make(r, m * columns);
            const list = readRows(name, data, rows, columns);
            const y = multiply(k, name, matrix(k, name, data, rows, columns), x, m, rows);
            for (let i = 0; i < m; i++)
              list.forEach((row, j) => {
                const want = expected(name, x.subarray(i * columns, (i + 1) * columns), row);
                const got = y[i * rows + j];
                const error = Math.abs(got - want.truth);
                const rounding = Math.abs(got - want.exact);
                const what =
                  `${kind}, m = ${m}, ${rows}×${columns}, input ${i}, row ${j}: ${got} for ` +
                  `${want.truth}`;
                assert.ok(
                  error <= want.allowed,
                  `${what}, ${error / want.allowed} of what is allowed`,
                );
                assert.ok(
                  rounding <= want.rounding,
                  `${what}, or quantised ${want.exact}: ${rounding / want.rounding} of the ` +
                    'rounding',
                );
                worst = Math.max(worst, error / want.allowed);
                worstRounding = Math.max(worstRounding, rounding / want.rounding);
              });
          }
        t.diagnostic(
          `at most ${worst.toFixed(3)} of what is allowed, ${worstRounding.toFixed(3)} of ` +
            'the rounding',
        );
      });

      test(`${name}: a product has the same bits alone, among others, whole and split`, () => {
        const r = random(14);
        for (const columns of widths(name)) {
          const rows = 77;
          const m = 263;
          const k = new Kernels(variant);
          const data = randomRows(name, r, rows, columns);
          const sizes = [1, 1e4, 1e5, 1e30, 1e-30];
          const x = normal(r, m * columns).map((y, at) => y * sizes[Math.floor(at / columns) % 5]);
          const w = matrix(k, name, data, rows, columns);
          const all = multiply(k, name, w, x, m, rows);
          // some stand where a product goes on with other inputs: behind 124, 128, 248 or 256
          for (const i of [0, 1, 2, 3, 124, 127, 128, 131, 248, 255, 256, 261, 262]) {
            const single = multiply(
              k,
              name,
              w,
              x.subarray(i * columns, (i + 1) * columns),
              1,
              rows,
            );
            sameArray(
              single,
              all.slice(i * rows, (i + 1) * rows),
              `${columns} columns, input ${i} alone`,
            );
          }
          for (const some of [2, 3, 4, 5, 6, 8, 9])
            sameArray(
              multiply(k, name, w, x.subarray(0, some * columns), some, rows),
              all.slice(0, some * rows),
              `m = ${some}`,
            );
          const cuts = [0, 1, 7, 8, 9, 70, 77];
          const splits = cuts.slice(1).map((end, at) => [cuts[at], end]);
          for (const count of [1, 5, m])
            sameArray(
              multiply(k, name, w, x.subarray(0, count * columns), count, rows, splits.reverse()),
              all.slice(0, count * rows),
              `in pieces, m = ${count}`,
            );
          for (const some of [1, 5, m])
            for (const [first, end] of [
              [9, 12],
              [9, 70],
              [5, 5],
            ]) {
              const part = multiply(k, name, w, x.subarray(0, some * columns), some, rows, [
                [first, end],
              ]);
              assert.ok(
                part.every((y, at) => (at % rows >= first && at % rows < end) || y === 0),
                `m = ${some}: no output but ${first} to ${end} is written`,
              );
            }
        }
      });

      if (isFloat(name))
        test(`${name}: sums below the smallest float are the same −0 everywhere`, () => {
          for (const columns of [1, 2, 31, 64, 65, 300]) {
            const rows = 40;
            const k = new Kernels(variant);
            const { bytes } = TYPES[name];
            const data = new Uint8Array(rows * columns * bytes);
            // −1e-30, and of F16 the smallest there is below zero
            if (name === 'F32') new Float32Array(data.buffer).fill(-1e-30);
            else new Uint16Array(data.buffer).fill(name === 'BF16' ? 0x8da2 : 0x8001);
            const x = new Float32Array(4 * columns).fill(2 ** -130);
            const w = matrix(k, name, data, rows, columns);
            sameArray(
              multiply(k, name, w, x.subarray(0, columns), 1, rows),
              multiply(k, name, w, x, 4, rows).slice(0, rows),
              `${columns} columns`,
            );
          }
        });

      test(`${name}: a weight or scale that is not finite reaches its own row only`, () => {
        const r = random(15);
        const rows = 11;
        const columns = widths(name)[1];
        const { bytes, block, halves } = TYPES[name];
        const clean = randomRows(name, r, rows, columns);
        const x = normal(r, 6 * columns);
        const k = new Kernels(variant);
        const before = multiply(k, name, matrix(k, name, clean, rows, columns), x, 6, rows);
        for (const bits of [0x7c00, 0xfc00, 0x7e01]) {
          const data = clean.slice();
          const view = new DataView(data.buffer);
          const at = ((5 * columns) / block + 1) * bytes;
          if (name === 'F32')
            view.setUint32(
              at,
              bits === 0x7e01 ? 0x7fc00001 : bits === 0x7c00 ? 0x7f800000 : 0xff800000,
              true,
            );
          else if (name === 'BF16')
            view.setUint16(at, bits === 0x7e01 ? 0x7fc1 : bits === 0x7c00 ? 0x7f80 : 0xff80, true);
          else view.setUint16(at + (halves.at(-1) ?? 0), bits, true);
          const w = matrix(k, name, data, rows, columns);
          for (const m of [1, 6]) {
            const y = multiply(k, name, w, x.subarray(0, m * columns), m, rows);
            y.forEach((value, o) => {
              if (o % rows === 5) assert.ok(!Number.isFinite(value), `m = ${m}: ${value}`);
              else assert.equal(value, before[o], `m = ${m}, output ${o}`);
            });
          }
          const want = readRow(name, data, 5, columns).values;
          rowOf(k, w, 5, columns).forEach((y, c) =>
            assert.equal(Number.isFinite(y), Number.isFinite(want[c]), `column ${c}`),
          );
        }
      });

      test(`${name}: NaN or infinity in an input reaches its own outputs, and only those`, () => {
        const r = random(16);
        const rows = 9;
        const columns = widths(name)[1];
        const m = 6;
        const k = new Kernels(variant);
        const w = matrix(k, name, randomRows(name, r, rows, columns), rows, columns);
        const x = normal(r, m * columns);
        const before = multiply(k, name, w, x, m, rows);
        for (const value of [NaN, Infinity, -Infinity]) {
          const changed = x.slice();
          changed[2 * columns + 17] = value;
          multiply(k, name, w, changed, m, rows).forEach((y, at) => {
            if (Math.floor(at / rows) === 2) assert.ok(!Number.isFinite(y), `${value}: ${y}`);
            else assert.equal(y, before[at]);
          });
          assert.ok(
            multiply(k, name, w, changed.subarray(2 * columns, 3 * columns), 1, rows).every(
              (y) => !Number.isFinite(y),
            ),
          );
        }
      });
    }

    test('F16: a half times an input is rounded once, whatever either is', () => {
      const halves = Uint16Array.from({ length: 1 << 16 }, (_, h) => h).filter(
        (h) => (h & 0x7c00) !== 0x7c00,
      );
      const k = new Kernels(variant);
      const w = matrix(k, 'F16', new Uint8Array(halves.buffer), halves.length, 1);
      for (const x of [1, 1 / 3, -65535.99609375, 65536, 1e38, 3e38, 1e-37, 1e-40, 2 ** -149, 0])
        multiply(k, 'F16', w, Float32Array.of(x), 1, halves.length).forEach((y, row) => {
          const want = Math.fround(half(halves[row]) * Math.fround(x));
          assert.ok(y === want, `${x} times half ${halves[row]} is ${y}, not ${want}`);
        });
    });

    test('inputs prepared for one type serve all of its kind, and floats are one kind', () => {
      const r = random(17);
      const rows = 10;
      const columns = 512;
      const m = 5;
      const k = new Kernels(variant);
      const x = normal(r, m * columns);
      const kind = (name) => k.c.attn_multiply_kind(TYPES[name].type);
      assert.deepEqual(
        names.filter((name) => kind(name) === 0),
        names.filter(isFloat),
      );
      for (const group of [0, 1, 2]
        .map((each) => names.filter((name) => kind(name) === each))
        .filter((each) => each.length)) {
        const prepared = k.allocate(
          k.c.attn_multiply_prepared_bytes(TYPES[group[0]].type, m, columns),
        );
        const out = k.allocate(4 * m * rows);
        k.c.attn_multiply_prepare(prepared, k.copy(x), 0, m, columns, TYPES[group[0]].type);
        for (const name of group) {
          const w = matrix(k, name, randomRows(name, r, rows, columns), rows, columns);
          k.c.attn_multiply(out, rows, w, prepared, m, 0, rows);
          sameArray(k.read(Float32Array, out, m * rows), multiply(k, name, w, x, m, rows), name);
        }
      }
    });

    test('extreme inputs and scales overflow only where the result does', () => {
      const columns = 64;
      const rows = 8;
      const k = new Kernels(variant);
      for (const name of quantizedNames.filter((n) => TYPES[n].block === 32)) {
        const small = randomRows(name, random(18), rows, columns, () => 0x0001);
        const x = new Float32Array(columns).fill(3e38);
        const y = multiply(k, name, matrix(k, name, small, rows, columns), x, 1, rows);
        assert.ok(y.every(Number.isFinite), `${name}: ${y}`);
        const large = randomRows(name, random(19), rows, columns, () => 0x7bff);
        const tiny = new Float32Array(columns).fill(1e-35);
        const list = readRows(name, large, rows, columns);
        multiply(k, name, matrix(k, name, large, rows, columns), tiny, 1, rows).forEach(
          (got, j) => {
            const { truth, allowed } = expected(name, tiny, list[j]);
            assert.ok(Math.abs(got - truth) <= allowed, `${name}: ${got} for ${truth}`);
          },
        );
      }
    });

    test('the largest sums of a part are exact, alone and in a tile', () => {
      const rows = 8;
      const k = new Kernels(variant);
      const signs = [
        () => 1,
        () => -1,
        (c) => (c < 16 ? 1 : -1),
        (c) => (c < 16 ? -1 : 1),
        (c) => (c % 2 ? 1 : -1),
      ];
      for (const byte of [0x80, 0x7f, 0xff, 0]) {
        const data = Uint8Array.from({ length: 34 * rows }, (_, at) =>
          at % 34 === 0 ? 0 : at % 34 === 1 ? 0x3c : byte,
        );
        const w = matrix(k, 'Q8_0', data, rows, 32);
        const q = (byte << 24) >> 24;
        const x = Float32Array.from({ length: 32 * signs.length }, (_, at) =>
          signs[at >> 5](at % 32),
        );
        const want = signs.map((sign) =>
          Math.fround(
            127 *
              q *
              Array.from({ length: 32 }, (_, c) => sign(c)).reduce((a, b) => a + b) *
              Math.fround(1 / 127),
          ),
        );
        for (const m of [1, 4, 5])
          sameArray(
            multiply(k, 'Q8_0', w, x.subarray(0, 32 * m), m, rows),
            Float32Array.from({ length: m * rows }, (_, at) => want[Math.floor(at / rows)] + 0),
            `${q}, ${m} inputs`,
          );
        signs.forEach((_, i) =>
          assert.equal(
            multiply(k, 'Q8_0', w, x.subarray(32 * i, 32 * i + 32), 1, rows)[0],
            want[i] + 0,
            `${q}, input ${i}`,
          ),
        );
      }
    });

    test('the largest quants, scales and inputs give the same alone and in a tile', () => {
      const rows = 8;
      const columns = 256;
      const k = new Kernels(variant);
      const signs = [() => 1, () => -1, (c) => (c % 32 < 16 ? 1 : -1), (c) => (c % 2 ? 1 : -1)];
      const x = Float32Array.from({ length: columns * signs.length }, (_, at) =>
        signs[Math.floor(at / columns)](at % columns),
      );
      for (const name of quantizedNames)
        for (const byte of [0, 0x7f, 0x80, 0xff]) {
          const data = randomRows(name, { integer: () => byte }, rows, columns, () => 0x3c00);
          const w = matrix(k, name, data, rows, columns);
          const [row] = readRows(name, data, rows, columns);
          const tile = multiply(k, name, w, x, signs.length, rows);
          signs.forEach((_, i) => {
            const input = x.subarray(columns * i, columns * (i + 1));
            const { truth, allowed } = expected(name, input, row);
            sameArray(
              multiply(k, name, w, input, 1, rows),
              tile.subarray(rows * i, rows * (i + 1)),
              `${name}, ${byte}, input ${i}`,
            );
            assert.ok(
              Math.abs(tile[rows * i] - truth) <= allowed,
              `${name}, ${byte}, input ${i}: ${tile[rows * i]} for ${truth}`,
            );
          });
        }
    });

    test('float rows quantised at load have d = max/127 as float16 and the nearest q = w/d', () => {
      const r = random(20);
      const rows = 11;
      const columns = 96;
      const k = new Kernels(variant);
      for (const name of ['F32', 'F16', 'BF16']) {
        const data = randomRows(name, r, rows, columns);
        const source = k.copy(data);
        const { type } = TYPES[name];
        const w = k.allocate(k.c.attn_matrix_bytes(8, rows, columns));
        assert.equal(k.c.attn_matrix_init(w, 8, rows, columns), 0);
        assert.equal(k.c.attn_matrix_pack(w, type, source, 0, rows), 0);
        for (let row = 0; row < rows; row++) {
          const want = readRow(name, data, row, columns).values;
          const got = rowOf(k, w, row, columns);
          for (let at = 0; at < columns; at += 32) {
            const largest = want
              .subarray(at, at + 32)
              .reduce((a, b) => Math.max(a, Math.abs(b)), 0);
            const d = half(toHalf(Math.fround(largest / 127)));
            for (let c = at; c < at + 32; c++) {
              assert.ok(
                Number.isInteger(got[c] / d) && Math.abs(got[c] / d) <= 127,
                `${got[c]} is no multiple of ${d}`,
              );
              // half a step; where d was rounded down, what lies beyond 127 d
              assert.ok(
                Math.abs(got[c] - want[c]) <=
                  Math.max(d * (0.5 + 1e-5), Math.abs(want[c]) - 127 * d),
                `${got[c]} for ${want[c]}`,
              );
            }
          }
        }
        const odd = new Uint8Array(columns * TYPES[name].bytes);
        const view = new DataView(odd.buffer);
        if (name === 'F32') view.setUint32(4, 0x7fc00000, true);
        else view.setUint16(2, name === 'F16' ? 0x7e00 : 0x7fc0, true);
        assert.equal(k.c.attn_matrix_pack(w, type, k.copy(odd), 3, 1), 0);
        const row = rowOf(k, w, 3, columns);
        assert.ok(
          row.subarray(0, 32).every(Number.isNaN) && row.subarray(32).every((y) => y === 0),
          'NaN takes its block, zeros stay',
        );
      }
      const other = matrix(k, 'Q4_0', randomRows('Q4_0', r, rows, columns), rows, columns);
      const w = k.allocate(k.c.attn_matrix_bytes(8, rows, columns));
      k.c.attn_matrix_init(w, 8, rows, columns);
      for (const type of [0, 6, 8])
        assert.equal(k.c.attn_matrix_pack(other, type, 0, 0, 1), 4, `type ${type} is not for Q4_0`);
      for (const type of [2, 3, 7, 12, 13, 14, 31])
        assert.equal(k.c.attn_matrix_pack(w, type, 0, 0, 1), 4, `type ${type} is not for Q8_0`);
      for (const [first, count] of [
        [-1, 1],
        [0, rows + 1],
        [rows, 1],
        [2 ** 31 - 1, 1],
        [0, -1],
      ]) {
        assert.equal(k.c.attn_matrix_pack(w, 0, 0, first, count), 2);
        assert.equal(k.c.attn_matrix_pack(other, 2, 0, first, count), 2);
      }
    });

    test('Q5_0 in bytes: the same rows, and products with the same bits', () => {
      const r = random(21);
      const rows = 29;
      const k = new Kernels(variant);
      const { type } = TYPES.Q5_0;
      for (const [columns, scales] of [[32], [96], [608], [96, oddScales(r)]]) {
        const data = randomRows('Q5_0', r, rows, columns, scales);
        const own = matrix(k, 'Q5_0', data, rows, columns);
        const w = k.allocate(k.c.attn_matrix_bytes(8, rows, columns));
        assert.equal(k.c.attn_matrix_init(w, 8, rows, columns), 0);
        assert.equal(k.c.attn_matrix_pack(w, type, k.copy(data), 0, rows), 0);
        for (let row = 0; row < rows; row++)
          sameArray(
            rowOf(k, w, row, columns),
            rowOf(k, own, row, columns),
            `${columns} columns, row ${row}`,
          );
        for (const m of [1, 4, 7]) {
          const x = normal(r, m * columns);
          sameArray(
            multiply(k, 'Q8_0', w, x, m, rows),
            multiply(k, 'Q5_0', own, x, m, rows),
            `${m} inputs of ${columns}`,
          );
        }
      }
    });

    test('sizes are the file’s but for the last panel and 3 %; invalid matrices have none', () => {
      const { c } = new Kernels(variant);
      for (const name of names) {
        const { type, bytes, block } = TYPES[name];
        const columns = block * 5;
        assert.equal(c.attn_matrix_row_bytes(type, columns), 5 * bytes);
        for (const rows of [1, 8, 9, 4096]) {
          const filled = Math.ceil(rows / 8) * 8 * 5 * bytes;
          assert.ok(
            c.attn_matrix_bytes(type, rows, columns) <= filled * 1.03 + 64,
            `${name}, ${rows} rows`,
          );
        }
        for (const [rows, wide] of [
          [0, columns],
          [-8, columns],
          [8, 0],
          [8, -block],
          ...(block > 1 ? [[8, columns + 1]] : []),
          [2 ** 31 - 1, columns],
          [8, (2 ** 31 - 256) & -256],
        ]) {
          assert.equal(c.attn_matrix_bytes(type, rows, wide), 0, `${name}: ${rows}×${wide}`);
          assert.equal(c.attn_matrix_init(0, type, rows, wide), 2);
        }
        assert.equal(c.attn_multiply_prepared_bytes(type, 0, columns), 0);
        assert.equal(c.attn_multiply_prepared_bytes(type, 2 ** 31 - 1, columns), 0);
        assert.ok(c.attn_multiply_prepared_bytes(type, 512, columns) <= 512 * columns * 4 + 16);
      }
      for (const type of [-1, 4, 5, 9, 10, 11, 15, 29, 31, 2 ** 31 - 1])
        assert.equal(c.attn_matrix_bytes(type, 8, 256), 0, `type ${type}`);
    });
  });

test('the table of weight types in JavaScript is the one in C', () => {
  assert.equal(currentFile(), weightTypesFile());
});

test(
  'quantised products have the same bits in simd and relaxed',
  { skip: engines.length < 2 && 'one variant only' },
  () => {
    const r = random(21);
    for (const name of quantizedNames)
      for (const columns of widths(name))
        for (const m of [1, 7]) {
          const rows = 77;
          const data = randomRows(name, r, rows, columns);
          const x = normal(r, m * columns);
          const [a, b] = engines.map(({ variant }) => {
            const k = new Kernels(variant);
            return multiply(k, name, matrix(k, name, data, rows, columns), x, m, rows);
          });
          sameArray(b, a, `${name}, ${columns} columns, m = ${m}`);
        }
  },
);

test('the reference quantises ties to even and keeps the largest', () => {
  const x = new Float32Array(32).fill(0.5);
  ((x[0] = 127), (x[1] = 1.5), (x[2] = -2.5), (x[3] = -127));
  assert.deepEqual([...quantized(x).values.subarray(0, 5)], [127, 2, -2, -127, 0]);
});
