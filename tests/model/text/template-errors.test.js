/** Messages and templates that cannot be used are refused by name. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspectModel, loadModel } from '../../../src/js/model/index.js';
import { hi, open, render } from '../../support/models/templates.js';
import { tinyGguf } from '../../support/models/tiny-models.js';
import { refuses } from '../../support/streams.js';

describe('refused templates', () => {
  test('messages that are not objects with a role and a text', async () => {
    const template = await open('x');
    for (const messages of [null, 'Hi', {}])
      await refuses(() => template.render(messages), 'ARG', /messages is/);
    await refuses(
      () => template.render([{ role: 'user' }]),
      'ARG',
      /^messages\[0\]\.content is undefined.* a string, null or a list of parts$/,
    );
    for (const message of [null, 'Hi', {}])
      await refuses(
        () => template.render([message]),
        'ARG',
        /^messages\[0\]\.role is undefined but required; expected a string$/,
      );
    await refuses(
      () => template.render([...hi, { role: 'user', content: ['Hi'] }]),
      'ARG',
      /^messages\[1\]\.content\[0\]\.type is undefined.* a string, such as "text"$/,
    );
  });

  test('options that are unknown, of another type or given twice', async () => {
    const template = await open('x');
    await refuses(
      () => template.render(hi, { add_generation_prompt: true }),
      'ARG',
      /add_generation_prompt/,
    );
    for (const [options, message] of [
      [{ variables: [] }, /^variables is an array of 0; expected an object$/],
      [{ addGenerationPrompt: 1 }, /^addGenerationPrompt is 1; expected true or false$/],
      [{ variables: { messages: [] } }, /^variables is given "messages"/],
      [
        { addGenerationPrompt: true, variables: { add_generation_prompt: true } },
        /^variables is given "add_generation_prompt"/,
      ],
    ])
      await refuses(() => template.render(hi, options), 'ARG', message);
  });

  test('objects of a class, in messages and variables, by their class', async () => {
    const template = await open('{{ messages }}{{ tools }}');
    class Message {
      role = 'user';
      get content() {
        return 'Hi';
      }
    }
    for (const [messages, options, message] of [
      [hi, { variables: { tools: new Map([['a', 1]]) } }, /^variables\.tools is of class Map; /],
      [hi, { variables: { a: [new Date(0)] } }, /^variables\.a\[0\] is of class Date; /],
      [hi, { variables: { a: new Uint8Array(2) } }, /^variables\.a is Uint8Array of 2 bytes; /],
      [hi, { variables: new Map([['a', 1]]) }, /^variables is of class Map; expected an object$/],
      [[new Message()], {}, /^messages\[0\] is of class Message; expected a value that JSON has$/],
    ])
      await refuses(() => template.render(messages, options), 'ARG', message);
    const plain = Object.assign(Object.create(null), { a: 1 });
    assert.equal(template.render([], { variables: { tools: plain } }), "[]{'a': 1}");
  });

  test('values that JSON has not, in messages and variables', async () => {
    const template = await open('x');
    await refuses(
      () => template.render([{ ...hi[0], n: [2 ** 60] }]),
      'ARG',
      /^messages\[0\]\.n\[0\] is 1152921504606847000; expected a whole number below 2\^53/,
    );
    await refuses(
      () => template.render(hi, { variables: { f: () => 1 } }),
      'ARG',
      /^variables\.f is of type function; expected a value that JSON has$/,
    );
  });
  test('refusals by the template itself', () =>
    refuses(
      () => render("{{ raise_exception('roles must alternate') }}"),
      'ARG',
      /refuses these messages: roles must alternate/,
    ));
  const unusable = {
    'a template that is no text': [3, 'LIMIT', /chat template is 3/],
    'a template too long': ['a'.repeat(1e5), 'LIMIT', /100000 characters/],
    'what is not Jinja': ['{% for %}', 'FORMAT', /chat template failed/],
    'a statement that is not known': [
      '{% include "x" %}',
      'FORMAT',
      /Unknown statement type: include/,
    ],
  };
  for (const [name, [template, code, message]] of Object.entries(unusable))
    test(`${name}, when it is used`, async () => {
      const opened = await open(template);
      assert.equal(opened.error.code, code);
      await refuses(() => opened.render(hi), code, message);
    });
  test('and the model works without it', async () => {
    const source = tinyGguf('llama', {
      metadata: { 'tokenizer.chat_template': '{% include "x" %}' },
    });
    const model = await loadModel(source);
    assert.equal(model.prefill([1, 2]).logits.length, 14);
    assert.throws(() => model.chat(hi), {
      code: 'FORMAT',
      message: /Unknown statement type: include/,
    });
    assert.equal((await inspectModel(source)).hasTemplate, false);
    assert.equal(
      (await inspectModel(tinyGguf('llama', { metadata: { 'tokenizer.chat_template': 'x' } })))
        .hasTemplate,
      true,
    );
    model.dispose();
  });
});
