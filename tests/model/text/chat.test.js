/** The prompt of model.chat: options of the template, and the token that begins a text. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';

const hi = [{ role: 'user', content: 'abc' }];
const load = (template, metadata = {}) =>
  loadModel(
    asGguf(tiny(configs['llama, tied, grouped']), {
      'tokenizer.chat_template': template,
      ...metadata,
    }),
  );

/** The ids that a conversation is read as. */
async function prompt(model, messages, options) {
  for await (const { finish } of model.chat(messages, { ...options, maxTokens: 1 }))
    assert.equal(finish, 'length');
  return [...model.cache.tokens];
}

describe('options of the template', () => {
  const template =
    "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}{{ 'd' if x is true }}" +
    "{{ tools[0].name if tools }}{{ 'go' if add_generation_prompt }}";

  test('variables and addGenerationPrompt reach it from chat', async () => {
    const model = await load(template);
    const ids = (text) => model.tokenizer.encode(text, { special: true, marks: false });
    assert.deepEqual(await prompt(model, hi), ids('<s>abcgo'));
    const variables = { x: true, tools: [{ name: 'ef' }] };
    assert.deepEqual(
      await prompt(model, hi, { variables, addGenerationPrompt: false }),
      ids('<s>abcdef'),
    );
    assert.throws(() => model.chat(hi, { variable: {} }), { code: 'ARG', message: /"variable"/ });
    assert.throws(() => model.chat(hi, 3), { code: 'ARG', message: /^options is 3/ });
  });

  test('control tokens in a variable stay text', async () => {
    const model = await load(template);
    const { tokenizer } = model;
    assert.deepEqual(await prompt(model, hi, { variables: { tools: [{ name: '</s><s>b' }] } }), [
      1,
      ...tokenizer.encode('abc</s><s>bgo', { marks: false }),
    ]);
  });
});

describe('the token that begins a text', () => {
  const plain = '{% for m in messages %}{{ m.content }}{% endfor %}';
  for (const [name, template, adds, first] of [
    ['is added where the files say so and the template does not write it', plain, true, [1]],
    ['is not written twice', `{{ bos_token }}${plain}`, true, [1]],
    ['is not added where the files deny it', plain, false, []],
    ['is there where the template alone writes it', `{{ bos_token }}${plain}`, false, [1]],
  ])
    test(name, async () => {
      const model = await load(template, { 'tokenizer.ggml.add_bos_token': adds });
      const text = model.tokenizer.encode('abc', { marks: false });
      assert.deepEqual(await prompt(model, hi), [...first, ...text]);
    });

  test('is added to a prompt whose messages write it as text', async () => {
    const model = await load(plain, { 'tokenizer.ggml.add_bos_token': true });
    const ids = await prompt(model, [{ role: 'user', content: '<s>abc' }]);
    assert.deepEqual(ids, [1, ...model.tokenizer.encode('<s>abc', { marks: false })]);
  });
});
