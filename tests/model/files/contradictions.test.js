/** A configuration that contradicts itself or its tensors is refused before a weight is read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gguf, json, load } from '../../support/models/read-config.js';
import { SIZES, tinyGguf, tinyJson } from '../../support/models/tiny-models.js';
import { refused, refuses } from '../../support/streams.js';

describe('a contradiction is refused before a weight is read', () => {
  const changes = {
    'a layer more': ['llama.block_count', 3, 'FORMAT', /blk.2.attn_norm.weight is missing/],
    'a layer less': ['llama.block_count', 1, 'FORMAT', /blk.1.\S+ is there; expected none/],
    'a thousand million layers': [
      'llama.block_count',
      1e9,
      'FORMAT',
      /layers of the model is 1000000000/,
    ],
    'no layers': ['llama.block_count', 0, 'FORMAT', /layers/],
    'layers in words': ['llama.block_count', '2', 'FORMAT', /layers of the model is "2"/],
    'half a layer': ['llama.block_count', 1.5, 'FORMAT', /layers of the model is 1.5/],
    'a head more': [
      'llama.attention.head_count',
      3,
      'FORMAT',
      /attn_q.weight is of \(12,8\); expected \(18,8\)/,
    ],
    'kv heads that do not divide': [
      'llama.attention.head_count_kv',
      4,
      'FORMAT',
      /divisor of heads/,
    ],
    'no kv heads': ['llama.attention.head_count_kv', 0, 'FORMAT', /kvHeads/],
    'an odd head size': ['llama.attention.key_length', 5, 'FORMAT', /value_length|even/],
    'another size': [
      'llama.embedding_length',
      9,
      'FORMAT',
      /token_embd.weight is of \(14,8\); expected \(14,9\)/,
    ],
    'another inner size': ['llama.feed_forward_length', 11, 'FORMAT', /ffn_gate.weight/],
    'eps 0': ['llama.attention.layer_norm_rms_epsilon', 0, 'FORMAT', /normEps of the model is 0/],
    'eps NaN': [
      'llama.attention.layer_norm_rms_epsilon',
      NaN,
      'FORMAT',
      /normEps of the model is NaN/,
    ],
    'theta infinite': [
      'llama.rope.freq_base',
      { type: 'f32', value: Infinity },
      'FORMAT',
      /ropeTheta/,
    ],
    'half of a head turned': [
      'llama.rope.dimension_count',
      4,
      'FORMAT',
      /rope.dimension_count is 4/,
    ],
    'a context beyond counting': [
      'llama.context_length',
      { type: 'u64', value: 2n ** 63n },
      'FORMAT',
      /context/,
    ],
    'no context': ['llama.context_length', 'none', 'FORMAT', /context/],
  };
  for (const [name, [key, value, code, message]] of Object.entries(changes))
    test(name, () => refuses(() => gguf('llama', { [key]: value }), code, message));
  test('no architecture', () =>
    refuses(() => gguf('llama', { 'general.architecture': 7 }), 'FORMAT', /general.architecture/));

  test('every size of config.json, a little more, a little less, and of other kinds', async () => {
    for (const key of [
      'hidden_size',
      'num_hidden_layers',
      'num_attention_heads',
      'num_key_value_heads',
      'head_dim',
      'intermediate_size',
      'vocab_size',
    ])
      for (const value of [
        SIZES.layers + 1,
        0,
        -1,
        1.5,
        1e300,
        '2',
        [2],
        {},
        { toString: 1, valueOf: 1 },
        true,
      ]) {
        const error = await refused(() => json('llama', { [key]: value }));
        assert.ok(error, `${key} ${JSON.stringify(value)}`);
        assert.equal(error.code, 'FORMAT');
      }
  });

  const without = (name) => (tensors) => tensors.filter((tensor) => tensor.name !== name);
  const withMore =
    (...more) =>
    (tensors) => [...tensors, ...more];
  /** Changes the tensors whose names end like this. */
  const changed = (end, change) => (tensors) =>
    tensors.map((tensor) =>
      tensor.name.endsWith(end) ? { ...tensor, ...change(tensor) } : tensor,
    );
  for (const [name, file, message] of [
    [
      'a norm that is missing',
      () => tinyGguf('qwen3', { edit: without('blk.1.attn_k_norm.weight') }),
      /blk.1.attn_k_norm.weight is missing/,
    ],
    [
      'a bias that is missing',
      () => tinyJson('qwen2', { edit: without('model.layers.0.self_attn.v_proj.bias') }),
      /v_proj.bias is missing; expected it, of shape \(6\)/,
    ],
    [
      'one bias of three',
      () => tinyGguf('llama', { edit: withMore({ name: 'blk.0.attn_q.bias', shape: [12] }) }),
      /attn_k.bias is missing; expected it/,
    ],
    [
      'a quantised norm of another shape',
      () =>
        tinyGguf('llama', {
          edit: changed('output_norm.weight', () => ({
            type: 'Q8_0',
            shape: [32],
            data: undefined,
          })),
        }),
      /output_norm.weight is of \(32\)/,
    ],
    [
      'a transposed matrix',
      () =>
        tinyJson('llama', {
          edit: changed('down_proj.weight', ({ shape }) => ({ shape: [...shape].reverse() })),
        }),
      /down_proj.weight is of \(10,8\); expected \(8,10\), which are modelDim, ffnDim/,
    ],
  ])
    test(`${name} is refused by name`, () => refuses(() => load(file()), 'FORMAT', message));

  test('a copy of a tied matrix and tables that follow from the config are not read', async () => {
    const needless = withMore(
      { name: 'lm_head.weight', shape: [14, 8] },
      { name: 'model.layers.0.self_attn.rotary_emb.inv_freq', shape: [3] },
    );
    assert.equal((await load(tinyJson('llama', { edit: needless }))).tensors.output, null);
  });
});
