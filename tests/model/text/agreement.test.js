/** Ids are the same from GGUF, from tokenizer.json and from the library of Hugging Face. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { worked } from '../../support/clock.js';
import { gpt2, randomTexts, read, skip, texts } from '../../support/models/real-vocabularies.js';
import { ggufTokenizer, jsonTokenizer } from '../../support/models/tokenizers.js';

describe('GGUF and tokenizer.json agree', { skip }, () => {
  const tokens = skip ? [] : gpt2.file.metadata.get('tokenizer.ggml.tokens');
  const merges = skip ? [] : gpt2.file.metadata.get('tokenizer.ggml.merges');
  const bytes = {
    type: 'ByteLevel',
    add_prefix_space: false,
    trim_offsets: true,
    use_regex: false,
  };
  const split = (Regex) => ({
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
      bytes,
    ],
  });
  const modern = (digits) =>
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|${digits}|` +
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
  const ways = {
    'gpt-2': { ...bytes, use_regex: true },
    'llama-bpe': split(modern(String.raw`\p{N}{1,3}`)),
    qwen2: split(modern(String.raw`\p{N}`)),
    smollm: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits', individual_digits: true },
        { ...bytes, use_regex: true },
      ],
    },
  };
  for (const [pre, pre_tokenizer] of Object.entries(ways))
    test(`on the gpt-2 vocabulary cut as ${pre}`, () => {
      const ours = ggufTokenizer(
        new Map([
          ...gpt2.file.metadata,
          ['tokenizer.ggml.pre', pre],
          ['tokenizer.ggml.add_bos_token', false],
        ]),
      );
      const theirs = jsonTokenizer({
        tokenizer: {
          added_tokens: [
            {
              id: 50256,
              content: '<|endoftext|>',
              special: true,
              single_word: false,
              lstrip: false,
              rstrip: false,
              normalized: false,
            },
          ],
          normalizer: pre === 'qwen2' ? { type: 'NFC' } : null,
          pre_tokenizer,
          post_processor: null,
          decoder: { type: 'ByteLevel' },
          model: {
            type: 'BPE',
            ignore_merges: pre === 'llama-bpe',
            vocab: Object.fromEntries(tokens.map((token, id) => [token, id]).slice(0, -1)),
            merges,
          },
        },
        tokenizerConfig: { eos_token: '<|endoftext|>' },
      });
      for (const text of [...texts, ...randomTexts(9, 3000)]) {
        const ids = ours.encode(text);
        assert.deepEqual(theirs.encode(text), ids, JSON.stringify(text));
        const shown = pre === 'qwen2' ? text.normalize('NFC') : text;
        assert.equal(theirs.decode(ids), shown);
        assert.equal(ours.decode(ids), shown);
      }
      for (const one of [ours, theirs]) {
        assert.deepEqual([...one.ends], [50256]);
        assert.ok(!one.encode('a<|endoftext|>').includes(50256));
        assert.deepEqual(one.encode('a<|endoftext|>', { special: true }), [64, 50256]);
        assert.equal(one.decode([64, 50256, 65]), 'ab');
        assert.equal(one.decode([64, 50256, 65], { special: true }), 'a<|endoftext|>b');
      }
    });
});

describe('tokenizer.json of a real model', { skip }, () => {
  const json = (name) => JSON.parse(read(`stories260K/hf/${name}.json`));
  test('gives the ids of the library of Hugging Face', () => {
    const theirs = new Library(json('tokenizer'), json('tokenizer_config'));
    const ours = jsonTokenizer({
      tokenizer: json('tokenizer'),
      tokenizerConfig: json('tokenizer_config'),
    });
    for (const text of [...texts, ...randomTexts(21, 3000)])
      assert.deepEqual(ours.encode(text), theirs.encode(text).ids, JSON.stringify(text));
  });

  test('normalizes as Unicode says, and a thousand accents on a letter without end', () => {
    const tokenizer = json('tokenizer');
    tokenizer.normalizer.normalizers.push({ type: 'NFC' });
    const ours = jsonTokenizer({ tokenizer });
    const e = ours.encode('é');
    assert.deepEqual(ours.encode('e\u0301'), e);
    assert.deepEqual(
      ours.encode('e\u0301\u0316'),
      ours.encode('e\u0316\u0301'),
      'marks are sorted',
    );
    const accents = '\u0301\u0316'.repeat(5e4);
    const before = worked();
    assert.ok(ours.encode(`e${accents}`).length > 1e5);
    assert.ok(worked() - before < 10000);
  });
});
