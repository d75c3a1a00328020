/** Chat templates write the prompts of models. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { openTemplate } from '../../../src/js/model/text/template.js';
import { ggufTokenizer } from '../../../src/js/model/text/tokenizer-gguf.js';
import { hi, render } from '../../support/models/templates.js';
import { tokenizerMetadata } from '../../support/models/tiny-models.js';

describe('prompts', () => {
  const talk = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: ' Hi <b> ' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Bye' },
  ];
  /** Templates in the manner of ChatML, Llama 2, Llama 3 and Gemma, and the prompt for `talk`. */
  const cases = {
    ChatML: [
      "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + " +
        "'<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ " +
        "'<|im_start|>assistant\\n' }}{% endif %}",
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n Hi <b> ' +
        '<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>' +
        '\n<|im_start|>assistant\n',
    ],
    'Llama 2': [
      "{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] %}{% " +
        'set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}' +
        "{% for m in rest %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ " +
        "raise_exception('roles must alternate') }}{% endif %}" +
        "{% if loop.first and system is defined %}{% set content = '<<SYS>>\\n' ~ system ~ " +
        "'\\n<</SYS>>\\n\\n' ~ m['content'] %}{% else %}{% set content = m['content'] %}{% " +
        'endif %}' +
        "{% if m['role'] == 'user' %}{{ bos_token ~ '[INST] ' ~ content|trim ~ ' [/INST]' " +
        "}}{% else %}{{ ' ' ~ content|trim ~ ' ' ~ eos_token }}{% endif %}{% endfor %}",
      '<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\n Hi <b> [/INST] Hello </s><s>[INST] Bye [/INST]',
    ],
    'Llama 3': [
      "{{- bos_token }}\n{%- for m in messages %}\n    {{- '<|start_header_id|>' + m.role " +
        "+ '<|end_header_id|>\\n\\n' + m.content | trim + '<|eot_id|>' }}\n{%- endfor " +
        "%}\n{%- if add_generation_prompt %}\n    {{- '<|start_header_id|>" +
        "assistant<|end_header_id|>\\n\\n' }}\n{%- endif %}\n",
      '<s><|start_header_id|>system<|end_header_id|>\n\nBe ' +
        'brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi ' +
        '<b><|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>' +
        '<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>' +
        'assistant<|end_header_id|>\n\n',
    ],
    Gemma: [
      "{{ bos_token }}{%- set first = messages[0].content + '\\n\\n' if messages[0].role " +
        "== 'system' else '' -%}{%- for m in messages if m.role != 'system' -%}{%- set role " +
        "= 'model' if m.role == 'assistant' else m.role -%}{{ '<start_of_turn>' + role + " +
        "'\\n' + (first if loop.first else '') }}{{ m.content | trim }}{{ '<end_of_turn>\\n' " +
        "}}{%- endfor -%}{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- " +
        'endif -%}',
      '<s><start_of_turn>user\nBe brief.\n\nHi <b><end_of_turn>\n<start_of_turn>' +
        'model\nHello<end_of_turn>\n<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>' +
        'model\n',
    ],
  };
  for (const [name, [template, prompt]] of Object.entries(cases))
    test(name, async () => assert.equal(await render(template, talk), prompt));

  test('variables, no generation prompt, macros, loops over both, today', async () => {
    assert.equal(
      await render('{{ style }}{{ add_generation_prompt }}', hi, {
        addGenerationPrompt: false,
        variables: { style: 'plain ' },
      }),
      'plain False',
    );
    assert.equal(
      await render(
        '{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}{{ twice(messages[0].content) ' +
          '}}{% for key, value in {"a": 1}.items() %}{{ key }}{{ value }}{% endfor %}',
      ),
      'HiHia1',
    );
    assert.match(await render("{{ strftime_now('%Y-%m-%d') }}"), /^20\d\d-[01]\d-[0-3]\d$/);
    assert.equal(await render('{{ messages | tojson }}'), '[{"role": "user", "content": "Hi"}]');
  });

  test('60000 spaces, which take as long as other text', async () => {
    const spaces = ' '.repeat(30000);
    assert.equal(await render(`a${spaces}b{{ 1 ${spaces} }}`), `a${spaces}b1`);
    assert.equal(await render(`a${spaces}{%- if 1 -%}${spaces}b{% endif %}`), 'ab');
  });

  test('tools and documents are none when they are not given', async () => {
    const template = '{{ tools is none }} {{ documents is none }} {{ tools is defined }}';
    assert.equal(await render(template), 'True True True');
    const variables = { tools: [{ name: 'f' }], documents: [], enable_thinking: false };
    assert.equal(
      await render('{{ tools|tojson }} {{ documents }} {{ enable_thinking }}', hi, { variables }),
      '[{"name": "f"}] [] False',
    );
  });

  test('content that is null, a list of parts, or absent beside calls of tools', async () => {
    const call = { type: 'function', function: { name: 'f', arguments: { x: 1 } } };
    const messages = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'assistant', tool_calls: [call] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }, { type: 'image' }] },
    ];
    assert.equal(
      await render(
        '{% for m in messages %}{% if m.content is string %}text{% elif m.content is none ' +
          '%}none{% elif m.content is undefined %}absent{% else %}{% for part in m.content ' +
          '%}{{ part.type }}{{ part.text }}{% endfor %}{% endif %} {% endfor %}',
        messages,
      ),
      'none absent textHiimage ',
    );
    assert.equal(await render('{{ messages[0].content }}', messages), 'None');
  });

  test('an answer keeps its indentation where its thinking is taken off', async () => {
    const template =
      "{%- for m in messages %}{%- set content = m.content %}{%- if m.role == 'assistant' " +
      "and '</think>' in content %}{%- set content = content.split('</think>')[-1].lstrip(" +
      "'\n') %}{%- endif %}{{- '<|im_start|>' + m.role + '\n' + content + '<|im_end|>\n' }}" +
      "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- if " +
      "enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>" +
      "\n\n' }}{%- endif %}{%- endif %}";
    const messages = [
      { role: 'user', content: 'Code' },
      { role: 'assistant', content: '<think>\nok\n</think>\n\n    return 1\n' },
      { role: 'user', content: 'More' },
    ];
    const prompt =
      '<|im_start|>user\nCode<|im_end|>\n<|im_start|>assistant\n    return 1\n<|im_end|>\n' +
      '<|im_start|>user\nMore<|im_end|>\n';
    const assistant = '<|im_start|>assistant\n';
    assert.equal(await render(template, messages), prompt + assistant);
    assert.equal(await render(template, messages, { addGenerationPrompt: false }), prompt);
    assert.equal(
      await render(template, messages, { variables: { enable_thinking: false } }),
      `${prompt}${assistant}<think>\n\n</think>\n\n`,
    );
  });

  test('200 long messages, each looking back at the one before', async () => {
    const messages = Array.from({ length: 200 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: 'x'.repeat(2000),
    }));
    const prompt = await render(
      '{% for m in messages %}{% if loop.first or messages[loop.index0 - 1].role != m.role ' +
        '%}{{ m.content }}{% endif %}{% endfor %}',
      messages,
    );
    assert.equal(prompt.length, 400000);
  });

  test('a long conversation, in each answer of which a mark is looked for', async () => {
    const messages = Array.from({ length: 40 }, () => ({
      role: 'assistant',
      content: `${'x'.repeat(20000)}</think>y`,
    }));
    assert.equal(
      await render(
        "{% for m in messages %}{% if '</think>' in m.content %}{{ " +
          "m.content.split('</think>')[1] }}{% endif %}{% endfor %}",
        messages,
      ),
      'y'.repeat(40),
    );
  });

  test('its places: metadata, a file of its own, tokenizer_config.json, by name', async () => {
    const tokenizer = runAtOnce(ggufTokenizer(new Map(Object.entries(tokenizerMetadata()))));
    const json = async (files) =>
      (
        await openTemplate({ format: 'safetensors', metadata: new Map(), json: files }, tokenizer)
      )?.render(hi);
    assert.equal(
      await json({
        tokenizerConfig: { chat_template: 'A{{ bos_token }}', bos_token: { content: '<b>' } },
      }),
      'A<b>',
    );
    assert.equal(
      await json({
        tokenizerConfig: {
          chat_template: [
            { name: 'tools', template: 'T' },
            { name: 'default', template: 'D' },
          ],
        },
      }),
      'D',
    );
    assert.equal(await json({ chatTemplate: 'F', tokenizerConfig: { chat_template: 'A' } }), 'F');
    assert.equal(await json({}), undefined);
    assert.equal(
      await openTemplate({ format: 'gguf', metadata: new Map(), json: {} }, tokenizer),
      null,
    );
  });
});
