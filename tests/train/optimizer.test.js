/** AdamW, the norm that clips, the schedule, and the first parameters. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { random } from '../support/random.js';
import { distance } from '../support/train/differences.js';
import { called } from '../support/train/kernels.js';
import { randomTokens, tiny } from '../support/train/tasks.js';

let ch;
before(async () => {
  ch = await init({ layers: true, variant: 'simd' });
});

const numbers = (seed, length) => {
  const r = random(seed);
  return Float32Array.from({ length }, () => r.normal());
};

test('five steps of AdamW are those of Loshchilov and Hutter in double', () => {
  const length = 9001; // more than a piece
  const [rate, decay, beta1, beta2, epsilon, clip] = [0.01, 0.1, 0.9, 0.95, 1e-8, 0.5];
  const start = numbers(1, length);
  const want = { w: Float64Array.from(start), m: new Float64Array(length), v: [] };
  want.v = new Float64Array(length);
  const got = called(ch, ({ c, team, put, zeros, read }) => {
    const [w, m, v] = [put(start), zeros(length), zeros(length)];
    for (let n = 1; n <= 5; n++) {
      const g = numbers(n + 1, length);
      c.attn_adamw(team, w, m, v, put(g), length, n, clip, rate, decay, beta1, beta2, epsilon);
      for (let i = 0; i < length; i++) {
        const x = clip * g[i];
        want.m[i] = beta1 * want.m[i] + (1 - beta1) * x;
        want.v[i] = beta2 * want.v[i] + (1 - beta2) * x * x;
        const root = Math.sqrt(want.v[i] / (1 - beta2 ** n));
        want.w[i] -= rate * (decay * want.w[i] + want.m[i] / (1 - beta1 ** n) / (root + epsilon));
      }
    }
    return { w: read(w, length), m: read(m, length), v: read(v, length) };
  });
  for (const name of ['w', 'm', 'v']) assert.ok(distance(got[name], want[name]) < 1e-6, name);
});

test('the global norm is the root of the sum of squares, also beyond the floats', () => {
  const norm = (x) =>
    called(ch, ({ c, put }) => c.attn_global_norm(put(Float32Array.from(x)), x.length));
  assert.equal(norm([3, 4]), 5);
  assert.equal(norm([]), 0);
  assert.equal(norm([2 ** 127, 0, 0, 0, 2 ** 127]), 2 ** 127 * Math.SQRT2);
  assert.ok(Number.isNaN(norm([1, 2, 3, 4, NaN])));
});

test('the rate rises in a line, falls along half a cosine and stays', () => {
  const rate = (step) => called(ch, ({ c }) => c.attn_learning_rate(step, 110, 10, 1, 0.1));
  assert.equal(rate(0), 0.1);
  assert.equal(rate(9), 1);
  assert.equal(rate(10), 1);
  assert.ok(Math.abs(rate(60) - 0.55) < 1e-15);
  assert.ok(Math.abs(rate(35) - (0.1 + 0.45 * (1 + Math.SQRT1_2))) < 1e-15);
  assert.equal(rate(110), 0.1);
  assert.equal(rate(1e9), 0.1);
});

describe('a trainer', () => {
  const make = (optimizer, more) =>
    createTrainer(tiny, { engine: ch, batch: 2, context: 6, optimizer, ...more });
  const tokens = randomTokens(1, 2, 6, tiny.vocab);

  test('has a warmup of 100 steps, or of all where there are fewer', async () => {
    for (const [steps, warmup] of [
      [undefined, 100],
      [101, 100],
      [30, 30],
    ])
      assert.equal((await make({ steps })).optimizer.warmup, warmup);
  });

  test('clips a gradient by its norm alone', async () => {
    const optimizer = { warmup: 0, weightDecay: 0, epsilon: 1 };
    const free = await make({ ...optimizer, clip: 0 });
    const { gradNorm } = await free.step(tokens);
    const first = free.gradients();
    const clipped = await make({ ...optimizer, clip: gradNorm / 4 });
    await clipped.step(tokens);
    assert.deepEqual(clipped.gradients(), first);
    const [a, b] = [free, clipped].map((trainer) => trainer.state().firstMoments);
    assert.ok(
      distance(
        b,
        a.map((m) => m / 4),
      ) < 1e-6,
    );
  });

  test('lets matrices decay, and norms not', async () => {
    const trainer = await make({ warmup: 0, learningRate: 0.5, weightDecay: 0.2 });
    // without gradients all that moves is the decay
    const before = trainer.parameters();
    const { beta1, beta2, epsilon } = trainer.optimizer;
    assert.deepEqual([beta1, beta2, epsilon], [0.9, 0.95, 1e-8]);
    const still = await make({ warmup: 0, learningRate: 0.5, weightDecay: 0 });
    await Promise.all([trainer.step(tokens), still.step(tokens)]);
    const [after, without] = [trainer, still].map((one) => one.parameters());
    before.forEach(({ name, shape, data }, i) => {
      const decayed = data.map((x) => (shape.length === 1 ? 0 : -0.1 * x));
      const moved = after[i].data.map((x, k) => x - without[i].data[k]);
      decayed.forEach((x, k) => assert.ok(Math.abs(moved[k] - x) < 1e-6, `${name}[${k}]`));
    });
  });

  test('draws matrices of the deviation asked for, and norms of 1', async () => {
    const trainer = await make({}, { seed: 3, initialDeviation: 0.5 });
    for (const { name, shape, data } of trainer.parameters()) {
      const residual = /o_proj|down_proj/.test(name) ? Math.sqrt(2 * tiny.layers) : 1;
      const squares = data.reduce((sum, x) => sum + x * x, 0) / data.length;
      const want = shape.length === 1 ? 1 : 0.5 / residual;
      // of 72 numbers or more the deviation is within 40 %
      assert.ok(Math.abs(Math.sqrt(squares) / want - 1) < 0.4, `${name}: ${squares}`);
    }
  });

  test('draws others from another seed', async () => {
    const [a, b, c] = await Promise.all([1, 1, 2 ** 40].map((seed) => make({}, { seed })));
    assert.deepEqual(a.parameters(), b.parameters());
    assert.notDeepEqual(a.parameters(), c.parameters());
  });

  test('draws the first numbers of SplitMix64', async () => {
    const trainer = await make({}, { seed: 0, initialDeviation: 1 });
    // the outputs for the state 0, as published with the generator
    const parts = [0xe220a8397b1dcdafn, 0x6e789e6aa1b965f4n, 0x06c45d188009454fn].flatMap((x) =>
      [0n, 16n, 32n, 48n].map((by) => Number((x >> by) & 0xffffn)),
    );
    const sum = parts.reduce((a, b) => a + b, 0) - 6 * 65535;
    assert.equal(trainer.parameters()[0].data[0], Math.fround(sum / 65536));
  });
});
