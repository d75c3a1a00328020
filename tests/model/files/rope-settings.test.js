/** Rotary settings of both formats, in every spelling. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gguf, json, load } from '../../support/models/read-config.js';
import { SIZES, tinyGguf } from '../../support/models/tiny-models.js';
import { refuses } from '../../support/streams.js';

describe('settings', () => {
  const at = (fields) => async (key, expected) => assert.deepEqual((await fields)[key], expected);

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
