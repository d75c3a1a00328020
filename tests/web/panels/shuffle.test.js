/** Shuffled weights: the same numbers at other places, in a model that has learned nothing. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import {
  compareFiles,
  lostNumbers,
  numbersOf,
  shuffle,
  shuffled,
} from '../../../web/panels/lab/shuffle.js';
import { encode } from '../../../src/js/train/files/weights.js';
import { letters } from '../../support/web/letters.js';
import { chooser } from '../recompute.js';

describe('shuffled weights', () => {
  const trained = letters();
  let engine;
  before(async () => (engine = await init({ layers: true })));

  /** The answer of a file to a few letters. */
  async function answer(file) {
    const model = await loadModel(file, { engine });
    const { logits } = await model.prefill([5, 6, 7]);
    const told = { logits: logits.slice(), config: model.config, ...model.info };
    model.dispose();
    return told;
  }

  test('are those of the trained model, at other places, and norms stay', async () => {
    const { bytes, matrices, numbers } = await shuffle(trained, 1);
    const { lost, moved } = await compareFiles(trained, bytes);
    assert.equal(lost, 0);
    assert.ok(moved > 0.99 * numbers && moved <= numbers, `${moved} of ${numbers}`);
    // an embedding, and seven matrices a layer
    assert.equal(matrices, 1 + 7 * 4);
    const [before, after] = [await answer(trained), await answer(bytes)];
    assert.deepEqual(after.config, before.config);
    assert.equal(after.parameters, before.parameters);
    assert.notDeepEqual(after.logits, before.logits);
  });

  test('are the same for a seed, and others for another one', async () => {
    const [a, b, c] = await Promise.all([1, 1, 2].map((seed) => shuffle(trained, seed)));
    assert.deepEqual(a.bytes, b.bytes);
    assert.notDeepEqual(a.bytes, c.bytes);
  });

  test('that lose, change or move too much are found', async () => {
    const { bytes } = await shuffle(trained, 1);
    const wrong = bytes.slice();
    // the last tensor may be padded
    wrong[wrong.length - 200] ^= 1;
    assert.ok((await compareFiles(trained, wrong)).lost > 0);
    const [a, b] = [Float32Array.of(1, 2, 2), Float32Array.of(2, 1, 2)];
    assert.equal(lostNumbers(a, b, true), 0);
    assert.equal(lostNumbers(a, b, false), 2);
    assert.equal(lostNumbers(a, Float32Array.of(1, 1, 2), true), 1);
    assert.equal(lostNumbers(a, new Float32Array(), true), 3);
  });

  test('have each order about as often', () => {
    const { next } = chooser(3);
    const counts = new Map();
    for (let i = 0; i < 6000; i++) {
      const order = shuffled(Float32Array.of(0, 1, 2), next).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    assert.equal(counts.size, 6);
    // five standard deviations of a count
    for (const [order, count] of counts)
      assert.ok(Math.abs(count - 1000) < 5 * 29, `${order}: ${count}`);
  });

  test('are read from floats, halves and blocks of bytes', () => {
    const data = Float32Array.from({ length: 64 }, (_, i) => (i - 31) / 8);
    for (const type of ['F32', 'F16', 'Q8_0']) {
      const bytes = encode(type, { name: 'some', shape: [2, 32], data });
      const tensor = { name: 'some', type, shape: [2, 32], bytes: bytes.length, offset: 0 };
      numbersOf(bytes, tensor).forEach((x, i) =>
        assert.ok(Math.abs(x - data[i]) <= (type === 'Q8_0' ? 4 / 127 / 2 + 2e-3 : 0), type),
      );
    }
    const other = { name: 'some', type: 'Q4_0', shape: [2, 32], bytes: 36, offset: 0 };
    assert.throws(() => numbersOf(new Uint8Array(36), other), /some is Q4_0/);
  });
});
