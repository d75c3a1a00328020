/** Vocabularies of GGUF that contradict themselves are refused by name. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOKENS, tokenizerMetadata } from '../../support/models/tiny-models.js';
import { ggufTokenizer } from '../../support/models/tokenizers.js';
import { refuses } from '../../support/streams.js';

describe('hostile vocabularies', () => {
  const wrong = (more) => () =>
    ggufTokenizer(new Map(Object.entries({ ...tokenizerMetadata(), ...more })));
  const bpe = { 'tokenizer.ggml.model': 'gpt2', 'tokenizer.ggml.merges': ['a b'] };
  const n = TOKENS.length;
  const cases = {
    'no model': [{ 'tokenizer.ggml.model': undefined }, /tokenizer.ggml.model is undefined/],
    'another model': [{ 'tokenizer.ggml.model': 'bert' }, /"bert"; expected "llama" or "gpt2"/],
    'tokens that are numbers': [
      { 'tokenizer.ggml.tokens': new Uint8Array(n) },
      /an array of strings/,
    ],
    'no tokens': [{ 'tokenizer.ggml.tokens': [] }, /0 long/],
    'a token too long': [
      { 'tokenizer.ggml.tokens': [...TOKENS.slice(1), 'a'.repeat(2000)] },
      /2000 characters long/,
    ],
    'scores of another type': [
      { 'tokenizer.ggml.scores': new Int8Array(n) },
      /scores.*32-bit floats/,
    ],
    'too few scores': [{ 'tokenizer.ggml.scores': new Float32Array(n - 1) }, /14 32-bit floats/],
    'a score that is NaN': [
      {
        'tokenizer.ggml.scores': Float32Array.from({ length: n }, (_, id) => (id === 5 ? NaN : 0)),
      },
      /score of token 5 is NaN/,
    ],
    'an infinite score': [
      { 'tokenizer.ggml.scores': new Float32Array(n).fill(Infinity) },
      /score of token 0 is Infinity/,
    ],
    'a kind out of range': [
      { 'tokenizer.ggml.token_type': new Int32Array(n).fill(7) },
      /type of token 0 is 7/,
    ],
    'kinds of another type': [
      { 'tokenizer.ggml.token_type': new Float32Array(n) },
      /14 32-bit integers/,
    ],
    'bytes that are none': [
      { 'tokenizer.ggml.token_type': new Int32Array(n).fill(6) },
      /token 0, a byte is "<unk>"/,
    ],
    'an id beyond the end': [
      { 'tokenizer.ggml.eos_token_id': n },
      /eos_token_id is 14; expected an id below 14/,
    ],
    'a flag that is a number': [
      { 'tokenizer.ggml.add_bos_token': 1 },
      /add_bos_token is 1; expected true or false/,
    ],
    'a merge of what is no token': [
      { ...bpe, 'tokenizer.ggml.merges': ['a q'] },
      /merge 0 is "a q"/,
    ],
    'a merge into what is no token': [
      { ...bpe, 'tokenizer.ggml.merges': ['a b', 'c c'] },
      /merge 1 is "c c"/,
    ],
    'a merge of one': [{ ...bpe, 'tokenizer.ggml.merges': ['ab'] }, /merge 0 is "ab"/],
    'merges that are no list': [{ ...bpe, 'tokenizer.ggml.merges': 'a b' }, /an array of strings/],
  };
  for (const [name, [more, message]] of Object.entries(cases))
    test(name, async () => {
      await assert.rejects(
        async () => wrong(more)(),
        (error) =>
          (/^(FORMAT|LIMIT)$/.test(error.code) && message.test(error.message)) ||
          assert.fail(`${error.code} ${error.message}`),
      );
    });

  test('merges in a circle end', () => {
    const tokenizer = ggufTokenizer(
      new Map(
        Object.entries({
          'tokenizer.ggml.model': 'gpt2',
          'tokenizer.ggml.tokens': ['a', 'aa', 'aaaa', 'aaa'],
          'tokenizer.ggml.merges': ['a a', 'aa aa', 'a aa', 'aa a', 'a a'],
        }),
      ),
    );
    assert.deepEqual(tokenizer.encode('aaaaaaa'), [2, 3]);
  });

  test('a token that is there twice is the first of them', () => {
    const tokenizer = ggufTokenizer(
      new Map(
        Object.entries({
          'tokenizer.ggml.model': 'gpt2',
          'tokenizer.ggml.tokens': ['a', 'a', 'b', 'ab', 'aab'],
          'tokenizer.ggml.merges': ['a b', 'a ab'],
        }),
      ),
    );
    assert.deepEqual(tokenizer.encode('aabab'), [4, 3]);
  });

  test('a byte without a token', () =>
    refuses(
      () =>
        ggufTokenizer(
          new Map(
            Object.entries({
              'tokenizer.ggml.model': 'gpt2',
              'tokenizer.ggml.tokens': ['a'],
              'tokenizer.ggml.merges': [],
            }),
          ),
        ).encode('b'),
      'FORMAT',
      /no token for byte 98/,
    ));
});
