/**
 * Settings that change the numbers are obeyed or refused by name. The keys of GGUF are those of
 * llama.cpp, the fields of config.json those of transformers.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../../src/js/model/files/config.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { refuses } from '../../support/streams.js';
import { tinyGguf, tinyJson } from '../../support/models/tiny-models.js';

const f32 = (value) => ({ type: 'f32', value });
const gguf = async (architecture, metadata) =>
  readConfig(await openModel(tinyGguf(architecture, { metadata })));
const json = async (architecture, config) =>
  readConfig(await openModel(tinyJson(architecture, { config })));

/** Keys of a GGUF file of a Llama, values that are refused, and values that change nothing. */
const OF_LLAMA = {
  'attention.causal': [[false, 0], [true]],
  'attention.max_alibi_bias': [[8], [0]],
  'attention.clamp_kqv': [[30], [0]],
  'attention.scale': [[f32(0.1)], [0]],
  'attention.output_scale': [[f32(0.5)], [1]],
  'attention.value_scale': [[f32(0.5)], [1]],
  'attention.temperature_length': [[4096], [0]],
  'attention.temperature_scale': [[f32(0.1)], [0]],
  'attention.sliding_window': [[8], [0, 64, 4096]],
  'attention.key_length_swa': [[4], [6]],
  'attention.value_length_swa': [[4], [6]],
  'attention.shared_kv_layers': [[1], [0]],
  'attention.recurrent_layers': [[1], []],
  'attention.q_lora_rank': [[8], [0]],
  'attention.indexer.head_count': [[8], []],
  'attention.a_key_of_the_future': [[1], []],
  'rope.dimension_count_swa': [[4], [6]],
  'rope.dimension_sections': [[Int32Array.of(1, 1, 1, 0)], []],
  'rope.freq_base_swa': [[1000], []],
  'rope.scaling.alpha': [[1000], [0]],
  'rope.scaling.yarn_log_multiplier': [[f32(0.1)], [0]],
  'rope.scaling.yarn_ext_factor': [[1], [0, f32(-1)]],
  'rope.scaling.yarn_attn_factor': [[f32(0.5)], [1]],
  'rope.scaling.finetuned': [[], [true, false]],
  'rope.scaling.yarn_beta_fast': [[], [8]],
  logit_scale: [[f32(0.125)], [0, 1]],
  residual_scale: [[f32(0.2)], [0, 1]],
  embedding_scale: [[12], [0]],
  attn_logit_softcapping: [[30], [0]],
  final_logit_softcapping: [[30], [0]],
  router_logit_softcapping: [[30], [0]],
  hidden_activation: [['gelu_pytorch_tanh', 7], ['silu']],
  swin_norm: [[true], [false]],
  use_parallel_residual: [[true], [false]],
  pooling_type: [[1, 3], [0]],
  'classifier.output_labels': [[['a', 'b']], []],
  embedding_length_per_layer_input: [[256], [0]],
  leading_dense_block_count: [[1], [0]],
  nextn_predict_layers: [[1], [0]],
  'hyper_connection.count': [[4], []],
  'ssm.conv_kernel': [[4], []],
  expert_weights_scale: [[], [2]],
  vocab_size: [[], [14]],
  tensor_data_layout: [[], ['Meta AI original pth']],
  a_note: [[], ['anything']],
};

/** The same of config.json. */
const OF_JSON = {
  is_causal: [[false], [true, null]],
  use_bidirectional_attention: [
    [true, 'vision'],
    [false, null],
  ],
  bidirectional: [[true], [false]],
  attn_logit_softcapping: [[30], [0, null]],
  final_logit_softcapping: [[30], [0, null]],
  query_pre_attn_scalar: [[256], [null]],
  sliding_window: [[8], [null, 64]],
  attention_multiplier: [[0.1], []],
  embedding_multiplier: [[12], [1]],
  residual_multiplier: [[0.2], [1]],
  logits_scaling: [[8], [1]],
  logit_scale: [[0.1], [1]],
  scale_emb: [[12], []],
  scale_depth: [[1.4], []],
  clip_qkv: [[8], [null]],
  alibi: [[true], [false]],
  use_qk_norm: [[true], [false]],
  qk_layernorm: [[true], [false]],
  qkv_bias: [[true], [false]],
  attention_bias: [['false'], [false]],
  mlp_bias: [['true'], [false]],
  attention_chunk_size: [[128], [0, null]],
  no_rope_layers: [[[0, 1]], []],
  rotary_pct: [[0.5], [1]],
  partial_rotary_factor: [[0.5], [1]],
  n_routed_experts: [[8], [0]],
  rope_scaling: [[{ rope_type: 'linear', factor: 2, attn_factor: 1.5 }], [null]],
  attention_of_the_future: [['gated'], [null]],
  attention_dropout: [[], [0.1]],
  _attn_implementation: [[], ['eager']],
  max_window_layers: [[], [2]],
  initializer_range: [[], [0.02]],
  pretraining_tp: [[], [4]],
};

