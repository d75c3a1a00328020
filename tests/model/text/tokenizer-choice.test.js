/** Which tokenizer a model gets, and how many ids it has. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { loadModel } from '../../../src/js/model/index.js';
import { openTokenizer } from '../../../src/js/model/text/tokenizer.js';
import {
  tinyConfig,
  tinyGguf,
  tinyJson,
  tokenizerMetadata,
} from '../../support/models/tiny-models.js';
import { ggufTokenizer, jsonTokenizer } from '../../support/models/tokenizers.js';
import { refuses } from '../../support/streams.js';

describe('which tokenizer a GGUF file has', () => {
  const without = Object.fromEntries(
    Object.keys(tokenizerMetadata()).map((key) => [key, undefined]),
  );
  const withPre = {
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.merges': ['a b'],
    'tokenizer.ggml.pre': 'tekken',
  };
  const load = async (metadata, beside) => {
    const weights = tinyGguf('llama', { metadata: { ...without, ...metadata } });
    return loadModel(beside ? { weights, ...beside } : weights);
  };
  const all = async (text) => {
    const found = [];
    for await (const one of text) found.push(one);
    return found;
  };
  const json = {
    added_tokens: [{ id: 2, content: '</s>', special: true }],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] },
  };

  for (const [name, metadata] of Object.entries({
    'no word of one': {},
    no_vocab: { 'tokenizer.ggml.model': 'no_vocab' },
  }))
    test(`none: ${name}; the model takes ids`, async () => {
      const model = await load(metadata);
      assert.deepEqual([model.tokenizer, model.template], [null, null]);
      assert.equal((await all(model.generate([1, 2], { maxTokens: 3 }))).length, 3);
      assert.throws(() => model.generate('a'), {
        code: 'ARG',
        message: /ids: the model has no tokenizer/,
      });
      model.dispose();
    });

  test('with an unknown way to cut words ids work, and a text is refused by name', async () => {
    const model = await load({ ...tokenizerMetadata(), ...withPre });
    assert.ok(
      (await all(model.generate([1, 2], { maxTokens: 3 }))).every(
        ({ text }) => typeof text === 'string',
      ),
    );
    assert.equal(model.tokenizer.decode([4, 5]), 'ab');
    for (const text of ['ab', ''])
      assert.throws(() => model.tokenizer.encode(text), {
        code: 'FORMAT',
        message: /tokenizer.ggml.pre is "tekken"; expected gpt-2.*tokenizer.json beside/,
      });
    assert.throws(() => model.generate('ab'), { code: 'FORMAT', message: /"tekken"/ });
    model.dispose();
  });

  test('one given beside it, which wins; the file still says what ends a text', async () => {
    const eos = { 'tokenizer.ggml.bos_token_id': 1, 'tokenizer.ggml.eos_token_id': 3 };
    for (const metadata of [
      eos,
      { ...tokenizerMetadata(), ...withPre, ...eos },
      { ...tokenizerMetadata(), ...eos },
    ]) {
      const model = await load(metadata, { tokenizer: json });
      assert.deepEqual(
        [model.tokenizer.encode('ab'), model.tokenizer.bos, [...model.tokenizer.ends].sort()],
        [[0, 1], 1, [1, 2, 3]],
      );
      model.dispose();
    }
  });

  test('a chat template given beside it', async () => {
    const model = await load(
      { ...tokenizerMetadata(), 'tokenizer.chat_template': 'own' },
      { chatTemplate: new Blob(['given']) },
    );
    assert.equal(model.template.render([]), 'given');
    model.dispose();
  });

  test('a chat template given as text', async () => {
    for (const chatTemplate of ['{{ 1 + 1 }}', '{% if true %}2{% endif %}']) {
      const model = await load(tokenizerMetadata(), { chatTemplate });
      assert.equal(model.template.render([]), '2');
      model.dispose();
    }
    await refuses(
      () => load(tokenizerMetadata(), { chatTemplate: `{{ 1 }}${' '.repeat(2 ** 22)}` }),
      'LIMIT',
      /^chatTemplate is of 4194311 characters; expected at most 4194304/,
    );
    await refuses(
      () => load(tokenizerMetadata(), { chatTemplate: 'chat.jinja' }),
      'ARG',
      /chatTemplate is "chat.jinja"/,
    );
  });

  test('a setting that would go unread is refused', async () => {
    await refuses(
      () => load(tokenizerMetadata(), { config: tinyConfig('llama') }),
      'ARG',
      /config is given beside GGUF; expected none/,
    );
    for (const part of ['tokenizerConfig', 'generationConfig'])
      await refuses(
        () => load(tokenizerMetadata(), { [part]: {} }),
        'ARG',
        new RegExp(`${part} is given beside GGUF without tokenizer`),
      );
  });

  test('safetensors without one: none', async () => {
    const file = await openModel(tinyJson('llama'));
    assert.equal(await openTokenizer(file), null);
    await file.cancel();
  });
});

describe('as many ids as the embedding has rows', () => {
  const metadata = new Map(Object.entries(tokenizerMetadata()));
  const json = {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { vocab: { a: 0, b: 1 }, merges: [] },
  };
  for (const [name, make, own] of [
    ['GGUF', (rows) => ggufTokenizer(metadata, rows), 14],
    ['tokenizer.json', (rows) => jsonTokenizer({ tokenizer: json }, rows), 2],
  ])
    test(name, async () => {
      const tokenizer = make(own + 3);
      assert.deepEqual(
        [tokenizer.size, tokenizer.token(own + 2), tokenizer.decode([own, own + 2])],
        [own + 3, '', ''],
      );
      assert.deepEqual(tokenizer.encode('ab'), make(own).encode('ab'));
      await refuses(
        () => make(own - 1),
        'FORMAT',
        new RegExp(`${own} tokens; expected at most ${own - 1}`),
      );
    });
});
