/** Text to tokens and back with vocabularies of real models: the ids that are expected. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpt2, open, read, skip, texts } from '../../support/models/real-vocabularies.js';

describe('real vocabularies', { skip }, () => {
  test('gpt-2: 47 texts have the expected ids, and come back from them', () => {
    const expected = read('tokenizers/ggml-vocab-gpt-2.gguf.out')
      .split('\n')
      .slice(0, texts.length);
    assert.equal(texts.length, 47);
    texts.forEach((text, at) => {
      const ids = gpt2.tokenizer.encode(text);
      assert.equal(ids.join(' '), expected[at].trim(), JSON.stringify(text));
      assert.equal(gpt2.tokenizer.decode(ids), text);
    });
  });

  for (const name of [
    'stories260K/gguf/stories260K-f32.gguf',
    'stories260K-ggml/stories260K.gguf',
    'stories260K/hf/model.safetensors',
  ])
    test(`${name}: 31 of 31 expected encodings, and back`, async () => {
      const { tokenizer } = await open(name);
      const encodings = JSON.parse(read('stories260K/reference/encodings.json'));
      assert.equal(encodings.length, 31);
      for (const { text, ids } of encodings) {
        assert.deepEqual(tokenizer.encode(text), ids, JSON.stringify(text));
        assert.equal(tokenizer.decode(ids), text);
        assert.deepEqual(tokenizer.encode(text, { marks: false }), ids.slice(1));
      }
      assert.deepEqual(
        [tokenizer.size, tokenizer.bos, tokenizer.addsBos, [...tokenizer.ends].sort()],
        [512, 1, true, [1, 2]],
      );
    });
});
