/** The caches of published models, which the page shows in bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whole } from '../../web/plot/format.js';
import { likeOf } from '../../web/panels/many-heads/caches.js';
import {
  cacheBytes,
  configOf,
  kindOf,
  MODELS,
  unsharedBytes,
} from '../../web/panels/sharing/caches.js';
import { kilobytes, megabytes } from '../../web/panels/sharing/caches-table.js';

/** Worked out by hand: kilobytes of a token, the same without sharing, and the kind. */
const KNOWN = {
  'GPT-2': [36, 36, 'MHA'],
  'SmolLM2 135M': [22.5, 67.5, 'GQA'],
  'Qwen2.5 0.5B': [12, 84, 'GQA'],
  'Llama 3.2 1B': [32, 128, 'GQA'],
  'Gemma 2B': [18, 144, 'MQA'],
  'Llama 2 7B': [512, 512, 'MHA'],
  'Qwen3 0.6B': [112, 224, 'GQA'],
  'Llama 3.1 8B': [128, 512, 'GQA'],
  'DeepSeek-V2': [67.5, 3840, 'MLA'],
};

test('the caches from MHA to MLA are those of the models’ configurations', () => {
  const shown = MODELS.map((model) => [
    model.name,
    [cacheBytes(model) / 1024, unsharedBytes(model) / 1024, kindOf(model).slice(0, 3)],
  ]);
  assert.deepEqual(Object.fromEntries(shown), KNOWN);
  for (const model of MODELS)
    assert.match(
      configOf(model),
      /^https:\/\/huggingface\.co\/[\w-]+\/[\w.-]+\/blob\/main\/config\.json$/,
    );
});

test('bytes are told in three figures, or in whole units', () => {
  assert.deepEqual(
    [22.5, 112, 3840].map((each) => kilobytes(1024 * each)),
    ['22.5 KB', '112 KB', '3,840 KB'],
  );
  const ofText = ['Qwen3 0.6B', 'DeepSeek-V2'].map((name) =>
    MODELS.find((each) => each.name === name),
  );
  assert.deepEqual(
    ofText.flatMap((model) =>
      [cacheBytes(model), unsharedBytes(model)].map((each) => megabytes(1024 * each)),
    ),
    ['112 MB', '224 MB', '67.5 MB', '3,840 MB'],
  );
});

test('thousands have a comma on the page', () => {
  assert.deepEqual([36, 999, 3840, 1234567].map(whole), ['36', '999', '3,840', '1,234,567']);
});

test('each way to share has a model that shares so, where one is listed', () => {
  const like = [
    [8, 8, 'GPT-2'],
    [8, 4, 'Qwen3 0.6B'],
    [8, 2, 'Llama 3.1 8B'],
    [8, 1, 'Gemma 2B'],
    [10, 2, undefined],
  ];
  for (const [H, G, name] of like) assert.equal(likeOf(H, G)?.name, name);
});
