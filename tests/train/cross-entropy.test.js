/** The loss over logits and its gradient: in C, in the textbook, and as central differences. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { random } from '../support/random.js';
import { central, distance } from '../support/train/differences.js';
import { called } from '../support/train/kernels.js';
import * as textbook from '../support/train/textbook.js';

const U = 2 ** -24;

const numbers = (seed, length) => {
  const r = random(seed);
  return Float32Array.from({ length }, () => r.normal());
};
const near = (a, b, bound) => assert.ok(distance(a, b) <= bound, `${distance(a, b)} > ${bound}`);

let ch;
before(async () => {
  ch = await init({ layers: true, variant: 'simd' });
});

describe('cross-entropy', () => {
  const run = (z, targets, vocab, weight, gradient = true) =>
    called(ch, ({ c, team, put, zeros, read }) => {
      const rows = targets.length;
      const at = put(z);
      const losses = zeros(rows, 'float64');
      const sum = c.attn_cross_entropy(
        ...[team, gradient ? at : 0, losses, at, put(targets), rows, vocab, weight],
      );
      return { sum, losses: read(losses, rows, 'float64'), dz: read(at, z.length) };
    });

  for (const vocab of [1, 3, 37, 300])
    test(`over ${vocab} logits has the textbook's losses and gradient`, () => {
      const z = numbers(vocab, 6 * vocab).map((x) => 5 * x);
      const targets = Int32Array.from([0, -1, vocab - 1, vocab >> 1, 0, -1]);
      const { sum, losses, dz } = run(z, targets, vocab, 0.25);
      const want = textbook.crossEntropy(Float64Array.from(z), targets, vocab, 0.25);
      assert.ok(Math.abs(sum - want.losses.reduce((a, b) => a + b, 0)) <= 1e-6 * (1 + sum));
      losses.forEach((loss, i) => assert.ok(Math.abs(loss - want.losses[i]) <= 1e-6 * (1 + loss)));
      dz.forEach((d, i) => assert.ok(Math.abs(d - want.dz[i]) <= 4 * U, `${i}: ${d}`));
    });

  test('has the gradient of central differences in the textbook', () => {
    const z = Float64Array.from(numbers(4, 2 * 9));
    const targets = [3, 8];
    const { dz } = textbook.crossEntropy(z, targets, 9, 1);
    near(
      dz,
      central((at) => textbook.crossEntropy(at, targets, 9, 1).losses, z, [1, 1]),
      1e-8,
    );
  });

  test('of huge logits neither overflows nor loses the smaller ones', () => {
    const { losses, dz } = run(
      Float32Array.of(3e38, 3e38, -3e38, 1e4, 1e4 + 1, 0),
      Int32Array.of(1, 0),
      3,
      1,
    );
    assert.ok(Math.abs(losses[0] - Math.LN2) < 1e-7);
    assert.ok(Math.abs(losses[1] - Math.log(1 + Math.E)) < 1e-6);
    near(dz.subarray(0, 3), [0.5, -0.5, 0], 4 * U);
  });

  test('of the smallest logits counts no logit that is not there', () => {
    const min = -3.4028234663852886e38;
    const { losses, dz } = run(
      Float32Array.of(...Array(5).fill(min), min, ...Array(4).fill(-Infinity)),
      Int32Array.of(0, 0),
      5,
      1,
    );
    assert.ok(Math.abs(losses[0] - Math.log(5)) < 1e-7, `${losses[0]}`);
    assert.equal(losses[1], 0);
    near(dz, [-0.8, 0.2, 0.2, 0.2, 0.2, 0, 0, 0, 0, 0], 4 * U);
  });

  test('without a gradient leaves the logits as they are', () => {
    const z = numbers(5, 3 * 11);
    assert.deepEqual(run(z, Int32Array.of(1, 2, 3), 11, 1, false).dz, z);
  });
});
