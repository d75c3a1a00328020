/** A step is done again in new memory where a thread was lost in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrainer } from '../../src/js/train/index.js';
import { CALLS, nextTurn, one, withFault } from '../support/engine/thread-calls.js';
import { randomTokens, tiny } from '../support/train/tasks.js';

const config = { ...tiny, modelDim: 48, ffnDim: 96, headDim: 16, vocab: 64 };
const options = { batch: 6, context: 200, seed: 1, initialDeviation: 0.2 };

for (const fault of ['inside', 'asleep'])
  test(`a worker lost ${fault} a step changes no bit`, async () => {
    const engine = await withFault(fault, 2, 2);
    const trainer = await createTrainer(config, { ...options, engine });
    const plain = await createTrainer(config, { ...options, engine: one });
    assert.equal(engine.info.threads, 2);
    for (let step = 0; step < 3 || (engine.info.threads > 1 && step < CALLS); step++) {
      const tokens = randomTokens(step, 6, 200, 64);
      const o = { heads: step % 2 === 0 };
      const [got, want] = [await trainer.step(tokens, o), await plain.step(tokens, o)];
      assert.deepEqual([got.loss, got.gradNorm], [want.loss, want.gradNorm]);
      assert.deepEqual(got.heads, want.heads);
      await nextTurn();
    }
    assert.equal(engine.info.threads, 1);
    assert.deepEqual(trainer.state(), plain.state());
  });
