/**
 * Matrices of weights from files that others wrote: a trained model as GGUF in F32, F16 and Q8_0.
 * Third-party data beside this repository; without it: skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TYPES, half, readRow, toHalf } from '../support/models/blocks.js';
import { engines } from '../support/models/engines.js';
import { Kernels } from '../support/kernels.js';
import { expected, matrix, multiply, readRows, rowOf } from '../support/products.js';
import { random } from '../support/random.js';

const file = (type) =>
  new URL(`../../../shared/models/stories260K/gguf/stories260K-${type}.gguf`, import.meta.url);
const skip = existsSync(file('f32')) ? false : 'skipped, not present';

/**
 * The matrices of a GGUF file: name → { type, rows, columns, data }. As plain as the format allows,
 * and trusting.
 */
function matrices(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const found = new Map();
  let at = 8;
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const u64 = () => Number(view.getBigUint64((at += 8) - 8, true));
  const text = () => {
    const length = u64();
    return String(bytes.subarray(at, (at += length)));
  };
  const value = (type) => {
    if (type === 8) return text();
    if (type === 9) for (let item = u32(), count = u64(); count > 0; count--) value(item);
    else at += [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8][type];
  };
  const tensors = u64();
  const keys = u64();
  const infos = [];
  for (let x = 0; x < keys; x++) (text(), value(u32()));
  for (let x = 0; x < tensors; x++) {
    const name = text();
    const sizes = Array.from({ length: u32() }, u64);
    const type = u32();
    infos.push({ name, columns: sizes[0], rows: sizes[1] ?? 1, type, offset: u64() });
  }
  const start = Math.ceil(at / 32) * 32;
  for (const { name, columns, rows, type, offset } of infos) {
    const kind = Object.keys(TYPES).find((key) => TYPES[key].type === type);
    const { bytes: size, block } = TYPES[kind];
    found.set(name, {
      kind,
      rows,
      columns,
      data: bytes.subarray(start + offset, start + offset + ((rows * columns) / block) * size),
    });
  }
  return found;
}

for (const { variant } of engines)
  test(
    `a trained model's matrices say the same in F32, F16 and Q8_0 (${variant})`,
    { skip },
    (t) => {
      const [f32, f16, q8] = ['f32', 'f16', 'q8_0'].map((type) =>
        matrices(readFileSync(file(type))),
      );
      const r = random(41);
      const counts = { F32: 0, F16: 0, Q8_0: 0 };
      for (const [name, exact] of f32)
        for (const from of [f32, f16, q8]) {
          const { kind, rows, columns, data } = from.get(name);
          const k = new Kernels(variant);
          const w = matrix(k, kind, data, rows, columns);
          assert.deepEqual([rows, columns], [exact.rows, exact.columns]);
          counts[kind]++;
          for (let row = 0; row < rows; row++) {
            const got = rowOf(k, w, row, columns);
            const truth = readRow('F32', exact.data, row, columns).values;
            const said = readRow(kind, data, row, columns).values;
            got.forEach((y, c) => {
              assert.equal(y, Math.fround(said[c]), `${name} as ${kind}, row ${row}, column ${c}`);
              if (kind === 'F16') assert.equal(y, half(toHalf(truth[c])));
            });
            for (let at = 0; kind === 'Q8_0' && at < columns; at += 32) {
              const largest = truth
                .subarray(at, at + 32)
                .reduce((a, b) => Math.max(a, Math.abs(b)), 0);
              // half a step of max/127, and the scale's rounding to float16 at 127 steps
              for (let c = at; c < at + 32; c++)
                assert.ok(
                  Math.abs(got[c] - truth[c]) <= (largest / 127) * (0.5 + 127 * 2 ** -11 + 1e-4),
                );
            }
          }
          const x = Float32Array.from({ length: 5 * columns }, () => r.normal());
          const list = readRows(kind, data, rows, columns);
          multiply(k, kind, w, x, 5, rows).forEach((y, o) => {
            const i = Math.floor(o / rows);
            const { truth, allowed } = expected(
              kind,
              x.subarray(i * columns, (i + 1) * columns),
              list[o % rows],
            );
            assert.ok(Math.abs(y - truth) <= allowed, `${name} as ${kind}: ${y} for ${truth}`);
          });
        }
      assert.ok(counts.F16 > 30 && counts.Q8_0 > 25, JSON.stringify(counts));
      t.diagnostic(`matrices of each type: ${JSON.stringify(counts)}`);
    },
  );
