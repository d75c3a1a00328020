/** One configuration and one list of tensors, from GGUF and from config.json. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { gguf, json, load } from '../../support/models/read-config.js';
import { SIZES, tinyGguf, tinyJson } from '../../support/models/tiny-models.js';

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
    outBias: false,
    ffnBias: false,
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
    const differing = at(
      gguf(
        'llama',
        { 'llama.attention.head_count_kv': Int32Array.of(1, 1), 'llama.rope.freq_base': 5e5 },
        { tied: false },
      ),
    );
    await differing('kvHeads', 1);
    await differing('ropeTheta', 5e5);
    await differing('tiedOutput', false);
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
});
