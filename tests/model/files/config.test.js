/**
 * One configuration for every supported architecture in both formats, and the place of every
 * tensor. Refusals name the feature that is not supported.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../../src/js/model/files/config.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { matchTensors } from '../../../src/js/model/files/tensors.js';
import { random } from '../../support/random.js';
import { loadWhole, refused, refuses } from '../../support/streams.js';
import { SIZES, tinyGguf, tinyJson } from '../../support/models/tiny-models.js';

const load = async (source) => {
  const file = await openModel(source);
  const config = await readConfig(file);
  return { config, tensors: matchTensors(config, file) };
};
const gguf = async (architecture, metadata, more) =>
  (await load(tinyGguf(architecture, { metadata, ...more }))).config;
const json = async (architecture, config, more) =>
  (await load(tinyJson(architecture, { config, ...more }))).config;

describe('the four architectures', () => {
  const scale = 1 / Math.sqrt(SIZES.headDim);
  const common = {
    ...SIZES,
    normEps: 1e-5,
    normOffset: 0,
    ropeTheta: 10000,
    ropeLocalTheta: 10000,
    ropeScaling: { type: 'none' },
    tiedOutput: true,
    slidingWindow: 0,
    localLayers: [false, false],
    embeddingScale: 1,
    attnSoftcap: 0,
    finalSoftcap: 0,
    attnScale: scale,
    activation: 'silu',
    qkvBias: false,
    qkNorm: false,
    postNorms: false,
  };
  const gemma = {
    qkNorm: true,
    postNorms: true,
    activation: 'gelu_tanh',
    embeddingScale: Math.fround(Math.sqrt(SIZES.modelDim)),
  };
  /** The architecture, its own fields, and those of GGUF and config.json for them. */
  const table = {
    llama: [{}, {}, {}],
    qwen2: [{ qkvBias: true }, {}, { sliding_window: 32768, use_sliding_window: false }],
    qwen3: [
      { qkNorm: true, ropeTheta: 1e6, ropeLocalTheta: 1e6 },
      { 'qwen3.rope.freq_base': { type: 'f32', value: 1e6 } },
      { rope_theta: 1000000 },
    ],
    gemma3: [
      { ...gemma, slidingWindow: 4, localLayers: [true, true], ropeTheta: 1e6 },
      {
        'gemma3.attention.sliding_window': 4,
        'gemma3.rope.freq_base': { type: 'f32', value: 1e6 },
      },
      {
        sliding_window: 4,
        sliding_window_pattern: 6,
        rope_theta: 1000000,
        rope_local_base_freq: 10000,
        hidden_activation: 'gelu_pytorch_tanh',
        query_pre_attn_scalar: SIZES.headDim,
      },
    ],
  };
  for (const [architecture, [own, metadata, config]] of Object.entries(table)) {
    test(`${architecture} from GGUF`, async () => {
      const got = await gguf(architecture, metadata);
      const layout = architecture === 'llama' ? 'interleaved' : 'half';
      assert.deepEqual(
        { ...got, normEps: 1e-5 },
        { ...common, ...own, architecture, ropeLayout: layout },
      );
      assert.equal(got.normEps, Math.fround(1e-5));
    });
    test(`${architecture} from config.json`, async () =>
      assert.deepEqual(await json(architecture, config), {
        ...common,
        ...own,
        architecture,
        ropeLayout: 'half',
        normOffset: architecture === 'gemma3' ? 1 : 0,
      }));
    test(`${architecture}: every tensor has its place`, async () => {
      for (const source of [
        tinyGguf(architecture, { metadata, tied: false }),
        tinyJson(architecture, { config, tied: false }),
      ]) {
        const { tensors } = await load(source);
        const { layers, ...model } = tensors;
        const all = [model, ...layers].flatMap((one) => Object.values(one)).filter(Boolean);
        assert.equal(
          new Set(all.map(({ name }) => name)).size,
          (await openModel(source)).tensors.length,
        );
        assert.deepEqual(model.output.shape, [SIZES.vocab, SIZES.modelDim]);
        assert.deepEqual(layers[1].k.shape, [SIZES.kvHeads * SIZES.headDim, SIZES.modelDim]);
        assert.equal(layers[0].attnPostNorm !== null, architecture === 'gemma3');
        // the two norms of a Llama and the four of a Gemma share a name for different things
        if (layers[0].attnNorm.name.startsWith('model.'))
          assert.match(
            layers[0].ffnNorm.name,
            architecture === 'gemma3' ? /pre_feedforward/ : /post_attention/,
          );
      }
    });
  }
});

