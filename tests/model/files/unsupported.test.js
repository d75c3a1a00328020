/** A model with a part that is not supported is refused, and the error names the part. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gguf, json, load } from '../../support/models/read-config.js';
import { tinyJson } from '../../support/models/tiny-models.js';
import { refuses } from '../../support/streams.js';

describe('a part that is not supported is named', () => {
  for (const [name, message] of [
    ['qwen3moe', /mixture of experts/],
    ['deepseek2', /mixture of experts/],
    ['gpt-oss', /mixture of experts/],
    ['qwen3next', /gated delta net/],
    ['qwen35', /gated delta net/],
    ['mamba', /state-space/],
    ['lfm2', /short convolutions/],
    ['qwen2vl', /images or sound/],
    ['bert', /an encoder/],
    ['phi3', /"phi3"; expected llama, qwen2, qwen3, gemma3/],
    ['__proto__', /"__proto__"/],
  ])
    test(name, async () => {
      await refuses(() => gguf('llama', { 'general.architecture': name }), 'FORMAT', message);
      await refuses(
        () => load(tinyJson('llama', { config: { model_type: name } })),
        'FORMAT',
        message,
      );
    });
  test('of another architecture, also with weights of a type that is not read', async () => {
    const other = (type, shape, data) => [
      { name: 'blk.0.ffn_gate_exps.weight', type, shape, data },
    ];
    const bytes = new Uint8Array(64);
    await refuses(
      () =>
        gguf(
          'llama',
          { 'general.architecture': 'gpt-oss' },
          { edit: () => other(39, [2, 32, 32], bytes) },
        ),
      'FORMAT',
      /"gpt-oss" \(a mixture of experts\)/,
    );
    await refuses(
      () => gguf('llama', {}, { edit: () => other(39, [2, 32, 32], bytes) }),
      'FORMAT',
      /the type of blk.0.ffn_gate_exps.weight is MXFP4/,
    );
    const header = new TextEncoder().encode(
      '{"experts":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}',
    );
    const weights = new Uint8Array(8 + header.length + 8);
    weights[0] = header.length;
    weights.set(header, 8);
    await refuses(
      () => load({ weights, config: { model_type: 'qwen3_next' } }),
      'FORMAT',
      /"qwen3_next" \(a recurrent state/,
    );
    await refuses(() => load({ weights, config: tinyJson('llama').config }), 'FORMAT', /F8_E4M3/);
  });
  test('experts in a Llama', () =>
    refuses(() => gguf('llama', { 'llama.expert_count': 8 }), 'FORMAT', /mixture of experts/));
  test('experts in config.json', () =>
    refuses(() => json('llama', { num_local_experts: 8 }), 'FORMAT', /mixture of experts/));
  test('a linear layer', () =>
    refuses(
      () => json('qwen3', { layer_types: ['linear_attention', 'full_attention'] }),
      'FORMAT',
      /linear_attention.*gated delta net/,
    ));
  for (const period of [0, -3, 'x', 1.5])
    test(`Gemma with every ${period}th layer`, () =>
      refuses(
        () => json('gemma3', { sliding_window_pattern: period }),
        'FORMAT',
        /sliding_window_pattern is .*expected a period/,
      ));
  test('a kind of layer that is no name', () =>
    refuses(
      () => json('gemma3', { layer_types: [{}, 'full_attention'] }),
      'FORMAT',
      /a kind in layer_types is of type object; expected full_attention/,
    ));
  test('a type that is no name', () =>
    refuses(
      () => json('llama', { model_type: {} }),
      'FORMAT',
      /model_type is of type object; expected a name/,
    ));
  test('no type', () =>
    refuses(
      () => json('llama', { model_type: null }),
      'FORMAT',
      /the architecture is "not given"/,
    ));
  test('the multimodal Gemma 3', () =>
    refuses(() => json('gemma3', { model_type: 'gemma3' }), 'FORMAT', /images or sound/));
  test('one file of several', () =>
    refuses(() => gguf('llama', { 'split.count': 3 }), 'FORMAT', /split.count is a part of 3/));
  test('other activations', () =>
    refuses(() => json('llama', { hidden_act: 'relu2' }), 'FORMAT', /hidden_act is "relu2"/));
  test('biases that are no truth value, or where none are known', async () => {
    await refuses(
      () => json('qwen3', { attention_bias: 'false' }),
      'FORMAT',
      /^attention_bias is "false"; expected true or false/,
    );
    for (const name of ['qwen2', 'qwen3', 'gemma3'])
      await refuses(
        () => json(name, { mlp_bias: true }),
        'FORMAT',
        /^mlp_bias is true; expected false/,
      );
    const { qkvBias, outBias } = await json('qwen2', { attention_bias: true, mlp_bias: false });
    assert.deepEqual([qkvBias, outBias], [true, false]);
  });
  test('heads that turn in part', async () => {
    for (const where of [
      { partial_rotary_factor: 0.5 },
      { rope_scaling: { partial_rotary_factor: 0.5 } },
      { rope_parameters: { partial_rotary_factor: 0.5 } },
    ])
      await refuses(
        () => json('llama', where),
        'FORMAT',
        /^partial_rotary_factor is 0.5; expected 1/,
      );
    await refuses(
      () =>
        json('gemma3', { rope_parameters: { sliding_attention: { partial_rotary_factor: 0.5 } } }),
      'FORMAT',
      /^partial_rotary_factor is 0.5; expected 1/,
    );
    assert.deepEqual((await json('llama', { partial_rotary_factor: 1 })).ropeScaling, {
      type: 'none',
    });
  });
  test('quantised safetensors', () =>
    refuses(
      () => json('llama', { quantization_config: { bits: 4 } }),
      'FORMAT',
      /quantization_config/,
    ));
});
