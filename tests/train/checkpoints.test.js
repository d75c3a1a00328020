/** A trainer of a checkpoint goes on as if nothing had happened. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ClearheadError, init } from '../../src/js/index.js';
import { createTrainer, resume } from '../../src/js/train/index.js';
import { resume as resumeThere } from '../../src/js/train/worker/client.js';
import { readCheckpoint, writeCheckpoint } from '../../src/js/train/files/checkpoint.js';
import { sameBits } from '../support/bits.js';
import { repeated, tiny } from '../support/train/tasks.js';

const [batch, context] = [3, 10];
const config = { ...tiny, activation: 'gelu', tiedOutput: false, ropeTheta: 500, normEps: 1e-4 };
const optimizer = {
  learningRate: 0.02,
  minLearningRate: 0.001,
  warmup: 3,
  steps: 9,
  beta1: 0.8,
  beta2: 0.9,
  epsilon: 1e-6,
  weightDecay: 0.3,
  clip: 0.5,
};
let engine;
before(async () => {
  engine = await init({ layers: true, variant: 'simd' });
});
const make = (more) =>
  createTrainer(config, { engine, seed: 2 ** 40 + 3, batch, context, optimizer, ...more });
const tokens = (step) => repeated(step, batch, context, tiny.vocab, 3);
async function run(trainer, from, to) {
  const results = [];
  for (let step = from; step < to; step++) {
    const { loss, gradNorm, learningRate } = await trainer.step(tokens(step));
    results.push([loss, gradNorm, learningRate]);
  }
  return results;
}

test('at any step it goes on to the bits of an uninterrupted run', async () => {
  const whole = await make();
  const results = await run(whole, 0, 8);
  for (const cut of [0, 1, 4, 8]) {
    const first = await make();
    await run(first, 0, cut);
    const second = await resume(first.checkpoint(), { engine });
    assert.equal(second.steps, cut);
    assert.deepEqual(await run(second, cut, 8), results.slice(cut), `from step ${cut}`);
    sameBits(second.state(), whole.state(), `from step ${cut}`);
    assert.deepEqual(second.checkpoint(), whole.checkpoint());
  }
});

test('it has the settings of the trainer that wrote it', async () => {
  const first = await make();
  const second = await resume(first.checkpoint(), { engine });
  for (const name of ['config', 'optimizer', 'seed', 'batch', 'context', 'parameterCount'])
    assert.deepEqual(second[name], first[name], name);
});

for (const [where, again] of [
  ['here', resume],
  ['in a worker', resumeThere],
])
  test(`${where} it goes on with other sizes of a batch, which its checkpoint keeps`, async () => {
    const first = await make();
    await run(first, 0, 2);
    const sizes = { batch: batch + 1, context: 2 * context };
    const second = await again(first.checkpoint(), sizes);
    sameBits(await second.state(), first.state());
    await second.step(repeated(1, sizes.batch, sizes.context, tiny.vocab, 3));
    assert.equal(second.steps, 3);
    const third = await again(await second.checkpoint(), { batch: undefined });
    assert.deepEqual([third.batch, third.context], [sizes.batch, sizes.context]);
    await assert.rejects(again(first.checkpoint(), { batch: 0 }), { message: /batch/ });
    for (const one of [second, third]) await one.dispose();
  });

test('it goes on in an engine of its own, with two threads too', async () => {
  const whole = await make();
  await run(whole, 0, 4);
  const first = await make();
  await run(first, 0, 2);
  const second = await resume(first.checkpoint(), { threads: 2 });
  await run(second, 2, 4);
  sameBits(second.state(), whole.state());
  second.dispose();
});

test('a checkpoint that is written between two parts of a step is that of before it', async () => {
  const trainer = await make({ batch: 300 });
  const batches = repeated(1, 300, context, tiny.vocab, 3);
  const wanted = trainer.checkpoint();
  /** @type {Uint8Array[]} */
  const written = [];
  await trainer.step(batches, { onProgress: () => written.push(trainer.checkpoint()) });
  assert.ok(written.length > 1, `${written.length} parts`);
  for (const one of written) assert.deepEqual(one, wanted);
});

for (const [where, again] of [
  ['here', resume],
  ['in a worker', resumeThere],
])
  test(`an ArrayBuffer is taken ${where}, and refused once it is detached`, async () => {
    const first = await make();
    const { buffer } = first.checkpoint();
    const second = await again(buffer);
    sameBits(await second.state(), first.state());
    structuredClone(buffer, { transfer: [buffer] });
    await assert.rejects(again(buffer), { code: 'DETACHED', message: /^checkpoint is/ });
    await second.dispose();
  });

describe('a hostile file is refused by a typed error', () => {
  let good;
  before(async () => {
    good = readCheckpoint((await make()).checkpoint());
  });
  const changed = (change) => {
    const settings = structuredClone(good.settings);
    change(settings);
    return writeCheckpoint({ ...good, settings });
  };
  for (const [name, change, code, message] of [
    ['no configuration', (s) => delete s.config, 'ARG', /layers is undefined but required/],
    ['a configuration of another kind', (s) => (s.config = [1]), 'ARG', /config is an array/],
    ['a huge model', (s) => (s.config.layers = 2 ** 30), 'FORMAT', /parameters; expected \d{9}/],
    ['a model of half a layer', (s) => (s.config.layers = 1.5), 'RANGE', /layers is 1.5/],
    ['another model', (s) => (s.config.ffnDim = 0), 'FORMAT', /parameters; expected/],
    ['an unknown option', (s) => (s.evil = 1), 'ARG', /options is given "evil"/],
    [
      'a prototype',
      (s) => (s.optimizer = JSON.parse('{"__proto__":{"clip":0}}')),
      'ARG',
      /__proto/,
    ],
    ['a batch beyond memory', (s) => (s.context = 2 ** 30), 'LIMIT', /context|config/],
  ])
    test(name, async () => {
      const error = await resume(changed(change), { engine }).then(
        () => assert.fail('it was read'),
        (/** @type {unknown} */ one) => one,
      );
      assert.ok(error instanceof ClearheadError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
    });
});