describe('settings', () => {
  const at = (fields) => async (key, expected) => assert.deepEqual((await fields)[key], expected);
  test('of GGUF: defaults, values per layer, untied output, windows, softcap', async () => {
    const few = at(
      gguf(
        'llama',
        { 'llama.attention.head_count_kv': Int32Array.of(1, 1), 'llama.rope.freq_base': 5e5 },
        { tied: false },
      ),
    );
    await few('kvHeads', 1);
    await few('ropeTheta', 5e5);
    await few('tiedOutput', false);
    const period = at(
      gguf('gemma3', {
        'gemma3.attention.sliding_window': 8,
        'gemma3.attention.sliding_window_pattern': 2,
        'gemma3.final_logit_softcapping': 30,
      }),
    );
    await period('localLayers', [true, false]);
    await period('finalSoftcap', 30);
    await period('slidingWindow', 8);
    await at(
      gguf('gemma3', {
        'gemma3.attention.sliding_window': 8,
        'gemma3.attention.sliding_window_pattern': {
          type: 'array',
          value: ['bool', [false, true]],
        },
      }),
    )('localLayers', [false, true]);
  });

  test('rope scalings of GGUF', async () => {
    const factors = (tensors) => [
      ...tensors,
      { name: 'rope_freqs.weight', shape: [SIZES.headDim / 2] },
    ];
    const { config, tensors } = await load(tinyGguf('llama', { edit: factors }));
    assert.deepEqual(config.ropeScaling, { type: 'factors' });
    assert.deepEqual(tensors.ropeFactors.shape, [3]);
    const scaling = (more) =>
      at(
        gguf(
          'qwen2',
          Object.fromEntries(
            Object.entries(more).map(([key, value]) => [`qwen2.rope.scaling.${key}`, value]),
          ),
        ),
      );
    await scaling({ type: 'none', factor: 4 })('ropeScaling', { type: 'none' });
    await scaling({ factor: 8 })('ropeScaling', { type: 'linear', factor: 8 }); // as llama.cpp does
    for (const none of [{}, { factor: 0 }, { factor: 1 }])
      await scaling(none)('ropeScaling', { type: 'none' });
    await scaling({ type: 'linear', factor: 8 })('ropeScaling', { type: 'linear', factor: 8 });
    await scaling({ type: 'linear', factor: { type: 'f32', value: 0 } })('ropeScaling', {
      type: 'none',
    });
    await scaling({ type: 'yarn', factor: 4, original_context_length: 32 })('ropeScaling', {
      type: 'yarn',
      factor: 4,
      originalContext: 32,
      betaFast: 32,
      betaSlow: 1,
      truncate: true,
      mscale: 0,
      mscaleAllDim: 0,
      attentionScale: 1,
    });
    await at(
      gguf('qwen2', {
        'qwen2.context_length': 32768,
        'qwen2.rope.scaling.type': 'yarn',
        'qwen2.rope.scaling.factor': 4,
      }),
    )('context', 131072);
    await refuses(
      () =>
        gguf('qwen2', { 'qwen2.rope.scaling.type': 'longrope', 'qwen2.rope.scaling.factor': 2 }),
      'FORMAT',
      /rope.scaling.type is "longrope"/,
    );
  });

  test('rope settings of config.json, in the older spelling and the newer', async () => {
    const llama3 = {
      rope_type: 'llama3',
      factor: 32,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    };
    const want = {
      type: 'llama3',
      factor: 32,
      lowFreqFactor: 1,
      highFreqFactor: 4,
      originalContext: 8192,
    };
    for (const config of [
      { rope_theta: 5e5, rope_scaling: llama3 },
      { rope_parameters: { rope_theta: 5e5, ...llama3 } },
    ]) {
      const got = await json('llama', config);
      assert.deepEqual([got.ropeTheta, got.ropeScaling], [5e5, want]);
    }
    const rope = (rope_scaling) => at(json('llama', { rope_scaling }));
    await rope({ type: 'linear', factor: 2 })('ropeScaling', { type: 'linear', factor: 2 });
    await rope({ type: 'dynamic', factor: 2 })('ropeScaling', { type: 'none' });
    await rope({ rope_type: 'yarn', factor: 4, mscale: 1, mscale_all_dim: 1, truncate: false })(
      'ropeScaling',
      {
        type: 'yarn',
        factor: 4,
        originalContext: SIZES.context,
        betaFast: 32,
        betaSlow: 1,
        truncate: false,
        mscale: 1,
        mscaleAllDim: 1,
      },
    );
    await rope({ rope_type: 'yarn', factor: 4, attention_factor: 1.5, mscale: 9 })('ropeScaling', {
      type: 'yarn',
      factor: 4,
      originalContext: SIZES.context,
      betaFast: 32,
      betaSlow: 1,
      truncate: true,
      attentionFactor: 1.5,
    });
    const contexts = async (max_position_embeddings, scaling) =>
      (await json('llama', { max_position_embeddings, rope_scaling: scaling })).context;
    const yarn = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 32768 };
    assert.deepEqual(
      await Promise.all([
        contexts(32768, yarn),
        contexts(131072, yarn),
        contexts(40960, yarn),
        contexts(262144, yarn),
        contexts(32768, { rope_type: 'yarn', factor: 4 }),
      ]),
      [131072, 131072, 131072, 262144, 131072],
      'YaRN makes it longer, whether the file says so or not',
    );
    assert.deepEqual(
      await Promise.all([
        contexts(16384, { type: 'linear', factor: 4 }),
        contexts(131072, llama3),
        contexts(4096, { type: 'dynamic', factor: 2 }),
      ]),
      [16384, 131072, 4096],
    );
    for (const [mscale, message] of [
      [-1, /mscale of the model is -1/],
      ['1', /mscale of the model is "1"/],
      [2e6, /mscale of the model/],
      [NaN, /mscale of the model/],
    ])
      await refuses(
        () =>
          json('llama', {
            rope_scaling: { rope_type: 'yarn', factor: 4, mscale, mscale_all_dim: 1 },
          }),
        'FORMAT',
        message,
      );
    const kinds = await json('gemma3', {
      layer_types: ['sliding_attention', 'full_attention'],
      sliding_window: 5,
      query_pre_attn_scalar: 16,
      final_logit_softcapping: null,
      rope_parameters: {
        full_attention: { rope_type: 'linear', factor: 8, rope_theta: 2e6 },
        sliding_attention: { rope_type: 'default', rope_theta: 3e4 },
      },
    });
    assert.deepEqual(
      [
        kinds.localLayers,
        kinds.slidingWindow,
        kinds.ropeTheta,
        kinds.ropeLocalTheta,
        kinds.ropeScaling,
        kinds.attnScale,
        kinds.finalSoftcap,
      ],
      [[true, false], 5, 2e6, 3e4, { type: 'linear', factor: 8 }, 0.25, 0],
    );
    await refuses(
      () => json('llama', { rope_scaling: { rope_type: 'longrope', factor: 2 } }),
      'FORMAT',
      /rope_type is "longrope"/,
    );
    // a file that is there but cannot be read is an error
    for (const odd of ['8', 8, ['llama3', 8], true]) {
      await refuses(
        () => json('llama', { rope_scaling: odd }),
        'FORMAT',
        /^rope_scaling is .*; expected an object/,
      );
      await refuses(
        () => json('llama', { rope_parameters: odd }),
        'FORMAT',
        /^rope_parameters is .*; expected an object/,
      );
      for (const kind of ['full_attention', 'sliding_attention'])
        await refuses(
          () => json('gemma3', { rope_parameters: { [kind]: odd } }),
          'FORMAT',
          new RegExp(`^${kind} of rope_parameters is .*; expected an object`),
        );
    }
    for (const untold of [{ factor: 8 }, { rope_type: null, factor: 8 }])
      for (const name of ['rope_scaling', 'rope_parameters'])
        await refuses(
          () => json('llama', { [name]: untold }),
          'FORMAT',
          /^rope_type is not given; expected the kind of scaling that the factor 8 is for/,
        );
    for (const none of [null, {}, { rope_type: 'default' }, { factor: 1 }])
      await rope(none)('ropeScaling', { type: 'none' });
    await refuses(
      () => json('llama', { rope_parameters: { partial_rotary_factor: 0.25 } }),
      'FORMAT',
      /partial_rotary_factor is 0.25/,
    );
    await refuses(
      () => json('llama', { rope_scaling: { ...llama3, low_freq_factor: 4 } }),
      'FORMAT',
      /lowFreqFactor is 4; expected less/,
    );
  });
});

