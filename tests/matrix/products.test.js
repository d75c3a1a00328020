/**
 * Products of every weight type are within a derived bound, and have the same bits whatever is done
 * together.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { Kernels } from '../support/kernels.js';
import { randomRows } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { inputs, names, normal, widths } from '../support/models/weights.js';
import { expected, matrix, multiply, readRows } from '../support/products.js';
import { random } from '../support/random.js';

for (const { variant } of engines)
  describe(variant, () => {
    for (const name of names) {
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
    }
  });