const named = (key) => new RegExp(key.replaceAll('.', '\\.'));

describe('a setting that changes the numbers is obeyed or refused by name', () => {
  for (const [key, [refused, harmless]] of Object.entries(OF_LLAMA))
    test(`llama.${key} of GGUF`, async () => {
      const plain = await gguf('llama', {});
      for (const value of refused)
        await refuses(() => gguf('llama', { [`llama.${key}`]: value }), 'FORMAT', named(key));
      for (const value of harmless)
        assert.deepEqual(await gguf('llama', { [`llama.${key}`]: value }), plain);
    });

  for (const [key, [refused, harmless]] of Object.entries(OF_JSON))
    test(`${key} of config.json`, async () => {
      const plain = await json('llama', {});
      const message = key === 'n_routed_experts' ? /mixture of experts/ : named(key);
      for (const value of refused)
        await refuses(() => json('llama', { [key]: value }), 'FORMAT', message);
      for (const value of harmless) assert.deepEqual(await json('llama', { [key]: value }), plain);
    });

  test('keys of another architecture are notes', async () =>
    assert.deepEqual(
      await gguf('llama', { 'gemma3.attention.causal': false }),
      await gguf('llama', {}),
    ));

  test('softcaps that the architecture has are obeyed', async () => {
    const caps = { attn_logit_softcapping: 30, final_logit_softcapping: 20 };
    const { attnSoftcap, finalSoftcap } = await json('gemma3', caps);
    assert.deepEqual([attnSoftcap, finalSoftcap], [30, 20]);
    const { finalSoftcap: cap } = await gguf('gemma3', { 'gemma3.final_logit_softcapping': 30 });
    assert.equal(cap, 30);
    await refuses(
      () => gguf('gemma3', { 'gemma3.attn_logit_softcapping': 50 }),
      'FORMAT',
      /gemma3.attn_logit_softcapping is 50; expected 0/,
    );
  });

  test('a window that Qwen names is off unless it says otherwise', async () => {
    for (const architecture of ['qwen2', 'qwen3'])
      for (const more of [{}, { use_sliding_window: false }])
        assert.equal((await json(architecture, { sliding_window: 8, ...more })).slidingWindow, 0);
    await refuses(
      () => json('qwen2', { sliding_window: 8, use_sliding_window: true }),
      'FORMAT',
      /use_sliding_window is true/,
    );
  });

  test('YaRN with an extrapolation of its own', async () => {
    const yarn = (value) =>
      gguf('llama', {
        'llama.rope.scaling.type': 'yarn',
        'llama.rope.scaling.factor': 4,
        'llama.rope.scaling.yarn_ext_factor': f32(value),
      });
    assert.equal((await yarn(1)).ropeScaling.type, 'yarn');
    for (const value of [0, 0.5])
      await refuses(() => yarn(value), 'FORMAT', /yarn_ext_factor is (0|0.5); expected 1, or -1/);
  });
});

describe('parts of a file that are no model', () => {
  test('a part of a model in several files says which one it is', async () => {
    const part = (number) => ({
      'general.architecture': number ? undefined : 'llama',
      'split.no': { type: 'u16', value: number },
      'split.count': { type: 'u16', value: 3 },
      'split.tensors.count': { type: 'i32', value: 60 },
    });
    for (const number of [0, 1, 2])
      await refuses(
        () => gguf('llama', part(number)),
        'FORMAT',
        new RegExp(`part ${number + 1} of 3; expected a model in one file`),
      );
    assert.equal((await gguf('llama', { 'split.count': 1, 'split.no': 0 })).layers, 2);
  });

  test('an adapter', () =>
    refuses(
      () => gguf('llama', { 'general.type': 'adapter' }),
      'FORMAT',
      /general.type is "adapter"; expected "model"/,
    ));
});
