/** softmax over rows, and the sum of rows with a row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';

const deep = await init({ layers: true, variant: 'simd' });
const floats = (...x) => Float32Array.from(x);

/** In double, from the definition. */
function softmax(row, temperature) {
  const max = Math.max(...row);
  const e = [...row].map((z) => Math.exp((z - max) / temperature));
  const sum = e.reduce((a, b) => a + b);
  return e.map((x) => x / sum);
}

test('softmax is that of each row, within a few units of rounding', () => {
  for (const [rows, size] of [
    [1, 1],
    [3, 5],
    [7, 64],
    [2, 1500],
  ])
    for (const temperature of [0.25, 1, 3]) {
      const x = new Float32Array(rows * size).map((_, i) => 8 * Math.sin(i * i));
      const y = deep.softmax(x, { size, temperature });
      for (let r = 0; r < rows; r++)
        softmax(x.subarray(r * size, (r + 1) * size), temperature).forEach((p, j) => {
          // exp is within some units, the sum of n terms within some more; logits reach 32
          const off = Math.abs(y[r * size + j] - p);
          assert.ok(off <= 40 * 2 ** -24 * p + 1e-37, `${rows}x${size} T=${temperature}: ${off}`);
        });
    }
});

test('softmax has the rules of attention for temperatures, -Infinity and NaN', () => {
  const of = (x, options) => [...deep.softmax(floats(...x), options)];
  assert.deepEqual(of([2, 2, 1], { temperature: 0 }), [0.5, 0.5, 0]);
  assert.deepEqual(of([1, -Infinity, 3], { temperature: Infinity }), [0.5, 0, 0.5]);
  assert.deepEqual(of([-Infinity, 5]), [0, 1]);
  assert.deepEqual(of([-Infinity, -Infinity]), [0, 0]);
  assert.deepEqual(of([1, NaN, 3, 3], { size: 2 }), [NaN, NaN, 0.5, 0.5]);
  assert.deepEqual(of([]), []);
});

test('a row is the last axis of a tensor, and all of an array', () => {
  const x = deep.tensor([2, 2]);
  x.data.set([1, 1, 4, 4]);
  assert.deepEqual([...deep.softmax(x)], [0.5, 0.5, 0.5, 0.5]);
  assert.deepEqual([...deep.softmax(x, { size: 1 })], [1, 1, 1, 1]);
  assert.deepEqual([...deep.softmax(floats(3, 3, 3, 3))], [0.25, 0.25, 0.25, 0.25]);
  assert.deepEqual([...deep.softmax(x, { out: x })], [0.5, 0.5, 0.5, 0.5]);
  assert.deepEqual([...x.data], [0.5, 0.5, 0.5, 0.5]);
});

test('add adds two arrays of one length, or a row to each row', () => {
  assert.deepEqual([...deep.add(floats(1, 2), floats(10, 20))], [11, 22]);
  assert.deepEqual([...deep.add(floats(1, 2, 3, 4), floats(10, 20))], [11, 22, 13, 24]);
  assert.deepEqual([...deep.add(floats(1, 2), floats(0.5))], [1.5, 2.5]);
  const x = floats(1, 2);
  assert.equal(deep.add(x, x, { out: x }), x);
  assert.deepEqual([...x], [2, 4]);
  assert.deepEqual([...deep.add(floats(), floats())], []);
});

test('softmax and add refuse other arguments by name', () => {
  const x = floats(1, 2, 3, 4);
  for (const [code, message, f] of [
    ['SHAPE', /^x is 4 long; expected a multiple of 3 = size/, () => deep.softmax(x, { size: 3 })],
    ['RANGE', /^size is 0/, () => deep.softmax(x, { size: 0 })],
    ['RANGE', /^temperature is -1/, () => deep.softmax(x, { temperature: -1 })],
    ['ARG', /^x is Float64Array/, () => deep.softmax(new Float64Array(2))],
    ['SHAPE', /^out is 3 long/, () => deep.softmax(x, { out: new Float32Array(3) })],
    ['SHAPE', /^a is 4 long; expected a multiple of 3/, () => deep.add(x, floats(1, 2, 3))],
    ['SHAPE', /^b is empty/, () => deep.add(x, floats())],
    ['ARG', /^b is undefined but required/, () => deep.add(x)],
  ])
    assert.throws(f, { name: 'ClearheadError', code, message });
});
