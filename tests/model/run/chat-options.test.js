/** Options of `chat` that it has not; the same with a model in a worker. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { loadModel as loadRemote } from '../../../src/js/worker/client.js';
import { tinyGguf } from '../../support/models/tiny-models.js';

const hi = [{ role: 'user', content: 'ab' }];
const template = '{% for m in messages %}{{ m.content }}{% endfor %}{% if mood %}b{% endif %}';
let models;
before(async () => {
  const file = () => tinyGguf('llama', { metadata: { 'tokenizer.chat_template': template } });
  models = [await loadModel(file()), await loadRemote(file())];
});
after(async () => {
  for (const model of models) await model.dispose();
});

for (const [option, message] of [
  ['tools', /^options is given "tools"; expected it in variables: \{ tools \}$/],
  ['enable_thinking', /^options is given "enable_thinking"; expected it in variables: /],
  ['mood', /^options is given "mood"; expected it in variables: \{ mood \}$/],
  ['add_generation_prompt', /; did you mean addGenerationPrompt\?$/],
  ['variable', /; did you mean variables\?$/],
  ['max_tokens', /; did you mean maxTokens\?$/],
  ['zebra', /; expected only .*\baddGenerationPrompt variables\b.* maxTokens\b/],
  ['temperature', /^options is given "temperature"; expected tau, /],
])
  test(`the option "${option}" is refused with the place or the name it should have`, async () => {
    for (const model of models)
      await assert.rejects(async () => model.chat(hi, { [option]: false }).next(), {
        name: 'ClearheadError',
        code: 'ARG',
        message,
      });
  });
