/** Products of some columns of a matrix. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { Kernels } from '../support/kernels.js';
import { TYPES, isFloat, randomRows } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { names, normal } from '../support/models/weights.js';
import { expected, matrix, multiply, readRows } from '../support/products.js';
import { random } from '../support/random.js';

const ROWS = 21;

/** The product of columns [first, first + count) of one input, by rows of the unit matrix. */
const columnsOf = (k, name, w, x, first, count) =>
  k.scope(() => {
    const { type } = TYPES[name];
    const prepared = k.allocate(k.c.attn_multiply_prepared_bytes(type, 1, count));
    const [parts, all] = [k.allocate(8), k.allocate(8 * ROWS)];
    const columns = k.copy(Int32Array.of(first, count));
    k.c.attn_multiply_prepare(prepared, k.copy(x.slice(first, first + count)), 0, 1, count, type);
    return Float64Array.from({ length: ROWS }, (_, row) => {
      const u = k.copy(Float32Array.from({ length: ROWS }, (__, r) => Number(r === row)));
      new Float64Array(k.c.memory.buffer, parts, 1).fill(0);
      new Float64Array(k.c.memory.buffer, all, ROWS).fill(0);
      k.c.attn_multiply_parts(parts, all, w, u, prepared, 0, columns, 1);
      const [part] = k.read(Float64Array, parts, 1);
      assert.ok(Object.is(k.read(Float64Array, all, ROWS)[row], part) || Number.isNaN(part));
      return part;
    });
  });

for (const { variant } of engines)
  describe(variant, () => {
    for (const name of names) {
      const { block } = TYPES[name];
      const columns = 3 * Math.max(block, 64);
      const r = random(31);
      const k = new Kernels(variant);
      const data = randomRows(name, r, ROWS, columns);
      const w = matrix(k, name, data, ROWS, columns);
      const x = normal(r, columns);

      test(`${name}: a part is within the bounds of a matrix that has these columns alone`, () => {
        const rows = readRows(name, data, ROWS, columns);
        const cuts = isFloat(name) ? [0, 5, 69, columns] : [0, block, columns];
        for (const [at, first] of cuts.slice(0, -1).entries()) {
          const end = cuts[at + 1];
          const y = columnsOf(k, name, w, x, first, end - first);
          for (const [row, { values, sizes }] of rows.entries()) {
            const part = { values: values.slice(first, end), sizes: sizes.slice(first, end) };
            const { truth, exact, rounding, allowed } = expected(name, x.slice(first, end), part);
            assert.ok(Math.abs(y[row] - truth) <= allowed, `${y[row]} for ${truth}`);
            assert.ok(Math.abs(y[row] - exact) <= rounding, `${y[row]} for ${exact}, quantised`);
          }
        }
      });

      test(`${name}: all columns have the bits of the whole product`, () => {
        const y = columnsOf(k, name, w, x, 0, columns);
        sameArray(Float32Array.from(y), multiply(k, name, w, x, 1, ROWS), name);
      });
    }

    test('Q8_0: a scale that is not finite makes all parts NaN', () => {
      const k = new Kernels(variant);
      const data = randomRows('Q8_0', random(32), ROWS, 64);
      data.set([0, 0x7c], 2 * 34);
      const w = matrix(k, 'Q8_0', data, ROWS, 64);
      const y = columnsOf(k, 'Q8_0', w, normal(random(33), 64), 0, 32);
      assert.ok(y.every(Number.isNaN));
    });
  });