describe('what is not supported is named', () => {
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
  test('biases where none are known', async () => {
    await refuses(
      () => json('llama', { attention_bias: true }),
      'FORMAT',
      /^attention_bias is true; expected false/,
    );
    await refuses(
      () => json('qwen3', { attention_bias: 'false' }),
      'FORMAT',
      /^attention_bias is "false"; expected false/,
    );
    await refuses(() => json('qwen2', { mlp_bias: true }), 'FORMAT', /^mlp_bias is true/);
    assert.equal(
      (await json('qwen2', { attention_bias: true, mlp_bias: false })).architecture,
      'qwen2',
    );
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

describe('what contradicts itself is refused before a weight is read', () => {
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

  test('every key of config.json holding anything', async () => {
    const keys = [
      'model_type',
      'rms_norm_eps',
      'rope_theta',
      'rope_scaling',
      'rope_parameters',
      'max_position_embeddings',
      'hidden_act',
      'hidden_activation',
      'tie_word_embeddings',
      'layer_types',
      'sliding_window',
      'sliding_window_pattern',
      'query_pre_attn_scalar',
      'attn_logit_softcapping',
      'final_logit_softcapping',
      'rope_local_base_freq',
      'num_local_experts',
      'head_dim',
    ];
    const odd = [
      null,
      0,
      -1,
      1e308,
      'x',
      '',
      [],
      [[]],
      {},
      { toString: 1, valueOf: 1 },
      true,
      false,
      { rope_type: {} },
      { full_attention: 1, sliding_attention: [] },
      { rope_type: 'yarn', factor: 'x' },
    ];
    for (const architecture of ['llama', 'gemma3'])
      for (const key of keys)
        for (const value of odd)
          await refused(() => loadWhole(tinyJson(architecture, { config: { [key]: value } })));
  });

  test('missing, unexpected, misshapen and quantised tensors', async () => {
    const without = (name) => (tensors) => tensors.filter((tensor) => tensor.name !== name);
    await refuses(
      () => load(tinyGguf('qwen3', { edit: without('blk.1.attn_k_norm.weight') })),
      'FORMAT',
      /blk.1.attn_k_norm.weight is missing/,
    );
    await refuses(
      () => load(tinyJson('qwen2', { edit: without('model.layers.0.self_attn.v_proj.bias') })),
      'FORMAT',
      /v_proj.bias is missing; expected it, of shape \(6\)/,
    );
    await refuses(
      () =>
        load(
          tinyGguf('llama', {
            edit: (tensors) => [...tensors, { name: 'blk.0.attn_q.bias', shape: [12] }],
          }),
        ),
      'FORMAT',
      /attn_k.bias is missing; expected it/,
    );
    await refuses(
      () =>
        load(
          tinyGguf('llama', {
            edit: (tensors) =>
              tensors.map((tensor) =>
                tensor.name === 'output_norm.weight'
                  ? { ...tensor, type: 'Q8_0', shape: [32], data: undefined }
                  : tensor,
              ),
          }),
        ),
      'FORMAT',
      /output_norm.weight is of \(32\)/,
    );
    const turned = (tensors) =>
      tensors.map((tensor) =>
        tensor.name.endsWith('down_proj.weight')
          ? { ...tensor, shape: [...tensor.shape].reverse() }
          : tensor,
      );
    await refuses(
      () => load(tinyJson('llama', { edit: turned })),
      'FORMAT',
      /down_proj.weight is of \(10,8\); expected \(8,10\), which are modelDim, ffnDim/,
    );
    // a copy of a tied matrix, and tables that follow from the configuration, are let through
    const needless = (tensors) => [
      ...tensors,
      { name: 'lm_head.weight', shape: [14, 8] },
      { name: 'model.layers.0.self_attn.rotary_emb.inv_freq', shape: [3] },
    ];
    assert.equal((await load(tinyJson('llama', { edit: needless }))).tensors.output, null);
  });

  test('a thousand random changes of metadata', async () => {
    const r = random(11);
    const keys = [
      ...(
        await openModel(
          tinyGguf('gemma3', {
            metadata: {
              'gemma3.attention.sliding_window': 4,
              'gemma3.rope.scaling.type': 'yarn',
              'gemma3.rope.scaling.factor': 2,
            },
          }),
        )
      ).metadata.keys(),
    ];
    for (let i = 0; i < 1000; i++) {
      const value = r.pick([
        0,
        1,
        2,
        7,
        2 ** 31,
        NaN,
        '',
        'yarn',
        true,
        { type: 'i64', value: -1 },
        { type: 'u64', value: 2n ** 64n - 1n },
        new Float32Array([1, NaN]),
        Int32Array.of(2, 2),
        ['a', ''],
        { type: 'array', value: ['array', []] },
      ]);
      await refused(() =>
        loadWhole(
          tinyGguf('gemma3', {
            metadata: { 'gemma3.attention.sliding_window': 4, [r.pick(keys)]: value },
          }),
        ),
      );
    }
  });
});
