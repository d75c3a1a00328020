/** Rotary settings of both formats, in every spelling. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { gguf, json, load } from '../../support/models/read-config.js';
import { SIZES, tinyGguf } from '../../support/models/tiny-models.js';
import { refuses } from '../../support/streams.js';

describe('rope scalings of GGUF', () => {
  const read = (settings) =>
    gguf(
      'qwen2',
      Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [`qwen2.rope.${key}`, value]),
      ),
    );
  const none = { type: 'none' };
  const linear = { type: 'linear', factor: 8 };

  for (const [name, settings, want] of [
    ['none is none, whatever its factor', { 'scaling.type': 'none', 'scaling.factor': 4 }, none],
    ['a factor alone is linear, as in llama.cpp', { 'scaling.factor': 8 }, linear],
    ['without settings there is none', {}, none],
    ['a factor of 0 is none', { 'scaling.factor': 0 }, none],
    ['a factor of 1 is none', { 'scaling.factor': 1 }, none],
    ['linear has its factor', { 'scaling.type': 'linear', 'scaling.factor': 8 }, linear],
    [
      'linear with a factor of 0 is none',
      { 'scaling.type': 'linear', 'scaling.factor': { type: 'f32', value: 0 } },
      none,
    ],
    [
      'YaRN has the usual settings where the file has none',
      {
        'scaling.type': 'yarn',
        'scaling.factor': 4,
        'scaling.original_context_length': 32,
      },
      {
        type: 'yarn',
        factor: 4,
        originalContext: 32,
        betaFast: 32,
        betaSlow: 1,
        truncate: true,
        mscale: 0,
        mscaleAllDim: 0,
        attentionScale: 1,
      },
    ],
  ])
    test(name, async () => assert.deepEqual((await read(settings)).ropeScaling, want));

  test('factors come as a tensor', async () => {
    const factors = (tensors) => [
      ...tensors,
      { name: 'rope_freqs.weight', shape: [SIZES.headDim / 2] },
    ];
    const { config, tensors } = await load(tinyGguf('llama', { edit: factors }));
    assert.deepEqual(config.ropeScaling, { type: 'factors' });
    assert.deepEqual(tensors.ropeFactors.shape, [3]);
  });

  test('YaRN makes the context longer by its factor', async () => {
    const { context } = await gguf('qwen2', {
      'qwen2.context_length': 32768,
      'qwen2.rope.scaling.type': 'yarn',
      'qwen2.rope.scaling.factor': 4,
    });
    assert.equal(context, 131072);
  });

  test('another type is refused', () =>
    refuses(
      () => read({ 'scaling.type': 'longrope', 'scaling.factor': 2 }),
      'FORMAT',
      /rope.scaling.type is "longrope"/,
    ));
});

describe('rope scalings of config.json', () => {
  const none = { type: 'none' };
  const yarn = {
    type: 'yarn',
    factor: 4,
    originalContext: SIZES.context,
    betaFast: 32,
    betaSlow: 1,
  };
  for (const [name, rope_scaling, want] of [
    ['null is none', null, none],
    ['an empty object is none', {}, none],
    ['the default is none', { rope_type: 'default' }, none],
    ['a factor of 1 is none', { factor: 1 }, none],
    ['linear has its factor', { type: 'linear', factor: 2 }, { type: 'linear', factor: 2 }],
    ['dynamic is none within the context', { type: 'dynamic', factor: 2 }, none],
    [
      'YaRN has the scales of the file',
      { rope_type: 'yarn', factor: 4, mscale: 1, mscale_all_dim: 1, truncate: false },
      { ...yarn, truncate: false, mscale: 1, mscaleAllDim: 1 },
    ],
    [
      'an attention factor goes before a scale',
      { rope_type: 'yarn', factor: 4, attention_factor: 1.5, mscale: 9 },
      { ...yarn, truncate: true, attentionFactor: 1.5 },
    ],
  ])
    test(name, async () =>
      assert.deepEqual((await json('llama', { rope_scaling })).ropeScaling, want),
    );
});

const llama3 = {
  rope_type: 'llama3',
  factor: 32,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};

describe('rope settings of config.json', () => {
  for (const [spelling, config] of [
    ['older', { rope_theta: 5e5, rope_scaling: llama3 }],
    ['newer', { rope_parameters: { rope_theta: 5e5, ...llama3 } }],
  ])
    test(`are read in the ${spelling} spelling`, async () => {
      const { ropeTheta, ropeScaling } = await json('llama', config);
      assert.equal(ropeTheta, 5e5);
      assert.deepEqual(ropeScaling, {
        type: 'llama3',
        factor: 32,
        lowFreqFactor: 1,
        highFreqFactor: 4,
        originalContext: 8192,
      });
    });

  test('may differ between layers of full and of sliding attention', async () => {
    const config = await json('gemma3', {
      layer_types: ['sliding_attention', 'full_attention'],
      sliding_window: 5,
      query_pre_attn_scalar: 16,
      final_logit_softcapping: null,
      rope_parameters: {
        full_attention: { rope_type: 'linear', factor: 8, rope_theta: 2e6 },
        sliding_attention: { rope_type: 'default', rope_theta: 3e4 },
      },
    });
    const want = {
      localLayers: [true, false],
      slidingWindow: 5,
      ropeTheta: 2e6,
      ropeLocalTheta: 3e4,
      ropeScaling: { type: 'linear', factor: 8 },
      attnScale: 0.25,
      finalSoftcap: 0,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, config[key]])), want);
  });
});

describe('the context of config.json', () => {
  const yarn = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 32768 };
  for (const [name, max_position_embeddings, rope_scaling, want] of [
    ['is made longer by YaRN where the file does not say so', 32768, yarn, 131072],
    ['is made longer by YaRN where the file says so', 131072, yarn, 131072],
    ['is made longer by YaRN where the file says less', 40960, yarn, 131072],
    ['stays longer than YaRN makes it', 262144, yarn, 262144],
    [
      'is made longer by YaRN without an original context',
      32768,
      { rope_type: 'yarn', factor: 4 },
      131072,
    ],
    ['stays with linear scaling', 16384, { type: 'linear', factor: 4 }, 16384],
    ['stays with llama3 scaling', 131072, llama3, 131072],
    ['stays with dynamic scaling', 4096, { type: 'dynamic', factor: 2 }, 4096],
  ])
    test(name, async () =>
      assert.equal((await json('llama', { max_position_embeddings, rope_scaling })).context, want),
    );
});

describe('rope settings of config.json are refused', () => {
  for (const [name, config, message] of [
    [
      'of a type that is not known',
      { rope_scaling: { rope_type: 'longrope', factor: 2 } },
      /rope_type is "longrope"/,
    ],
    [
      'that rotate a part of the channels',
      { rope_parameters: { partial_rotary_factor: 0.25 } },
      /partial_rotary_factor is 0.25/,
    ],
    [
      'whose low frequency is not below the high one',
      { rope_scaling: { ...llama3, low_freq_factor: 4 } },
      /lowFreqFactor is 4; expected less/,
    ],
  ])
    test(name, () => refuses(() => json('llama', config), 'FORMAT', message));

  for (const [mscale, message] of [
    [-1, /mscale of the model is -1/],
    ['1', /mscale of the model is "1"/],
    [2e6, /mscale of the model/],
    [NaN, /mscale of the model/],
  ])
    test(`whose mscale is ${inspect(mscale)}`, () => {
      const rope_scaling = { rope_type: 'yarn', factor: 4, mscale, mscale_all_dim: 1 };
      return refuses(() => json('llama', { rope_scaling }), 'FORMAT', message);
    });

  for (const odd of ['8', 8, ['llama3', 8], true])
    for (const [model, name, config] of [
      ['llama', 'rope_scaling', { rope_scaling: odd }],
      ['llama', 'rope_parameters', { rope_parameters: odd }],
      ...['full_attention', 'sliding_attention'].map((kind) => [
        'gemma3',
        `${kind} of rope_parameters`,
        { rope_parameters: { [kind]: odd } },
      ]),
    ])
      test(`where ${name} is ${JSON.stringify(odd)}`, () =>
        refuses(
          () => json(model, config),
          'FORMAT',
          new RegExp(`^${name} is .*; expected an object`),
        ));

  for (const untold of [{ factor: 8 }, { rope_type: null, factor: 8 }])
    for (const name of ['rope_scaling', 'rope_parameters'])
      test(`where ${name} is ${JSON.stringify(untold)}, a factor without a type`, () =>
        refuses(
          () => json('llama', { [name]: untold }),
          'FORMAT',
          /^rope_type is not given; expected the kind of scaling that the factor 8 is for/,
        ));
});
