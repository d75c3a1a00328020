/** Random configurations give an error of ours or a model. */
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { tinyGguf, tinyJson } from '../../support/models/tiny-models.js';
import { random } from '../../support/random.js';
import { loadWhole, refused } from '../../support/streams.js';

describe('a damaged configuration gives an error of ours or a model', () => {
  test('with anything in any key of config.json', async () => {
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

  test('with a thousand random changes of metadata', async () => {
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
