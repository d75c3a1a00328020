/** A step tells its progress, and can be paused and ended between two parts of its batch. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setImmediate as others } from 'node:timers/promises';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { sameBits } from '../support/bits.js';
import { repeated, tiny } from '../support/train/tasks.js';

const [batch, context] = [400, 10];
const tokens = (seed) => repeated(seed, batch, context, tiny.vocab, 3);
let engine;
before(async () => {
  engine = await init({ layers: true, variant: 'simd' });
});
const make = () => createTrainer(tiny, { engine, batch, context });

for (const f of ['step', 'evaluate'])
  describe(f, () => {
    test('tells its progress, part by part', async () => {
      const trainer = await make();
      const parts = [];
      await trainer[f](tokens(0), { onProgress: (progress) => parts.push(progress) });
      assert.ok(parts.length > 2, `${parts.length} parts`);
      assert.deepEqual(parts.at(-1), { sequences: batch, total: batch });
      for (const [x, { sequences, total }] of parts.entries()) {
        assert.equal(total, batch);
        assert.ok(sequences > (parts[x - 1]?.sequences ?? 0));
      }
    });

    test('ends with the reason of its signal, and nothing is changed', async () => {
      const trainer = await make();
      const before = trainer.state();
      const controller = new AbortController();
      let parts = 0;
      const onProgress = () => {
        if (++parts === 2) controller.abort(new Error('enough'));
      };
      const { signal } = controller;
      await assert.rejects(trainer[f](tokens(0), { signal, onProgress }), { message: 'enough' });
      assert.equal(parts, 2);
      sameBits(trainer.state(), before);
      assert.equal(trainer.steps, 0);
      await assert.rejects(trainer[f](tokens(0), { signal }), { message: 'enough' });
    });

    test('computes nothing while it is paused, and goes on to the same bits', async () => {
      const [here, whole] = [await make(), await make()];
      let parts = 0;
      let paused = 0;
      const onProgress = () => {
        if (++parts === 2) here.pause();
      };
      const done = here[f](tokens(0), { onProgress }).then((result) => {
        assert.equal(paused, 2);
        return result;
      });
      for (let i = 0; i < 50; i++) await others();
      paused = parts;
      here.pause(); // once more does nothing
      here.proceed();
      here.proceed();
      const { loss } = await done;
      assert.equal(loss, (await whole[f](tokens(0))).loss);
      sameBits(here.state(), whole.state());
    });

    test('that is paused ends by its signal', async () => {
      const trainer = await make();
      const controller = new AbortController();
      trainer.pause();
      const ended = trainer[f](tokens(0), { signal: controller.signal });
      for (let i = 0; i < 10; i++) await others();
      controller.abort(new Error('enough'));
      await assert.rejects(ended, { message: 'enough' });
      trainer.proceed();
      assert.ok((await trainer[f](tokens(0))).loss > 0);
    });

    test('throws what a listener throws, and nothing is changed', async () => {
      const trainer = await make();
      const before = trainer.state();
      const onProgress = () => {
        throw new Error('a mistake');
      };
      await assert.rejects(trainer[f](tokens(0), { onProgress }), { message: 'a mistake' });
      sameBits(trainer.state(), before);
      await assert.rejects(trainer[f](tokens(0), { onProgress: 1 }), {
        code: 'ARG',
        message: /onProgress is 1; expected a function/,
      });
    });
  });
