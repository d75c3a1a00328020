/** A trainer in a worker does the same as one here, and its errors are the same. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { init } from '../../src/js/index.js';
import { createTrainer as createHere } from '../../src/js/train/index.js';
import { createTrainer, resume } from '../../src/js/train/worker/client.js';
import { sameBits } from '../support/bits.js';
import { repeated, tiny } from '../support/train/tasks.js';

const [batch, context] = [400, 10];
const options = { batch, context, seed: 5, optimizer: { learningRate: 0.01, warmup: 2 } };
const tokens = (seed) => repeated(seed, batch, context, tiny.vocab, 3);
const timeless = ({ tokensPerSecond, ...rest }) => ({ ...rest, timed: tokensPerSecond > 0 });

/** @template {ArrayBufferView} V @param {V} view */
const detached = (view) => {
  structuredClone(view, { transfer: [view.buffer] });
  return view;
};

describe('a trainer in a worker is the trainer here', () => {
  let here;
  let there;
  before(async () => {
    const engine = await init({ layers: true, variant: 'simd' });
    here = await createHere(tiny, { ...options, engine });
    there = await createTrainer(tiny, options);
  });
  after(() => there.dispose());

  test('it says the same of itself', () => {
    for (const name of ['config', 'optimizer', 'seed', 'batch', 'context', 'parameterCount'])
      assert.deepEqual(there[name], here[name], name);
    assert.equal(there.engine.variant, 'simd');
    assert.equal(there.steps, 0);
  });

  test('its steps and evaluations have the same bits, scores of heads among them', async () => {
    for (let step = 0; step < 2; step++)
      assert.deepEqual(
        timeless(await there.step(tokens(step), { heads: true })),
        timeless(await here.step(tokens(step), { heads: true })),
      );
    assert.equal(there.steps, 2);
    assert.deepEqual(await there.evaluate(tokens(7)), await here.evaluate(tokens(7)));
    assert.deepEqual(await there.heads(tokens(8)), here.heads(tokens(8)));
    sameBits(await there.state(), here.state());
  });

  test('its parameters, gradients and files are the same', async () => {
    sameBits(await there.parameters(), here.parameters());
    sameBits(await there.gradients(), here.gradients());
    sameBits(await there.save(), here.save());
    sameBits([await there.save({ format: 'gguf' })], [here.save({ format: 'gguf' })]);
    sameBits([await there.checkpoint()], [here.checkpoint()]);
  });

  test('a state and parameters can be put there', async () => {
    const state = here.state();
    const parameters = here.parameters().map(({ name, data }) => ({ name, data: data.fill(0.5) }));
    await there.setParameters(parameters);
    sameBits(
      (await there.parameters()).map(({ data }) => data),
      parameters.map(({ data }) => data),
    );
    await there.restore({ ...state, steps: 9 });
    assert.equal(there.steps, 9);
    await there.restore(state);
    sameBits(await there.state(), state);
  });

  test('its errors are the same', async () => {
    for (const call of [
      (trainer) => trainer.step(tokens(0).subarray(1)),
      (trainer) => trainer.step(tokens(0), { target: 1 }),
      (trainer) => trainer.step(tokens(0).fill(99)),
      (trainer) => trainer.evaluate([1, 2]),
      async (trainer) => trainer.setParameters([]),
      async (trainer) => trainer.restore({}),
      async (trainer) => trainer.save({ type: 'Q8_0' }),
      async (trainer) => trainer.checkpoint(1),
      (trainer) => trainer.step(detached(tokens(0))),
      (trainer) => trainer.evaluate(tokens(0), { targets: detached(tokens(0)) }),
      async (trainer) => trainer.heads(detached(tokens(0))),
    ]) {
      const wanted = await call(here).then(assert.fail, (error) => error);
      await assert.rejects(call(there), {
        name: 'ClearheadError',
        code: wanted.code,
        message: wanted.message,
      });
    }
  });

  test('it goes on from a checkpoint of this one, in another worker', async () => {
    const again = await resume(here.checkpoint(), { threads: 2 });
    assert.equal(again.steps, here.steps);
    assert.equal(again.engine.threads, 2);
    await again.step(tokens(3));
    await here.step(tokens(3));
    sameBits(await again.state(), here.state());
    await again.dispose();
  });
});

