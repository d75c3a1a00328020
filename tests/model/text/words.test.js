/**
 * How tokenizer.json cuts a text, as the library of Hugging Face in Rust does it. The expected
 * words follow from its documentation: digits are \p{N}, white space is White_Space of Unicode.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { ggufTokenizer } from '../../../src/js/model/text/tokenizer-gguf.js';
import { jsonTokenizer } from '../../../src/js/model/text/tokenizer-json.js';
import { written } from '../../../src/js/model/text/vocabulary.js';
import { cut } from '../../../src/js/model/text/words.js';
import { refuses } from '../../support/streams.js';

const bytes = Array.from({ length: 256 }, (_, byte) => written(Uint8Array.of(byte)));
/** A text whose bytes are written as characters. */
const read = (word) => Buffer.from([...word].map((c) => bytes.indexOf(c))).toString();
const sequence = (...pretokenizers) => ({ type: 'Sequence', pretokenizers });

describe('digits, then bytes, as SmolLM2 says', () => {
  const step = sequence(
    { type: 'Digits', individual_digits: true },
    { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
  );
  for (const [text, words] of [
    ['1 ½ cups', ['1', ' ', '½', ' cups']],
    [' ①', [' ', '①']],
    ['\ufeff\n', ['\ufeff', '\n']],
    ["x\u0085's", ['x', '\u0085', "'s"]],
    ['٣٤ Ⅷ', ['٣', '٤', ' ', 'Ⅷ']],
    ['a\u2003 b', ['a', '\u2003', ' b']],
  ])
    test(JSON.stringify(text), () => assert.deepEqual([...cut(text, step, true)].map(read), words));

  test('digits that stay together', () =>
    assert.deepEqual(
      [...cut('a12½ 3b', { type: 'Digits', individual_digits: false }, true)],
      ['a', '12½', ' ', '3', 'b'],
    ));
});

describe('the behaviors of a split', () => {
  for (const [behavior, words] of Object.entries({
    Removed: ['the', 'final', 'countdown'],
    Isolated: ['the', '-', 'final', '-', '-', 'countdown'],
    MergedWithPrevious: ['the-', 'final-', '-', 'countdown'],
    MergedWithNext: ['the', '-final', '-', '-countdown'],
    Contiguous: ['the', '-', 'final', '--', 'countdown'],
  }))
    test(behavior, () => {
      const step = { type: 'Split', pattern: { String: '-' }, behavior, invert: false };
      assert.deepEqual([...cut('the-final--countdown', step, true)], words);
    });

  test('inverted: the text between is a match', () => {
    const step = (behavior) => ({
      type: 'Split',
      pattern: { Regex: String.raw`\p{N}` },
      behavior,
      invert: true,
    });
    assert.deepEqual([...cut('ab1½c', step('Removed'), true)], ['1', '½']);
    assert.deepEqual([...cut('ab1½c', step('MergedWithNext'), true)], ['ab1', '½', 'c']);
  });

  test('another behavior is refused', () =>
    refuses(
      () =>
        runAtOnce(
          jsonTokenizer({
            tokenizer: {
              added_tokens: [],
              pre_tokenizer: { type: 'Split', pattern: { String: 'a' }, behavior: 'Dropped' },
              decoder: { type: 'ByteLevel' },
              model: { vocab: { a: 0 }, merges: [] },
            },
          }),
        ),
      'FORMAT',
      /step of pre_tokenizer in tokenizer.json is "Split"/,
    ));
});

describe('Metaspace', () => {
  const words = (text, more, first = true) => [
    ...cut(text, { type: 'Metaspace', replacement: '\u2581', ...more }, first),
  ];
  test('each mark begins a word, unless split is false', () => {
    for (const more of [{ split: true }, {}])
      assert.deepEqual(words('a  bc d', more), ['\u2581a', '\u2581', '\u2581bc', '\u2581d']);
    assert.deepEqual(words('a  bc', { split: false }), ['\u2581a\u2581\u2581bc']);
  });
  test('a mark is put before a text as the scheme says', () => {
    const before = (more, first) => words('a', { split: true, ...more }, first)[0];
    assert.deepEqual(
      ['always', 'first', 'never', undefined].map((scheme) => before({ prepend_scheme: scheme })),
      ['\u2581a', '\u2581a', 'a', '\u2581a'],
    );
    assert.equal(before({ prepend_scheme: 'first' }, false), 'a');
    assert.equal(before({ add_prefix_space: false }), 'a');
    assert.deepEqual(words(' a', { prepend_scheme: 'always' }), ['\u2581a']);
  });
  test('tokens of two words are merged only where it does not split', () => {
    const tokenizer = (split) =>
      runAtOnce(
        jsonTokenizer({
          tokenizer: {
            added_tokens: [],
            normalizer: null,
            pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', split },
            post_processor: null,
            decoder: { type: 'Metaspace' },
            model: {
              vocab: { '\u2581': 0, a: 1, '\u2581a': 2, '\u2581a\u2581a': 3 },
              merges: ['\u2581 a', '\u2581a \u2581a'],
            },
          },
        }),
      );
    assert.deepEqual(tokenizer(true).encode('a a'), [2, 2]);
    assert.deepEqual(tokenizer(false).encode('a a'), [3]);
  });
});

test('added tokens strip the white space of Unicode beside them', () => {
  const tokenizer = runAtOnce(
    jsonTokenizer({
      tokenizer: {
        added_tokens: [{ id: 256, content: '<m>', special: true, lstrip: true, rstrip: true }],
        normalizer: null,
        pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
        post_processor: null,
        decoder: { type: 'ByteLevel' },
        model: { vocab: Object.fromEntries(bytes.map((text, id) => [text, id])), merges: [] },
      },
    }),
  );
  const encode = (text) => tokenizer.encode(text, { special: true });
  assert.deepEqual(encode('a\u0085 <m>\u2003b'), [97, 256, 98]);
  assert.deepEqual(encode('a\ufeff<m>'), [97, 0xef, 0xbb, 0xbf, 256]);
});

describe('ways to cut that GGUF names', () => {
  const tokens = [...bytes, written(Buffer.from('é')), 'ab', 'abc', '<s>'];
  const made = (pre) =>
    runAtOnce(
      ggufTokenizer(
        new Map(
          Object.entries({
            'tokenizer.ggml.model': 'gpt2',
            'tokenizer.ggml.tokens': tokens,
            'tokenizer.ggml.pre': pre,
            'tokenizer.ggml.merges': [`${bytes[0xc3]} ${bytes[0xa9]}`, 'a b'],
            'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, at) => (at === 259 ? 3 : 1)),
            'tokenizer.ggml.bos_token_id': 259,
          }),
        ),
      ),
    );

  for (const pre of ['falcon3', 'lfm2', 'pixtral'])
    test(`${pre} is that of Llama 3: a mark before, and whole words that are tokens`, () => {
      const { encode } = made(pre);
      assert.deepEqual(encode('abc'), [259, 258]);
      assert.deepEqual(
        encode('1234', { marks: false }),
        made('llama-bpe').encode('1234', { marks: false }),
      );
    });
  for (const pre of ['dbrx', 'smaug-bpe'])
    test(`${pre} cuts as Llama 3, and merges every word`, () => {
      const { encode } = made(pre);
      assert.deepEqual(encode('abc'), [257, 99]);
    });
  test('exaone4 is that of GPT-2', () => {
    const { encode } = made('exaone4');
    assert.deepEqual(encode('abc'), [257, 99]);
  });

  test('decomposed text is composed for Qwen 2, as its tokenizer.json says', () => {
    const composed = [...Buffer.from('caf'), 256];
    assert.deepEqual(made('qwen2').encode('cafe\u0301'), composed);
    assert.deepEqual(made('qwen2').encode('caf\u00e9'), composed);
    assert.deepEqual(made('gpt-2').encode('cafe\u0301'), [...Buffer.from('cafe\u0301')]);
  });
});
