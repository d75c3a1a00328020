/** Chat templates: those of known models give the known prompts, and a hostile one ends soon. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspectModel, loadModel } from '../../../src/js/model/index.js';
import { openTemplate } from '../../../src/js/model/text/template.js';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { ggufTokenizer } from '../../../src/js/model/text/tokenizer-gguf.js';
import { refuses } from '../../support/streams.js';
import { tinyGguf, tokenizerMetadata } from '../../support/models/tiny-models.js';
import { worked } from '../../support/clock.js';

const open = (template) => {
  const metadata = new Map(
    Object.entries({ ...tokenizerMetadata(), 'tokenizer.chat_template': template }),
  );
  return openTemplate({ format: 'gguf', metadata, json: {} }, runAtOnce(ggufTokenizer(metadata)));
};
const hi = [{ role: 'user', content: 'Hi' }];
const render = async (template, messages = hi, options) =>
  (await open(template)).render(messages, options);

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

describe('what is refused', () => {
  test('messages that are none', async () => {
    const template = await open('x');
    for (const messages of [null, 'Hi', {}])
      await refuses(() => template.render(messages), 'ARG', /messages is/);
    await refuses(
      () => template.render([{ role: 'user' }]),
      'ARG',
      /^messages\[0\]\.content is undefined; expected a string, null or a list of parts$/,
    );
    for (const message of [null, 'Hi', {}])
      await refuses(
        () => template.render([message]),
        'ARG',
        /^messages\[0\]\.role is undefined; expected a string$/,
      );
    await refuses(
      () => template.render([...hi, { role: 'user', content: ['Hi'] }]),
      'ARG',
      /^messages\[1\]\.content\[0\]\.type is undefined; expected a string, such as "text"$/,
    );
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
  test('what the template itself refuses', () =>
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

describe('a hostile template ends within seconds', () => {
  const grown = (doublings) =>
    `{% set ns = namespace(s='a') %}{% for i in range(${doublings}) %}{% set ns.s = ns.s + ` +
    'ns.s %}{% endfor %}';
  const again = (what) => `${grown(19)}{% for i in range(4000) %}${what}{% endfor %}`;
  /** Each ends in an error of ours, of the kind beside it. */
  const cases = {
    'a range of a thousand million': [
      '{% for i in range(1000000000) %}a{% endfor %}',
      /range of 1000000000; expected at most 4096/,
    ],
    'a range without end': ['{{ range(1000000000) }}', /range of 1000000000/],
    'loops in loops': [
      '{% for i in range(4000) %}{% for j in range(4000) %}{% for k in range(4000) %}{% ' +
        'endfor %}{% endfor %}{% endfor %}',
      /steps/,
    ],
    'a text that doubles': [`${grown(60)}{{ ns.s }}`, /text of more than 1048576/],
    'a thousand million laughs': [
      "{% set ns = namespace(s='a') %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] " +
        '%}{% endfor %}{{ ns.s|tojson }}',
      /steps|nested/,
    ],
    'a value inside itself': [
      '{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a|string }}',
      /nested deeper/,
    ],
    'replacing everything by much': [
      `${grown(19)}{{ ns.s.replace('a', ns.s)|length }}`,
      /too long/,
    ],
    'the same by another name': [
      `${grown(19)}{% set f = ns.s.replace %}{{ f('a', ns.s)|length }}`,
      /too long/,
    ],
    'the same as a filter': [`${grown(19)}{{ ns.s|replace('a', ns.s)|length }}`, /too long/],
    'an indent of 500 million': ["{{ 'a\nb'|indent(500000000) }}", /too long/],
    'the same by keyword': ["{{ 'a\nb'|indent(width=500000000) }}", /too long/],
    'JSON indented by 500 million': ['{{ [1, 2]|tojson(indent=500000000) }}', /too long/],
    'looking for a long text in another': [
      `${grown(17)}{{ (ns.s + 'b' + ns.s) in (ns.s + ns.s + ns.s + ns.s) }}`,
      /too long/,
    ],
    'the same the other way': [
      `${grown(17)}{{ (ns.s + 'b' + ns.s) not in (ns.s + ns.s + ns.s + ns.s) }}`,
      /too long/,
    ],
    'looking for a shorter one again and again': [
      `${grown(12)}{% for i in range(4000) %}{% if (ns.s + 'b') in (ns.s + ns.s) %}{% ` +
        'endif %}{% endfor %}',
      /steps/,
    ],
    'cutting there': [
      `${grown(12)}{% for i in range(4000) %}{% set x = (ns.s + ns.s).split(ns.s + 'b') ` +
        '%}{% endfor %}',
      /steps/,
    ],
    'looking for what a macro computed in the same place': [
      `${grown(17)}{% macro f(n) %}{% if n %}{{ ns.s }}{{ ((ns.s + 'b' + ns.s) if n > 1 ` +
        `else 'a') in f(n - 1) }}{% endif %}{% endmacro %}{{ f(2) }}`,
      /too long/,
    ],
    'joining by much': [`${grown(19)}{{ range(4000)|join(ns.s) }}`, /too long/],
    'a filter block': ['{% filter indent(500000000) %}a\nb{% endfilter %}', /too long/],
    'a macro that calls itself': ['{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}', /deep/],
    'one that calls itself twice': [
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}',
      /steps/,
    ],
    'cutting up a long text again and again': [again('{% set x = ns.s[::1] %}'), /steps/],
    'splitting it': [again("{% set x = ns.s.split('a') %}"), /steps/],
    sorting: [
      '{% for i in range(4000) %}{% set x = range(4000)|sort(reverse=true) %}{% endfor %}',
      /steps/,
    ],
    'printing a list of it': [
      `${grown(19)}{% set l = [ns.s] %}{% for i in range(4000) %}{{ l }}{% endfor %}`,
      /steps/,
    ],
    'many arguments': [
      '{% macro f() %}{{ varargs }}{% endmacro %}{% for i in range(4000) %}{{ ' +
        'f(*range(4000)) }}{% endfor %}',
      /steps/,
    ],
    'deep parentheses': [`{{ ${'('.repeat(30000)}1${')'.repeat(30000)} }}`, /deep/],
    'deep conditions': [`${'{% if 1 %}'.repeat(3000)}${'{% endif %}'.repeat(3000)}`, /deep/],
    'a sum of 30000': [`{{ 1${'+1'.repeat(30000)} }}`, /deep/],
  };
  for (const [name, [template, message]] of Object.entries(cases))
    test(name, async () => {
      const before = worked();
      await refuses(() => render(template), 'LIMIT', message);
      // it needs 2 s at most
      assert.ok(worked() - before < 15000);
    });

  test('it reaches nothing but its variables', async () => {
    for (const template of [
      "{{ ''.constructor.constructor('return 1')() }}",
      '{{ messages.constructor.constructor }}',
      '{{ raise_exception.constructor }}',
      '{{ range.__proto__ }}',
      '{{ messages[0].__proto__.x }}',
      '{{ process }}{{ globalThis }}{{ require }}',
      "{{ namespace.constructor('x') }}",
      '{{ self }}{{ _self }}{{ __class__ }}',
    ])
      try {
        assert.doesNotMatch(await render(template), /function|object|native/i, template);
      } catch (error) {
        assert.equal(error.name, 'ClearheadError', `${template}: ${error}`);
      }
  });
});
