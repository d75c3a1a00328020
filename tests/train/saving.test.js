/** A trained model runs where models run. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { END, byteTokenizer } from '../support/train/byte-tokenizer.js';
import { repeated } from '../support/train/tasks.js';

const [batch, context, vocab] = [4, 24, 288];
const base = { vocab, modelDim: 32, layers: 2, heads: 4, kvHeads: 2, ffnDim: 64 };
const KINDS = {
  'with feed-forward layers, tied': base,
  'untied, with another base of positions': { ...base, tiedOutput: false, ropeTheta: 700 },
  'of attention alone': { ...base, ffnDim: 0 },
};
const TYPES = [
  ['safetensors', 'F32', 1e-5],
  ['safetensors', 'F16', 1e-3],
  ['gguf', 'F32', 1e-5],
  ['gguf', 'F16', 1e-3],
  // the loss is about 3, and weights are off by up to 1/254 of the largest beside them
  ['gguf', 'Q8_0', 1e-2],
];
let engine;
before(async () => {
  engine = await init({ layers: true, variant: 'simd' });
});

/** The mean loss of a model on sequences, as a trainer evaluates it. */
function lossOf(model, tokens) {
  let sum = 0;
  for (let at = 0; at < tokens.length; at += context + 1) {
    model.cache.clear();
    for (let i = 0; i < context; i++) {
      const { logits } = model.step(tokens[at + i]);
      const max = logits.reduce((a, b) => Math.max(a, b));
      const total = logits.reduce((a, z) => a + Math.exp(z - max), 0);
      sum += Math.log(total) + max - logits[tokens[at + i + 1]];
    }
  }
  return sum / ((tokens.length / (context + 1)) * context);
}

for (const [kind, config] of Object.entries(KINDS))
  describe(`a model ${kind}`, () => {
    const unseen = repeated(99, 2, context, vocab, 5);
    let trainer;
    let want;
    before(async () => {
      const optimizer = { learningRate: 0.01, warmup: 2 };
      trainer = await createTrainer(config, { engine, batch, context, optimizer });
      for (let step = 0; step < 30; step++)
        await trainer.step(repeated(step, batch, context, vocab, 5));
      want = (await trainer.evaluate(unseen)).loss;
    });
    for (const [format, type, allowed] of TYPES)
      test(`has the loss of its trainer from ${format} in ${type}`, async (t) => {
        const model = await loadModel(trainer.save({ format, type }), { engine });
        const got = lossOf(model, unseen);
        model.dispose();
        t.diagnostic(`${got}, in the trainer ${want}`);
        assert.ok(Math.abs(got - want) <= allowed * want, `${got}, in the trainer ${want}`);
        assert.equal(model.info.context, context);
      });
  });

describe('beside the model', () => {
  let trainer;
  before(async () => {
    trainer = await createTrainer(base, { engine, batch, context });
  });
  const given = { tokenizer: byteTokenizer(), bos: END, eos: END };

  for (const format of ['safetensors', 'gguf'])
    test(`the tokenizer and its marks are in ${format}`, async () => {
      const { tokenizer } = await loadModel(trainer.save({ format, ...given }), { engine });
      assert.deepEqual(tokenizer.encode(' the and'), [258, 263]);
      assert.deepEqual([tokenizer.bos, [...tokenizer.ends]], [END, [END]]);
    });

  test('safetensors in F32 is the default', () => {
    const { weights, config } = trainer.save();
    assert.deepEqual(trainer.save({ format: 'safetensors', type: 'F32' }), { weights, config });
    assert.equal(config.torch_dtype, 'float32');
  });

  for (const [options, code, message] of [
    [{ format: 'onnx' }, 'ARG', /format is "onnx"; expected "safetensors" or "gguf"/],
    [{ type: 'Q8_0' }, 'ARG', /type is "Q8_0"; expected "F32" or "F16"/],
    [{ format: 'gguf', type: 'Q4_0' }, 'ARG', /type is "Q4_0"/],
    [{ bos: 288 }, 'RANGE', /bos is 288; expected an integer from 0 to 287/],
    [{ format: 'gguf', eos: -1 }, 'RANGE', /eos is -1/],
    [{ tokenizer: 'tokenizer.json' }, 'ARG', /tokenizer is "tokenizer.json"; expected the object/],
    [{ tokenizer: {} }, 'FORMAT', /model of tokenizer.json/],
    [{ format: 'gguf', tokenizer: {} }, 'FORMAT', /model of tokenizer.json/],
    [{ types: 'F32' }, 'ARG', /did you mean type\?/],
  ])
    test(`${JSON.stringify(options)} is refused`, () =>
      assert.throws(() => trainer.save(options), { name: 'ClearheadError', code, message }));
});
