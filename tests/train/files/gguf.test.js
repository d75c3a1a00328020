/** A trained model as one GGUF file. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClearheadError } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { writeGguf } from '../../../src/js/train/files/gguf.js';
import { sameArray } from '../../support/bits.js';
import { toHalf } from '../../support/models/blocks.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { asGguf, asSafetensors } from '../../support/models/random-models.js';
import { engine } from '../../support/models/texts.js';
import { blocks, parametersOf, sizesOf, tiny, untied } from '../../support/train/models.js';
import { numbersOf, readGguf, unpaired } from '../../support/train/readers.js';

const written = (model, type) => writeGguf(sizesOf(model.config), parametersOf(model), type);
const logitsOf = async (source) => {
  const model = await loadModel(source, { engine });
  const { logits } = model.prefill(tokensOf(3, 24, 64));
  const copy = logits.slice();
  model.dispose();
  return copy;
};

/** The name in GGUF of a tensor of Hugging Face, as llama.cpp's tensor_mapping.py has it. */
const NAMES = [
  ['model.embed_tokens', 'token_embd'],
  ['model.norm', 'output_norm'],
  ['lm_head', 'output'],
  ['model.layers.', 'blk.'],
  ['input_layernorm', 'attn_norm'],
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['post_attention_layernorm', 'ffn_norm'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
];
const named = (name) => NAMES.reduce((text, [from, to]) => text.replace(from, to), name);
const isPaired = (name) => /\.attn_[qk]\./.test(name);

for (const [kind, config] of Object.entries({ tied: blocks, untied })) {
  const model = tiny(config);
  const headDim = config.hidden_size / config.num_attention_heads;
  /** [name in the file, its tensor there, the tensor of the model] */
  const pairs = (type) => {
    const [, tensors] = readGguf(written(model, type));
    assert.equal(tensors.size, Object.keys(model.tensors).length);
    return Object.entries(model.tensors).map(([name, tensor]) => {
      const found = tensors.get(named(name));
      assert.deepEqual(found.shape, tensor.shape, name);
      return [named(name), found, tensor];
    });
  };

  describe(kind, () => {
    test('in F32 an independent reader finds the bits of every tensor', () => {
      for (const [name, found, { shape, data }] of pairs('F32')) {
        assert.equal(found.type, 'F32');
        const numbers = numbersOf(found);
        sameArray(isPaired(name) ? unpaired(numbers, shape[1], headDim) : numbers, data, name);
      }
    });

    test('in F16 matrices are the nearest halves, and vectors stay float32', () => {
      for (const [name, found, { shape, data }] of pairs('F16')) {
        assert.equal(found.type, shape.length > 1 ? 'F16' : 'F32', name);
        if (shape.length === 1) sameArray(numbersOf(found), data, name);
        else if (!isPaired(name))
          sameArray(new Uint16Array(found.bytes.buffer), Uint16Array.from(data, toHalf), name);
      }
    });

    test('in Q8_0 each number is within half a step, and half a bit of its scale', () => {
      for (const [name, found, { shape, data }] of pairs('Q8_0')) {
        if (shape.length === 1) continue;
        assert.equal(found.type, 'Q8_0', name);
        const stored = numbersOf(found);
        const numbers = isPaired(name) ? unpaired(stored, shape[1], headDim) : stored;
        numbers.forEach((x, at) => {
          const block = data.subarray(at - (at % 32), at - (at % 32) + 32);
          const max = block.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
          // the rounded integer, then the rounding of the scale to float16
          const allowed = max / 127 / 2 + max * 2 ** -11;
          assert.ok(Math.abs(x - data[at]) <= allowed, `${name} ${at}: ${x} for ${data[at]}`);
        });
      }
    });

    test('loadModel gives the bits that another converter’s file gives', async () =>
      sameArray(await logitsOf(written(model, 'F32')), await logitsOf(asGguf(model)), 'logits'));

    test('its logits are those of the safetensors, but for the order of a sum', async () => {
      const got = await logitsOf(written(model, 'F32'));
      const want = await logitsOf(asSafetensors(model));
      assert.ok(difference(got, want) <= LOGITS * largest(want), `${difference(got, want)}`);
    });

    test('the metadata describe the model and its types', () => {
      const [metadata] = readGguf(written(model, 'Q8_0'));
      assert.equal(metadata.get('general.architecture'), 'llama');
      assert.equal(metadata.get('general.file_type'), 7);
      assert.equal(metadata.get('general.quantization_version'), 2);
      assert.equal(metadata.get('llama.block_count'), config.num_hidden_layers);
      assert.equal(metadata.get('llama.attention.head_count_kv'), config.num_key_value_heads);
      assert.equal(metadata.get('llama.rope.dimension_count'), headDim);
      assert.equal(
        metadata.get('llama.attention.layer_norm_rms_epsilon'),
        Math.fround(config.rms_norm_eps),
      );
    });
  });
}

test('Q8_0 is rounded as ggml does: scales of max/127, integers rounded half away from 0', () => {
  const model = tiny(blocks);
  const { data } = model.tensors['model.layers.0.mlp.up_proj.weight'];
  data.fill(0, 0, 64);
  data.set([127, 0.5, -0.5, 1.5, -2.5, 0.49999997, -126.5], 0); // the second block is zero
  const [, tensors] = readGguf(written(model, 'Q8_0'));
  const bytes = tensors.get('blk.0.ffn_up.weight').bytes;
  assert.deepEqual([...bytes.subarray(0, 2)], [0x00, 0x3c]); // 1
  assert.deepEqual([...new Int8Array(bytes.buffer, 2, 7)], [127, 1, -1, 2, -3, 0, -127]);
  assert.deepEqual([...bytes.subarray(34, 68)], new Array(34).fill(0));
});

describe('refused', () => {
  const refuses = (model, code, message) =>
    assert.throws(
      () => written(model, 'Q8_0'),
      (error) =>
        error instanceof ClearheadError && error.code === code && message.test(error.message),
    );
  test('rows that are no whole blocks of Q8_0', () =>
    refuses(
      tiny({ ...blocks, intermediate_size: 48 }),
      'SHAPE',
      /blk\.0\.ffn_down\.weight is 48 long; expected a multiple of 32/,
    ));
  for (const x of [NaN, Infinity, -Infinity])
    test(`a weight that is ${x} in Q8_0`, () => {
      const model = tiny(blocks);
      model.tensors['model.layers.2.self_attn.q_proj.weight'].data[40] = x;
      refuses(model, 'RANGE', /blk\.2\.attn_q\.weight is -?(NaN|Infinity); expected a finite one/);
    });
  test('a block whose scale no float16 has', () => {
    const model = tiny(blocks);
    model.tensors['model.layers.2.mlp.down_proj.weight'].data[40] = 1e7;
    refuses(model, 'RANGE', /scales of blk\.2\.ffn_down\.weight/);
  });
});
