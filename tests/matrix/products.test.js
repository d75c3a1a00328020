/**
 * Products of every weight type are within a derived bound, and have the same bits whatever is done
 * together.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { Kernels } from '../support/kernels.js';
import { randomRows } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { inputs, names, normal, widths } from '../support/models/weights.js';
import { expected, matrix, multiply, quantized, readRows } from '../support/products.js';
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
            for (let i = 0; i < m; i++) {
              const input = x.subarray(i * columns, (i + 1) * columns);
              const seen = quantized(input);
              list.forEach((row, j) => {
                const want = expected(name, input, row, seen);
                const got = y[i * rows + j];
                const error = Math.abs(got - want.truth);
                const rounding = Math.abs(got - want.exact);
                // the words are made for a failure alone: there are very many numbers
                if (!(error <= want.allowed && rounding <= want.rounding))
                  assert.fail(
                    `${kind}, m = ${m}, ${rows}×${columns}, input ${i}, row ${j}: ${got} for ` +
                      `${want.truth}, ${error / want.allowed} of what is allowed, or quantised ` +
                      `${want.exact}: ${rounding / want.rounding} of the rounding`,
                  );
                worst = Math.max(worst, error / want.allowed);
                worstRounding = Math.max(worstRounding, rounding / want.rounding);
              });
            }
          }
        t.diagnostic(
          `at most ${worst.toFixed(3)} of what is allowed, ${worstRounding.toFixed(3)} of ` +
            'the rounding',
        );
      });

      describe(`${name}: a product of 263 inputs and 77 rows`, () => {
        const rows = 77;
        const m = 263;
        const sizes = [1, 1e4, 1e5, 1e30, 1e-30];
        /** Of each width: the whole product, and a function for a part of its inputs and rows. */
        function* made() {
          const r = random(14);
          for (const columns of widths(name)) {
            const k = new Kernels(variant);
            const data = randomRows(name, r, rows, columns);
            const x = normal(r, m * columns).map(
              (y, at) => y * sizes[Math.floor(at / columns) % 5],
            );
            const w = matrix(k, name, data, rows, columns);
            const part = (first, count, ...pieces) => {
              const some = x.subarray(first * columns, (first + count) * columns);
              return multiply(k, name, w, some, count, rows, ...pieces);
            };
            yield { columns, all: part(0, m), part };
          }
        }
        let known;
        const products = () => (known ??= [...made()]);
        after(() => (known = undefined));

        test('has the bits of each input by itself', () => {
          for (const { columns, all, part } of products())
            // some stand where a product goes on with other inputs: behind 124, 128, 248 or 256
            for (const i of [0, 1, 2, 3, 124, 127, 128, 131, 248, 255, 256, 261, 262]) {
              const want = all.slice(i * rows, (i + 1) * rows);
              sameArray(part(i, 1), want, `${columns} columns, input ${i} alone`);
            }
        });

        test('has the bits of a few inputs', () => {
          for (const { all, part } of products())
            for (const some of [2, 3, 4, 5, 6, 8, 9])
              sameArray(part(0, some), all.slice(0, some * rows), `m = ${some}`);
        });

        test('has the bits of its rows in pieces, in any order', () => {
          const cuts = [0, 1, 7, 8, 9, 70, 77];
          const splits = cuts.slice(1).map((end, at) => [cuts[at], end]);
          for (const { all, part } of products())
            for (const count of [1, 5, m]) {
              const got = part(0, count, splits.reverse());
              sameArray(got, all.slice(0, count * rows), `in pieces, m = ${count}`);
            }
        });

        test('writes no rows but those of its piece', () => {
          for (const { part } of products())
            for (const some of [1, 5, m])
              for (const [first, end] of [
                [9, 12],
                [9, 70],
                [5, 5],
              ]) {
                const got = part(0, some, [[first, end]]);
                const isInside = (at) => at % rows >= first && at % rows < end;
                const what = `m = ${some}: no output but ${first} to ${end} is written`;
                assert.ok(
                  got.every((y, at) => isInside(at) || y === 0),
                  what,
                );
              }
        });
      });
    }
  });
