/** The memory of a step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memories } from '../../src/js/engine/memory.js';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { MODEL, PHASES } from '../../training/stories/recipe.js';
import { randomTokens } from '../support/train/tasks.js';

const MB = 2 ** 20;

/** Bytes of everything that the backward pass needs of the forward pass over `n` tokens. */
function activations({ modelDim, layers, heads, kvHeads, headDim, ffnDim }, n) {
  const attention = 2 * modelDim + 2 * (heads + kvHeads) * headDim + heads;
  const feedForward = ffnDim ? 2 * modelDim + 3 * ffnDim : 0;
  return 4 * n * (layers * (attention + feedForward) + 2 * modelDim);
}

const withoutFeedForward = { vocab: 512, modelDim: 128, layers: 2, heads: 8, ffnDim: 0 };
const { batch: lastBatch, context: lastContext } = PHASES.at(-1);
for (const [name, config, batch, context] of [
  ['the model of the page', MODEL, 16, 256],
  ['the same in its last phase', MODEL, lastBatch, lastContext],
  ['a model of attention alone', withoutFeedForward, 8, 512],
])
  test(`${name} trains in 8 MB beside parameters, moments and activations`, async (t) => {
    const engine = await init({ layers: true, variant: 'simd' });
    const memory = memories.get(engine);
    const before = memory.top;
    const trainer = await createTrainer(config, { engine, batch, context });
    await trainer.step(randomTokens(1, batch, context, config.vocab));
    const tokens = context * Math.floor(1024 / context);
    const lasting = 12 * trainer.parameterCount;
    const used = memory.buffer.byteLength - before - lasting;
    const beside = used - activations(trainer.config, tokens);
    t.diagnostic(`${(beside / MB).toFixed(2)} MB, gradients of the parameters among them`);
    // the engine grew to this size in the step, so its own reserve counts as well
    assert.ok(beside > 0 && beside <= 8 * MB, `${beside / MB} MB`);
  });
