/** A trained model as model.safetensors and config.json. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClearheadError } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { writeModel } from '../../../src/js/train/files/safetensors.js';
import { sameArray } from '../../support/bits.js';
import { toHalf } from '../../support/models/blocks.js';
import { tokensOf } from '../../support/models/differences.js';
import { engine } from '../../support/models/texts.js';
import { asSafetensors } from '../../support/models/random-models.js';
import { blocks, parametersOf, sizesOf, tiny, untied } from '../../support/train/models.js';
import { numbersOf, readSafetensors } from '../../support/train/readers.js';

const logitsOf = async (source) => {
  const model = await loadModel(source, { engine });
  const { logits } = model.prefill(tokensOf(3, 24, 64));
  const copy = logits.slice();
  model.dispose();
  return copy;
};
const written = (model, type, marks) =>
  writeModel(sizesOf(model.config), parametersOf(model), type, marks);

describe('in float32', () => {
  for (const [name, config] of Object.entries({ tied: blocks, untied })) {
    const model = tiny(config);
    const { weights, config: json } = written(model, 'F32');

    test(`${name}: an independent reader finds every tensor with its name, shape and bits`, () => {
      const [notes, tensors] = readSafetensors(weights);
      assert.deepEqual(notes, { format: 'pt' });
      assert.deepEqual([...tensors.keys()].sort(), Object.keys(model.tensors).sort());
      for (const [tensor, { shape, data }] of Object.entries(model.tensors)) {
        assert.deepEqual(tensors.get(tensor).shape, shape, tensor);
        sameArray(numbersOf(tensors.get(tensor)), data, tensor);
      }
    });

    test(`${name}: loadModel gives the bits of the same weights in another file`, async () =>
      sameArray(
        await logitsOf({ weights, config: json }),
        await logitsOf(asSafetensors(model)),
        'logits',
      ));

    test(`${name}: config.json has the fields of LlamaForCausalLM`, () => {
      assert.deepEqual(json.architectures, ['LlamaForCausalLM']);
      assert.equal(json.torch_dtype, 'float32');
      for (const [key, value] of Object.entries(config)) assert.deepEqual(json[key], value, key);
      assert.deepEqual(JSON.parse(JSON.stringify(json)), json);
    });
  }

  test('every float begins at a multiple of four bytes', () => {
    const { weights } = written(tiny(blocks), 'F32');
    assert.equal(new DataView(weights.buffer).getUint32(0, true) % 8, 0);
  });

  test('the ids that begin and end a text stand in config.json', () => {
    const { config } = written(tiny(blocks), 'F32', { bos: 1, eos: 2 });
    assert.deepEqual([config.bos_token_id, config.eos_token_id], [1, 2]);
  });
});

describe('in float16', () => {
  test('every number is the nearest half, ties to even', () => {
    const model = tiny(blocks);
    const odd = model.tensors['model.norm.weight'].data;
    odd.set([0, -0, 1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, -65519.996, 2 ** -24, 2 ** -25]);
    odd.set([3 * 2 ** -26, -(2 ** -14) + 2 ** -26, 2 ** -15 + 2 ** -25, Infinity, NaN, 1e-30], 8);
    const [, tensors] = readSafetensors(written(model, 'F16').weights);
    for (const [name, { data }] of Object.entries(model.tensors))
      sameArray(
        new Uint16Array(tensors.get(name).bytes.buffer),
        Uint16Array.from(data, toHalf),
        name,
      );
  });

  test('a number beyond float16 is refused by its tensor', () => {
    const model = tiny(blocks);
    model.tensors['model.layers.1.mlp.up_proj.weight'].data[5] = 65520;
    assert.throws(
      () => written(model, 'F16'),
      (error) =>
        error instanceof ClearheadError &&
        error.code === 'RANGE' &&
        /model\.layers\.1\.mlp\.up_proj\.weight is 65520; expected a/.test(error.message),
    );
  });
});

test('attention without a feed-forward block is saved as one that adds nothing', async () => {
  const model = tiny(blocks);
  for (const [name, { data }] of Object.entries(model.tensors))
    if (name.includes('down_proj')) data.fill(0);
  const parameters = parametersOf(model).filter(
    ({ name }) => !/mlp|post_attention_layernorm/.test(name),
  );
  const sizes = { ...sizesOf(blocks), ffnDim: 0, activation: 'gelu' };
  const bare = writeModel(sizes, parameters, 'F32');
  assert.equal(bare.config.intermediate_size, 64);
  sameArray(await logitsOf(bare), await logitsOf(asSafetensors(model)), 'logits');
});

describe('refused, as readers of files refuse it', () => {
  for (const [change, message] of [
    [{ activation: 'gelu' }, /activation is "gelu"; expected "silu"/],
    [{ normEps: 0 }, /normEps is 0; expected a number above 0/],
  ])
    test(JSON.stringify(change), () =>
      assert.throws(() => writeModel({ ...sizesOf(blocks), ...change }, [], 'F32'), {
        code: 'FORMAT',
        message,
      }),
    );
});
