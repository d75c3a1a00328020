/**
 * The C of weights.h, built natively under ASan and UBSan and under gcc, with the bits of the simd
 * module. The sanitized builds model each meaning that an engine's 8-bit dot product may give to
 * the eighth bit. `scripts/build.sh native` builds the programs.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sameArray } from '../support/bits.js';
import { TYPES, isFloat, randomRows, toHalf } from '../support/models/blocks.js';
import { Kernels } from '../support/kernels.js';
import { matrix, multiply, rowOf } from '../support/products.js';
import { random } from '../support/random.js';
import { Answer, Stream } from '../support/stream.js';

const path = (name) => fileURLToPath(new URL(`../../build/native/${name}`, import.meta.url));

/** As which types a matrix takes rows without a change to any bit of its products. */
const asTypes = (name) => (name === 'Q5_0' ? ['Q5_0', 'Q8_0'] : [name]);

/**
 * Every type, ragged shapes, one input to several; ordinary, odd and infinite scales; and the
 * largest sums there are.
 */
function* cases() {
  const r = random(31);
  for (const [name, { block }] of Object.entries(TYPES))
    for (const times of isFloat(name)
      ? [1, 31, 33, 290, 520]
      : block === 32
        ? [1, 3, 25, 49]
        : [1, 3, 4])
      for (const m of [1, 2, 4, 5, 9]) {
        const rows = r.pick([1, 5, 8, 16, 19, 29, 61, 77]);
        const columns = block * times;
        const ends = new Set([0, rows, r.integer(0, rows), r.integer(0, rows)]);
        const scales = r.pick([
          undefined,
          () => r.pick([1, 0x8001, 0x400, 0, 0xfbff]),
          () => (r.chance(0.05) ? 0x7c00 : toHalf(r.normal())),
        ]);
        const data = randomRows(name, r, rows, columns, scales);
        const x = Float32Array.from(
          { length: m * columns },
          () => r.normal() * 10 ** r.integer(-3, 3),
        );
        for (const as of asTypes(name))
          yield {
            name,
            as,
            rows,
            columns,
            m,
            bounds: Int32Array.from([...ends].sort((a, b) => a - b)),
            data,
            x,
          };
      }
  // all quants and all inputs at their ends: with 5 and 6 bits no more of the products would fit 16
  for (const [name, { block }] of Object.entries(TYPES))
    for (const [quants, input] of [
      [255, 1],
      [255, -1],
      [0, 1],
      [0, -1],
    ])
      for (const m of [1, 4]) {
        const rows = 8;
        const columns = 2 * block;
        const data = randomRows(name, { ...r, integer: () => quants }, rows, columns, () =>
          toHalf(1),
        );
        for (const as of asTypes(name))
          yield {
            name,
            as,
            rows,
            columns,
            m,
            bounds: Int32Array.of(0, rows),
            data,
            x: new Float32Array(m * columns).fill(input),
          };
      }
}

/** NaN has many bits, and which of them come out is nobody's promise. */
const oneNaN = (a) => a.map((y) => (Number.isNaN(y) ? NaN : y));

const list = [...cases()];
const stream = new Stream();
const k = new Kernels('simd');
for (const { name, as, rows, columns, m, bounds, data, x } of list)
  stream
    .int(TYPES[as].type, TYPES[name].type, rows, columns, m, bounds.length - 1)
    .array(bounds)
    .array(data)
    .array(x);
const wants = list.map(({ name, rows, columns, m, data, x }) =>
  k.scope(() => {
    const w = matrix(k, name, data, rows, columns);
    const values = Array.from({ length: rows }, (_, row) => oneNaN(rowOf(k, w, row, columns)));
    return { values, y: oneNaN(multiply(k, name, w, x, m, rows)) };
  }),
);

for (const [program, form] of [
  ['gcc', 0],
  ['asan', 0],
  ['unsigned', 1],
  ['signed', 2],
  ['saturating', 0],
  ['twice', 0],
])
  test(`every type has the bits of the simd module: native_weights_${program}`, () => {
    const file = path(`native_weights_${program}`);
    assert.ok(existsSync(file), `${file} is missing: scripts/build.sh native`);
    const { status, stdout, stderr } = spawnSync(file, {
      input: stream.bytes(),
      maxBuffer: 2 ** 28,
    });
    assert.deepEqual([status, String(stderr)], [0, '']);
    const answer = new Answer(stdout);
    assert.equal(answer.int(), form);
    list.forEach(({ name, as, rows, columns, m }, at) => {
      const what = `${name} as ${as}, ${rows}×${columns}, m = ${m}`;
      for (const [row, want] of wants[at].values.entries())
        sameArray(oneNaN(answer.nextArray(Float32Array, columns)), want, `${what}, row ${row}`);
      sameArray(oneNaN(answer.nextArray(Float32Array, m * rows)), wants[at].y, what);
    });
    assert.equal(answer.rest, 0);
  });
