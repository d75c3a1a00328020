/** The memory of a step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memories } from '../../src/js/engine/memory.js';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { randomTokens } from '../support/train/tasks.js';

const MB = 2 ** 20;

/** Bytes of everything that the backward pass needs of the forward pass over `n` tokens. */
function activations({ modelDim, layers, heads, kvHeads, headDim, ffnDim }, n) {
  const attention = 2 * modelDim + 2 * (heads + kvHeads) * headDim + heads;
  const feedForward = ffnDim ? 2 * modelDim + 3 * ffnDim : 0;
  return 4 * n * (layers * (attention + feedForward) + 2 * modelDim);
}

for (const [name, sizes, batch, context] of [
  ['a model of five layers', { kvHeads: 2, ffnDim: 352, vocab: 1024, layers: 5 }, 16, 256],
  ['a model of attention alone', { ffnDim: 0, vocab: 512, layers: 2 }, 8, 512],
])
  test(`${name} trains in 8 MB beside parameters, moments and activations`, async (t) => {
    const engine = await init({ layers: true, variant: 'simd' });
    const memory = memories.get(engine);
    const before = memory.top;
    const trainer = await createTrainer(
      { modelDim: 128, heads: 8, headDim: 16, ...sizes },
      { engine, batch, context },
    );
    await trainer.step(randomTokens(1, batch, context, sizes.vocab));
    const tokens = context * Math.floor(1024 / context);
    const lasting = 12 * trainer.parameterCount;
    const used = memory.buffer.byteLength - before - lasting;
    const beside = used - activations(trainer.config, tokens);
    t.diagnostic(`${(beside / MB).toFixed(2)} MB, gradients of the parameters among them`);
    // the engine grew to this size in the step, so its own reserve counts as well
    assert.ok(beside > 0 && beside <= 8 * MB, `${beside / MB} MB`);
  });