describe('a step in a worker', () => {
  let trainer;
  before(async () => {
    trainer = await createTrainer(tiny, options);
  });
  after(() => trainer.dispose());

  test('tells its progress', async () => {
    const parts = [];
    await trainer.step(tokens(0), { onProgress: (progress) => parts.push(progress) });
    assert.ok(parts.length > 2, `${parts.length} parts`);
    assert.deepEqual(parts.at(-1), { sequences: batch, total: batch });
  });

  test('ends by its signal with nothing changed, and says so', async () => {
    const before = await trainer.state();
    const controller = new AbortController();
    trainer.pause();
    const ended = trainer.step(tokens(1), { signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(ended, { message: 'enough' });
    await trainer.proceed();
    sameBits(await trainer.state(), before);
    assert.equal(trainer.steps, before.steps);
    await assert.rejects(trainer.step(tokens(1), { signal: controller.signal }), /enough/);
  });

  test('whose signal comes too late is done, and gives its result', async () => {
    const controller = new AbortController();
    const { steps } = trainer;
    const onProgress = ({ sequences }) => sequences === batch && controller.abort();
    const result = await trainer.step(tokens(2), { signal: controller.signal, onProgress });
    assert.equal(result.step, steps + 1);
    assert.equal(trainer.steps, steps + 1);
  });

  test('whose listener throws rejects, and is done as a whole or not at all', async () => {
    const before = await trainer.state();
    const twin = await createHere(tiny, options);
    twin.restore(before);
    await twin.step(tokens(2));
    const onProgress = () => {
      throw new Error('not today');
    };
    await assert.rejects(trainer.step(tokens(2), { onProgress }), { message: 'not today' });
    const state = await trainer.state();
    sameBits(state, state.steps === before.steps ? before : twin.state());
    assert.equal(trainer.steps, state.steps);
    twin.dispose();
  });

  test('refuses a listener that is no function', async () => {
    await assert.rejects(trainer.step(tokens(2), { onProgress: 3 }), {
      code: 'ARG',
      message: 'onProgress is 3; expected a function',
    });
  });

  test('waits while the trainer is paused, and other calls do not', async () => {
    await trainer.pause();
    let done = false;
    const step = trainer.step(tokens(3)).then(() => (done = true));
    const { steps } = await trainer.state();
    await assert.rejects(trainer.step(tokens(3)), { code: 'BUSY' });
    assert.equal(done, false);
    await trainer.proceed();
    await step;
    assert.equal(trainer.steps, steps + 1);
  });

  test('rejects when the trainer is disposed of, and so do later ones', async () => {
    const other = await createTrainer(tiny, options);
    await other.pause();
    const step = other.step(tokens(0));
    await other.dispose();
    await assert.rejects(step, { code: 'DISPOSED', message: /trainer is disposed of/ });
    await assert.rejects(other.step(tokens(0)), { code: 'DISPOSED' });
  });
});

describe('starting a worker', () => {
  test('is left to the caller, where the caller makes it', async () => {
    let made = 0;
    const worker = () => {
      made++;
      return new Worker(new URL('../../src/js/train/worker/train-host.js', import.meta.url));
    };
    const trainer = await createTrainer(tiny, { ...options, worker });
    assert.equal(made, 1);
    assert.ok((await trainer.step(tokens(0))).loss > 0);
    await trainer.dispose();
  });

  test('refuses an engine that is made, and options that are wrong', async () => {
    const engine = await init({ layers: true });
    const refused = (more, code, message) =>
      assert.rejects(createTrainer(tiny, { ...options, ...more }), { code, message });
    await refused({ engine }, 'ARG', /engine is an engine; expected options of init/);
    await refused({ worker: 'host.js' }, 'ARG', /worker is "host.js"; expected a function/);
    await refused({ batches: 1 }, 'ARG', /options is given "batches"/);
    await refused({ context: 0 }, 'RANGE', /context is 0/);
    await assert.rejects(resume(Promise.resolve()), {
      code: 'ARG',
      message: /^checkpoint is of class Promise \(forgotten await\?\); expected Uint8Array/,
    });
    await assert.rejects(resume(new Uint8Array(9)), { code: 'FORMAT', message: /CLEARTRN/ });
  });
});
