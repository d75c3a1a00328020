/** The caches of published models, which the page shows in bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cacheBytes,
  configOf,
  kindOf,
  MODELS,
  unsharedBytes,
} from '../../web/panels/sharing/caches.js';

/** By hand from config.json: kilobytes of a token, without sharing, and the kind. */
const KNOWN = {
  'GPT-2': [36, 36, 'MHA'],
  'SmolLM2 135M': [22.5, 67.5, 'GQA'],
  'Qwen2.5 0.5B': [12, 84, 'GQA'],
  'Llama 3.2 1B': [32, 128, 'GQA'],
  'Gemma 2B': [18, 144, 'MQA'],
  'Llama 2 7B': [512, 512, 'MHA'],
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
