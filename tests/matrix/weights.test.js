/** Matrices of every weight type hold the rows of their format, however they are packed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { currentFile, weightTypesFile } from '../../scripts/generate-weight-types.js';
import { sameArray } from '../support/bits.js';
import { Kernels } from '../support/kernels.js';
import { TYPES, randomRows, readRow } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { names, normal, oddScales, widths } from '../support/models/weights.js';
import { matrix, multiply, rowOf } from '../support/products.js';
import { random } from '../support/random.js';

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
    }

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

test('a type has a minimum if its blocks have a second float16; an unknown type has none', () => {
  const { c } = new Kernels(engines[0].variant);
  for (const name of names)
    assert.equal(
      c.attn_weight_type_has_min(TYPES[name].type),
      +(TYPES[name].halves.length > 1),
      name,
    );
  assert.equal(c.attn_weight_type_has_min(4), 0);
});

test('the table of weight types in JavaScript is the one in C', () => {
  assert.equal(currentFile(), weightTypesFile());
});
