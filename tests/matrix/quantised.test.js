/** Rows that are quantised at load, and inputs that are quantised for products. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { Kernels } from '../support/kernels.js';
import { TYPES, half, isFloat, randomRows, readRow, toHalf } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { names, normal, quantizedNames, widths } from '../support/models/weights.js';
import { matrix, multiply, quantized, rowOf } from '../support/products.js';
import { random } from '../support/random.js';

for (const { variant } of engines)
  describe(variant, () => {
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

    describe('float rows quantised at load', () => {
      const rows = 11;
      const columns = 96;
      const k = new Kernels(variant);
      const r = random(20);
      const w = k.allocate(k.c.attn_matrix_bytes(8, rows, columns));
      assert.equal(k.c.attn_matrix_init(w, 8, rows, columns), 0);

      /** A block32 has the scale max/127, and each weight is the nearest multiple of it. */
      function nearest(got, want) {
        const largest = want.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
        const d = half(toHalf(Math.fround(largest / 127)));
        got.forEach((x, c) => {
          const isMultiple = Number.isInteger(x / d) && Math.abs(x / d) <= 127;
          assert.ok(isMultiple, `${x} is no multiple of ${d}`);
          // half a step; where d was rounded down, what lies beyond 127 d
          const allowed = Math.max(d * (0.5 + 1e-5), Math.abs(want[c]) - 127 * d);
          assert.ok(Math.abs(x - want[c]) <= allowed, `${x} for ${want[c]}`);
        });
      }

      for (const name of ['F32', 'F16', 'BF16']) {
        const { type, bytes } = TYPES[name];

        test(`${name}: d = max/127 as float16, and q is the nearest to w/d`, () => {
          const data = randomRows(name, r, rows, columns);
          assert.equal(k.c.attn_matrix_pack(w, type, k.copy(data), 0, rows), 0);
          for (let row = 0; row < rows; row++) {
            const want = readRow(name, data, row, columns).values;
            const got = rowOf(k, w, row, columns);
            for (let at = 0; at < columns; at += 32)
              nearest(got.subarray(at, at + 32), want.subarray(at, at + 32));
          }
        });

        test(`${name}: NaN makes its block NaN, and zeros stay`, () => {
          const odd = new Uint8Array(columns * bytes);
          const view = new DataView(odd.buffer);
          if (name === 'F32') view.setUint32(4, 0x7fc00000, true);
          else view.setUint16(2, name === 'F16' ? 0x7e00 : 0x7fc0, true);
          assert.equal(k.c.attn_matrix_pack(w, type, k.copy(odd), 3, 1), 0);
          const row = rowOf(k, w, 3, columns);
          assert.ok(row.subarray(0, 32).every(Number.isNaN));
          assert.ok(row.subarray(32).every((y) => y === 0));
        });
      }

      test('another type and rows outside the matrix are refused', () => {
        const other = matrix(k, 'Q4_0', randomRows('Q4_0', r, rows, columns), rows, columns);
        for (const type of [0, 6, 8])
          assert.equal(k.c.attn_matrix_pack(other, type, 0, 0, 1), 4, `type ${type} for Q4_0`);
        for (const type of [2, 3, 7, 12, 13, 14, 31])
          assert.equal(k.c.attn_matrix_pack(w, type, 0, 0, 1), 4, `type ${type} for Q8_0`);
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
    });
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
