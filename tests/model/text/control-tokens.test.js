/** Tokens that are written out: control tokens, user-defined ones, and marks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { written } from '../../../src/js/model/text/vocabulary.js';
import { worked } from '../../support/clock.js';
import { TOKENS, tokenizerMetadata } from '../../support/models/tiny-models.js';
import { ggufTokenizer, jsonTokenizer } from '../../support/models/tokenizers.js';

describe('tokens that are written out', () => {
  const metadata = (more = {}) =>
    new Map(Object.entries({ ...tokenizerMetadata(), 'tokenizer.ggml.bos_token_id': 1, ...more }));
  const tokenizer = ggufTokenizer(metadata());
  const id = (token) => TOKENS.indexOf(token);

  test('control tokens come out of a text only when asked for', () => {
    assert.deepEqual(tokenizer.encode('ab<|user|>ab', { special: true }), [
      1,
      id('\u2581ab'),
      id('<|user|>'),
      id('\u2581ab'),
    ]);
    const plain = tokenizer.encode('ab<|user|>ab');
    assert.ok(!plain.includes(id('<|user|>')));
    assert.equal(tokenizer.decode(plain).length >= 2, true);
  });

  test('user-defined tokens always, the longest first', () => {
    const tokens = [...TOKENS, '<x>', '<x><y>'];
    const kinds = Int32Array.of(...tokenizerMetadata()['tokenizer.ggml.token_type'], 4, 4);
    const own = ggufTokenizer(
      metadata({
        'tokenizer.ggml.tokens': tokens,
        'tokenizer.ggml.token_type': kinds,
        'tokenizer.ggml.scores': new Float32Array(16),
      }),
    );
    assert.deepEqual(own.encode('<x><y><x>', { marks: false }), [15, 14]);
    assert.equal(own.decode([15, 14]), '<x><y><x>');
  });

  test('marks: at the beginning, at the end, or none', () => {
    const both = ggufTokenizer(metadata({ 'tokenizer.ggml.add_eos_token': true }));
    assert.deepEqual(both.encode('a'), [1, id('\u2581a'), 2]);
    assert.deepEqual(both.encode('a', { marks: false }), [id('\u2581a')]);
    assert.deepEqual(
      ggufTokenizer(metadata({ 'tokenizer.ggml.add_bos_token': false })).encode(''),
      [],
    );
    assert.deepEqual(
      ggufTokenizer(metadata({ 'tokenizer.ggml.add_space_prefix': false })).encode('a'),
      [1, id('a')],
    );
  });

  test('a word that is a control token stays text, also where whole words are tokens', () => {
    const tokens = [
      ...Array.from({ length: 256 }, (_, byte) => written(Uint8Array.of(byte))),
      'STOP',
      'GO',
    ];
    const made = (pre) =>
      ggufTokenizer(
        new Map(
          Object.entries({
            'tokenizer.ggml.model': 'gpt2',
            'tokenizer.ggml.tokens': tokens,
            'tokenizer.ggml.pre': pre,
            'tokenizer.ggml.merges': [],
            'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, at) => (at === 256 ? 3 : 1)),
          }),
        ),
      );
    const bytesOf = (text) => [...text].map((c) => c.charCodeAt(0));
    for (const pre of ['llama-bpe', 'qwen2']) {
      assert.deepEqual(made(pre).encode('STOP'), bytesOf('STOP'));
      assert.deepEqual(made(pre).encode('STOP', { special: true }), [256]);
      assert.deepEqual(made(pre).encode('GO'), pre === 'llama-bpe' ? [257] : bytesOf('GO'));
    }
  });

  test('marks that end a turn are known by name', () => {
    const tokens = [...TOKENS.slice(0, -1), '<end_of_turn>'];
    const kinds = (kind) =>
      Int32Array.from(tokens, (_, at) =>
        at === 13 ? kind : tokenizerMetadata()['tokenizer.ggml.token_type'][at],
      );
    const ends = (kind) =>
      [
        ...ggufTokenizer(
          metadata({ 'tokenizer.ggml.tokens': tokens, 'tokenizer.ggml.token_type': kinds(kind) }),
        ).ends,
      ].sort((a, b) => a - b);
    assert.deepEqual(ends(3), [1, 2, 13]);
    for (const kind of [1, 4])
      assert.deepEqual(ends(kind), [1, 2], 'where they are text like any other, they end nothing');
  });

  test('an HTML tag ends nothing unless the files say so', () => {
    const json = {
      added_tokens: [
        { id: 1, content: '</s>', special: false },
        { id: 2, content: '<end_of_turn>', special: true },
      ],
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: 'ByteLevel' },
      model: { vocab: { a: 0 }, merges: [] },
    };
    assert.deepEqual([...jsonTokenizer({ tokenizer: json }).ends], [2]);
    assert.deepEqual(
      [...jsonTokenizer({ tokenizer: json, config: { eos_token_id: 1 } }).ends],
      [1, 2],
    );
    // in a time that does not grow with their number times that of the tokens
    const vocab = Object.fromEntries(Array.from({ length: 2e5 }, (_, id) => [`t${id}`, id]));
    const thousands = Array.from({ length: 2e5 }, (_, x) => `x${x}`);
    const before = worked();
    const { ends } = jsonTokenizer({
      tokenizer: {
        ...json,
        added_tokens: [],
        model: { ...json.model, vocab: { ...vocab, a: 2e5 }, merges: [], unk_token: null },
      },
      generationConfig: { eos_token_id: [...thousands, 't7', { content: 't9' }] },
    });
    assert.deepEqual(
      [...ends].filter((id) => id >= 0),
      [7, 9],
    );
    assert.ok(worked() - before < 10000, 'to look each up in all takes an hour');
  });
});
