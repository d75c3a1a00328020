/** Matrix products against float64, their bits in parts and their bits among threads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { threaded } from '../support/engine/threaded.js';
import { engines } from '../support/models/engines.js';
import { linear } from '../support/layers/operations-textbook.js';
import { numbers, r, U, worst } from '../support/layers/operations.js';

const shapes = [
  [1, 1, 1],
  [1, 8, 3],
  [2, 7, 5],
  [3, 9, 31],
  [4, 8, 32],
  [5, 33, 33],
  [33, 31, 64],
  [7, 40, 255],
  [1, 65, 256],
  [31, 17, 257],
  [66, 50, 600],
  [1, 3, 2000],
  [2, 2, 2000],
];

for (const { variant, ch } of engines) {
  test(`a matrix product keeps its bound, u·(33 + ⌈k/32⌉)·Σ|x·w| (${variant})`, (t) => {
    let max = 0;
    for (const [m, rows, k] of shapes) {
      const x = numbers(m * k);
      const w = numbers(rows * k);
      const bias = numbers(rows);
      const { y, size } = linear(x, w, k, bias);
      const layer = ch.linear(w, { inputs: k, bias });
      max = Math.max(
        max,
        worst(
          layer.forward(x),
          y,
          (i) => U * (33 + Math.ceil(k / 32)) * size[i],
          `${[m, rows, k]}`,
        ),
      );
      layer.dispose();
    }
    // terms of one sign: nothing cancels, rounding has a direction
    const x = Float32Array.from({ length: 5000 }, () => r.uniform());
    const { y, size } = linear(x, x, 5000);
    const result = ch.matmul(x, x, { k: 5000, transposeB: true });
    max = Math.max(
      max,
      worst(result, y, (i) => U * (33 + Math.ceil(5000 / 32)) * size[i], 'of one sign'),
    );
    t.diagnostic(`worst error ${max.toFixed(3)} of the bound`);
  });

  test(`a product has the same bits alone, among others and transposed (${variant})`, () => {
    for (const [m, rows, k] of shapes) {
      const x = numbers(m * k);
      const w = numbers(rows * k);
      const whole = ch.matmul(x, w, { k, transposeB: true });
      const layer = ch.linear(w, { inputs: k });
      sameArray(layer.forward(x), whole, 'packed once');
      for (let i = 0; i < m; i++)
        sameArray(
          layer.forward(x.subarray(i * k, (i + 1) * k)),
          whole.slice(i * rows, (i + 1) * rows),
          `row ${i} of ${[m, rows, k]}`,
        );
      const b = Float32Array.from(
        { length: rows * k },
        (_, at) => w[(at % rows) * k + Math.floor(at / rows)],
      );
      sameArray(ch.matmul(x, b, { k }), whole, 'b (k, n)');
      const X = ch.tensor([m, k]);
      const Y = ch.tensor([m, rows]);
      X.data.set(x);
      assert.equal(layer.forward(X, { out: Y }).byteOffset, Y.data.byteOffset);
      sameArray(Y.data.slice(), whole, 'tensors');
      for (const each of [X, Y, layer]) each.dispose();
    }
  });

  test(`NaN and infinity in a row of x stay in that row (${variant})`, () => {
    const x = numbers(6 * 40);
    const w = numbers(11 * 40);
    const want = ch.matmul(x, w, { k: 40, transposeB: true });
    x[2 * 40 + 3] = NaN;
    x[4 * 40] = Infinity;
    const got = ch.matmul(x, w, { k: 40, transposeB: true });
    for (let i = 0; i < 6; i++)
      if (i === 2) assert.ok(got.subarray(22, 33).every(Number.isNaN));
      else if (i === 4) assert.ok(got.subarray(44, 55).every((x) => Math.abs(x) === Infinity));
      else sameArray(got.slice(i * 11, i * 11 + 11), want.slice(i * 11, i * 11 + 11), `row ${i}`);
  });
}

test('threads give the bits of one', async () => {
  const [{ ch, variant }] = engines;
  const shared = await threaded({ layers: true, variant, threads: 3 });
  for (const [m, rows, k] of [
    [300, 200, 100],
    [1, 4000, 1200],
    [2, 2000, 1500],
    [33, 700, 301],
    [513, 577, 65],
  ]) {
    const x = numbers(m * k);
    const w = numbers(rows * k);
    const bias = numbers(rows);
    for (let times = 0; times < 3; times++)
      sameArray(
        shared.linear(w, { inputs: k, bias }).forward(x),
        ch.linear(w, { inputs: k, bias }).forward(x),
        `${[m, rows, k]}`,
      );
  }
  assert.equal(shared.info.threads, 3);
  shared.dispose();
});
