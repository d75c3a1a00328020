/** The first parameters of the stories' model, before any step of training. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { loadModel } from '../../src/js/model/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { backOf, prepare } from '../../training/stories/first.js';
import { createRandom } from '../../training/stories/random.js';
import { MODEL, TRAINING } from '../../training/stories/recipe.js';

const trainer = await createTrainer(MODEL, { ...TRAINING, batch: 4 });
after(() => trainer.dispose());
const plain = trainer.parameters();
const prepared = trainer.parameters();
prepare(prepared, trainer.config, 1);
trainer.setParameters(prepared);
const { layers, heads, kvHeads, modelDim, headDim } = trainer.config;
const named = (parameters, name) =>
  parameters.find((parameter) => parameter.name === `model.${name}.weight`).data;

describe('before the first step', () => {
  const random = createRandom(7);
  const length = 4 * (trainer.context + 1);
  const tokens = Int32Array.from({ length }, () => 1 + random.below(MODEL.vocab - 1));

  test('the first head of each group in the first layer looks at the token before', () => {
    const { previousToken } = trainer.heads(tokens);
    assert.equal(previousToken.length, layers * heads);
    previousToken.forEach((weight, i) => {
      const looksBack = i < heads && i % (heads / kvHeads) === 0;
      assert.ok(looksBack ? weight > 0.7 : weight < 0.2, `head ${i}: ${weight}`);
    });
  });

  test('each head of that layer looks back by one to five tokens', async () => {
    const model = await loadModel(trainer.save());
    const perGroup = heads / kvHeads;
    const sums = new Float64Array(layers * heads);
    const observed = (token) => model.step(token, { observe: 'weights' }).heads.weights;
    model.prefill(tokens.slice(0, 10));
    for (const token of tokens.slice(10, 60))
      for (const { layer, head, weights } of observed(token)) {
        const back = backOf(head % perGroup, Math.floor(head / perGroup), kvHeads);
        assert.ok(back >= 1 && back <= 5);
        sums[layer * heads + head] += weights[weights.length - 1 - back] / 50;
      }
    sums.forEach((weight, i) => {
      assert.ok(i < heads ? weight > 0.5 : weight < 0.2, `head ${i}: ${weight}`);
    });
    model.dispose();
  });

  test('each head passes on a share of the words that it looks at', () => {
    for (let layer = 0; layer < layers; layer++) {
      const value = named(prepared, `layers.${layer}.self_attn.v_proj`);
      const output = named(prepared, `layers.${layer}.self_attn.o_proj`);
      for (let head = 0; head < heads; head++) {
        // the trace of a head's matrix from a token to the stream; 0 on average of random ones
        let trace = 0;
        const group = Math.floor(head / (heads / kvHeads));
        for (let channel = 0; channel < headDim; channel++)
          for (let i = 0; i < modelDim; i++)
            trace +=
              output[(i * heads + head) * headDim + channel] *
              value[(group * headDim + channel) * modelDim + i];
        assert.ok(trace > 1.5 && trace < 3.3, `head ${layer}.${head}: ${trace}`);
      }
    }
  });

  test('each head of a later layer looks for tokens like its own', () => {
    const size = headDim * modelDim;
    for (let layer = 1; layer < layers; layer++) {
      const query = named(prepared, `layers.${layer}.self_attn.q_proj`);
      const key = named(prepared, `layers.${layer}.self_attn.k_proj`);
      for (let head = 0; head < heads; head++) {
        // the mean product of a token's query and its own key; 0 on average of random ones
        const group = Math.floor(head / (heads / kvHeads));
        let trace = 0;
        for (let i = 0; i < size; i++) trace += query[head * size + i] * key[group * size + i];
        assert.ok(trace > 6 && trace < 10, `head ${layer}.${head}: ${trace}`);
      }
    }
  });

  test('all embeddings share one channel, and nothing else of the model is changed', () => {
    const embedding = named(prepared, 'embed_tokens');
    for (let token = 0; token < MODEL.vocab; token++)
      assert.equal(embedding[token * modelDim], 0.25);
    const kept = prepared.filter(({ name }) => !/embed|[qkvo]_proj/.test(name));
    assert.equal(kept.length, 5 * layers + 1);
    for (const { name, data } of kept)
      assert.deepEqual(data, plain.find((parameter) => parameter.name === name).data, name);
  });

  test('another seed draws other numbers', () => {
    const other = plain.map((parameter) => ({ ...parameter, data: parameter.data.slice() }));
    prepare(other, trainer.config, 2);
    assert.notDeepEqual(named(other, 'embed_tokens'), named(prepared, 'embed_tokens'));
  });
});
