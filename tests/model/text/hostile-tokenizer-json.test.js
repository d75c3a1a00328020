/** A tokenizer.json that is damaged or hostile gives an error of ours, or a tokenizer. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jsonTokenizer, smallest, withChange } from '../../support/models/tokenizers.js';
import { random } from '../../support/random.js';
import { refused, refuses } from '../../support/streams.js';

describe('hostile tokenizer.json', () => {
  test('the smallest one works', () =>
    assert.deepEqual(withChange(() => {})().encode('aab'), [0, 2]));
  const cases = {
    'no model': [(t) => delete t.model, /model of tokenizer.json is undefined/],
    'another model': [(t) => (t.model.type = 'Unigram'), /"Unigram"; expected "BPE"/],
    'a vocabulary that is a list': [(t) => (t.model.vocab = []), /vocab/],
    'an id twice': [(t) => (t.model.vocab.b = 0), /id 0 in tokenizer.json is there twice/],
    'an id of 4 thousand million': [(t) => (t.model.vocab.b = 4e9), /below 3/],
    'an id in words': [(t) => (t.model.vocab.b = '1'), /id of "b"/],
    'a merge into nothing': [
      (t) => t.model.merges.push('b b'),
      /merge 1 is "b b"; expected two tokens whose join/,
    ],
    'a merge of three': [(t) => t.model.merges.push(['a', 'b', 'a']), /merge 1/],
    'an expression that never ends': [
      (t) =>
        (t.pre_tokenizer = { type: 'Split', pattern: { Regex: '(a+)+$' }, behavior: 'Isolated' }),
      /others may never end/,
    ],
    'an expression in a normalizer': [
      (t) => (t.normalizer = { type: 'Replace', pattern: { Regex: '(a*)*b' }, content: '' }),
      /expected with all its texts/,
    ],
    'an unknown step': [
      (t) => (t.pre_tokenizer = { type: 'Bert' }),
      /step of pre_tokenizer.*"Bert"/,
    ],
    'an unknown decoder': [
      (t) => (t.decoder = { type: 'CTC' }),
      /decoder of tokenizer.json is "CTC"/,
    ],
    'a decoder of nothing': [
      (t) => (t.decoder = { type: 'Sequence', decoders: [{ type: 'Replace' }, null] }),
      /decoder of tokenizer.json is undefined/,
    ],
    'a split at nothing': [
      (t) => (t.pre_tokenizer = { type: 'Split' }),
      /expression of pre_tokenizer/,
    ],
    'a split in an odd way': [
      (t) => (t.pre_tokenizer = { type: 'Split', pattern: { String: 'a' }, behavior: {} }),
      /^a step of pre_tokenizer in tokenizer.json is "Split"; expected with/,
    ],
    'a template of nothing': [
      (t) =>
        (t.post_processor = {
          type: 'TemplateProcessing',
          single: [null, 1],
          pair: [],
          special_tokens: {},
        }),
      /^a step of post_processor in tokenizer.json is "TemplateProcessing"; expected with/,
    ],
    'no decoder': [(t) => (t.decoder = null), /decoder/],
    'a word as an added token': [
      (t) => t.added_tokens.push({ id: 3, content: 'x', special: true, single_word: true }),
      /single_word/,
    ],
    'an added token without text': [
      (t) => t.added_tokens.push({ id: 3, content: '', special: true }),
      /without text/,
    ],
    'an added token that is null': [(t) => t.added_tokens.push(null), /a token of tokenizer.json/],
    'a template of tokens there are not': [
      (t) =>
        (t.post_processor = {
          type: 'TemplateProcessing',
          single: [{ SpecialToken: { id: '<s>' } }, { Sequence: { id: 'A' } }],
          pair: [],
          special_tokens: {},
        }),
      /^(post_processor of )?tokenizer.json (is|could not be read)/,
    ],
    'steps beside the list that is looked at': [
      (t) =>
        (t.pre_tokenizer = {
          type: 'Sequence',
          normalizers: [],
          pretokenizers: [{ type: 'Split', pattern: { Regex: '(a+)+$' } }],
        }),
      /others may never end/,
    ],
    'a suffix': [(t) => (t.model.end_of_word_suffix = '</w>'), /end_of_word_suffix/],
  };
  for (const [name, [change, message]] of Object.entries(cases))
    test(name, async () => {
      await refuses(withChange(change), 'FORMAT', message);
    });
  /** With every kind of step. */
  const rich = {
    ...smallest,
    added_tokens: [
      {
        id: 3,
        content: '<s>',
        special: true,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
      },
    ],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '\u2581' },
        { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
        { type: 'NFC' },
      ],
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits', individual_digits: true },
        {
          type: 'Split',
          pattern: { String: '\u2581' },
          behavior: 'MergedWithNext',
          invert: false,
        },
      ],
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<s>': { id: '<s>', ids: [3], tokens: ['<s>'] } },
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
  };
  test('the one with every kind of step works', () =>
    assert.deepEqual(jsonTokenizer({ tokenizer: rich }).encode('ab'), [3, 2]));
  const odd = [
    null,
    0,
    -1,
    1.5,
    '',
    'x',
    [],
    [[]],
    {},
    true,
    { type: 'NFC' },
    { toString: 1, valueOf: 1 },
    ['a', 'b'],
    'a b',
    'ByteLevel',
    'Replace',
  ];
  /** `rich` with one of its values, at any depth, changed to an odd one. */
  function randomChange(r) {
    const changed = structuredClone(rich);
    for (let node = changed; ;) {
      const keys = Object.keys(node);
      const key = r.pick(keys);
      if (!keys.length) return changed;
      if (node[key] && typeof node[key] === 'object' && r.chance(0.7)) node = node[key];
      else {
        node[key] = r.pick(odd);
        return changed;
      }
    }
  }
  test('two thousand random changes give errors of ours or tokenizers, quietly', async (t) => {
    const r = random(17);
    const warn = t.mock.method(console, 'warn', () => {});
    for (let round = 0; round < 2000; round++) {
      const tokenizer = randomChange(r);
      await refused(() => {
        const changed = jsonTokenizer({ tokenizer });
        changed.decode(changed.encode('a ba<s>b', { special: r.chance(0.5) }));
      });
    }
    assert.equal(warn.mock.callCount(), 0);
  });

  test('steps nested without end are refused', () => {
    const nested = (depth) =>
      depth ? { type: 'Sequence', normalizers: [nested(depth - 1)] } : { type: 'NFC' };
    return refuses(
      withChange((t) => (t.normalizer = nested(1000))),
      'LIMIT',
      /nested 5 deep/,
    );
  });
  test('control tokens are tokens where asked for, and otherwise text', () => {
    const tokenizer = {
      ...structuredClone(smallest),
      added_tokens: [
        { id: 3, content: '<s>', special: true },
        { id: 4, content: 'x', special: true },
        { id: 5, content: 'yy', special: false },
      ],
    };
    const { encode } = jsonTokenizer({ tokenizer });
    assert.deepEqual(encode('<s>abxyy', { special: true }), [3, 2, 4, 5]);
    assert.deepEqual(encode('<s>abxyy'), [2, 5], 'what only looks like them is a text');
  });
  test('a character of which nothing is known is omitted, as in the library of Hugging Face', () =>
    assert.deepEqual(withChange(() => {})().encode('acb'), [0, 1]));
});
