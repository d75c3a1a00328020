/** A text that comes token by token is the text of all of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpt2, open, randomTexts, skip } from '../../support/models/real-vocabularies.js';
import { TOKENS, tokenizerMetadata } from '../../support/models/tiny-models.js';
import { ggufTokenizer, jsonTokenizer } from '../../support/models/tokenizers.js';
import { random } from '../../support/random.js';

describe('streaming', () => {
  test('never half a character, and the pieces are the whole, for any ids', { skip }, () => {
    const r = random(13);
    const { tokenizer } = gpt2;
    for (let round = 0; round < 400; round++) {
      const text = [...randomTexts(round, 1)][0];
      const ids = r.chance(0.5)
        ? tokenizer.encode(text)
        : Array.from({ length: 30 }, () => r.integer(0, r.chance(0.5) ? 255 : 50256));
      const stream = tokenizer.stream();
      const parts = ids.map((one) => stream.push(one));
      parts.push(stream.end());
      assert.equal(parts.join(''), tokenizer.decode(ids));
      for (const part of parts)
        assert.ok(!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part), 'no half of a pair');
    }
    const ids = tokenizer.encode('🙂');
    const stream = tokenizer.stream();
    assert.ok(ids.length > 1);
    assert.deepEqual(
      [...ids.map((one) => stream.push(one)), stream.end()],
      [...ids.slice(1).map(() => ''), '🙂', ''],
    );
    assert.equal(tokenizer.decode(ids.slice(0, 1)), '\ufffd');
  });

  test('the space before the first word is only at the beginning of a text', () => {
    const tokenizer = ggufTokenizer(new Map(Object.entries(tokenizerMetadata())));
    const ids = [TOKENS.indexOf('\u2581a'), TOKENS.indexOf('\u2581b')];
    assert.equal(tokenizer.decode([1, ...ids]), 'a b');
    assert.equal(tokenizer.decode(ids, { continued: true }), ' a b');
    // and of a text that is read
    assert.deepEqual(
      [tokenizer.encode('a b'), tokenizer.encode('a b', { marks: false })],
      [[1, ...ids], ids],
    );
    assert.deepEqual(tokenizer.encode(' a b', { continued: true }), ids);
    assert.deepEqual(tokenizer.encode('a b', { continued: true }), [TOKENS.indexOf('a'), ids[1]]);
    assert.deepEqual(tokenizer.encode(' a b', { continued: true, marks: true }), [1, ...ids]);
  });

  test('a text that is read in two parts is read as a whole', { skip }, async () => {
    const text =
      'Once upon a time there was a girl.</s> She loved to play with<s> <s>her red ball.';
    for (const file of [
      'stories260K/gguf/stories260K-f32.gguf',
      'stories260K/hf/model.safetensors',
      'tokenizers/ggml-vocab-gpt-2.gguf',
    ]) {
      const { tokenizer } = await open(file);
      for (const special of [false, true]) {
        const whole = tokenizer.encode(text, { special });
        for (let at = text.indexOf(' '); at > 0; at = text.indexOf(' ', at + 1)) {
          // text behind a token is no continuation
          if (special && text[at - 1] === '>') continue;
          const parts = [
            ...tokenizer.encode(text.slice(0, at), { special }),
            ...tokenizer.encode(text.slice(at), { special, continued: true }),
          ];
          assert.deepEqual(parts, whole, `${file}: ${text.slice(0, at)}|`);
        }
      }
    }
  });

  describe('steps of tokenizer.json put a space before a word, not where a text goes on', () => {
    const vocab = { '\u2581': 0, a: 1, '\u2581a': 2, '\u0120': 3, '\u0120a': 4 };
    const merges = ['\u2581 a', '\u0120 a'];
    const json = (steps, strip) =>
      jsonTokenizer({
        tokenizer: {
          model: { type: 'BPE', vocab, merges },
          added_tokens: [{ id: 5, content: '<s>', special: true, ...strip }],
          decoder: { type: 'Metaspace' },
          normalizer: null,
          pre_tokenizer: null,
          post_processor: null,
          ...steps,
        },
      });
    const replace = { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' };
    const prepend = { type: 'Prepend', prepend: '\u2581' };
    const first = { type: 'Metaspace', prepend_scheme: 'first' };
    // the ids of “a” at the beginning, and behind a token
    for (const [name, steps, word, later = word] of [
      ['Prepend', { normalizer: { type: 'Sequence', normalizers: [prepend, replace] } }, 2],
      ['Metaspace', { pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'always' } }, 2],
      [
        'the first of Metaspace',
        { pre_tokenizer: { type: 'Sequence', pretokenizers: [first] } },
        2,
        1,
      ],
      ['ByteLevel', { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true } }, 4],
      ['none', { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false } }, 1],
    ])
      test(name, () => {
        const { encode } = json(steps);
        const goesOn = (text) => encode(text, { special: true, continued: true });
        const space = word === 1 ? 4 : word;
        assert.deepEqual(encode('a'), [word]);
        assert.deepEqual([goesOn('a'), goesOn(' a'), goesOn('')], [[1], [space], []]);
        assert.deepEqual(goesOn('a<s>a'), [1, 5, later]);
        assert.deepEqual(goesOn(' a<s>a<s>'), [space, 5, later, 5]);
        assert.deepEqual(goesOn('<s>a'), [5, later]);
        const stripping = json(steps, { lstrip: true, rstrip: true });
        const stripped = stripping.encode('a <s> a', { special: true, continued: true });
        assert.deepEqual(stripped, [1, 5, later]);
      });
  });
});
