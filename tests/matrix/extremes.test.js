/** Products of extreme values: tiny sums, the largest quants, infinity and NaN. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { Kernels } from '../support/kernels.js';
import { TYPES, isFloat, half, randomRows, readRow } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { names, normal, quantizedNames, widths } from '../support/models/weights.js';
import { expected, matrix, multiply, readRows, rowOf } from '../support/products.js';
import { random } from '../support/random.js';

for (const { variant } of engines)
  describe(variant, () => {
    for (const name of names) {
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
  });
