/** The steps of a tokenizer.json make a text grow only so far. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withChange } from '../../support/models/tokenizers.js';
import { refuses } from '../../support/streams.js';

describe('hostile tokenizer.json', () => {
  describe('a text grows only so far, whatever the steps', () => {
    const list = (key, steps) => ({ type: 'Sequence', [key]: steps });
    const repeated = (count, step) => Array.from({ length: count }, () => step);
    const doubling = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' };
    const twice = { type: 'TemplateProcessing', single: repeated(2, { Sequence: { id: 'A' } }) };
    const grows = {
      'replacing, by doubling': (t) => (t.normalizer = list('normalizers', repeated(28, doubling))),
      'replacing, at once': (t) => (t.normalizer = { ...doubling, content: 'a'.repeat(1000) }),
      'putting something in front': (t) =>
        (t.normalizer = { type: 'Prepend', prepend: 'a'.repeat(1000) }),
      'normal forms in turn': (t) =>
        (t.normalizer = list('normalizers', repeated(3, { type: 'NFKC' }))),
      'bytes of bytes': (t) =>
        (t.pre_tokenizer = list('pretokenizers', repeated(20, { type: 'ByteLevel' }))),
      'long spaces': (t) =>
        (t.pre_tokenizer = { type: 'Metaspace', replacement: '\u2581', str_rep: ' '.repeat(1000) }),
      'the text again and again': (t) =>
        (t.post_processor = list('processors', repeated(20, twice))),
      'a little of each': (t) => {
        t.normalizer = list('normalizers', repeated(4, doubling));
        t.pre_tokenizer = list('pretokenizers', repeated(2, { type: 'ByteLevel' }));
      },
    };
    for (const [name, change] of Object.entries(grows))
      test(name, () => refuses(withChange(change), 'LIMIT', /times as long; expected at most 128/));
    test('more steps than any has', () =>
      refuses(
        withChange(
          (t) => (t.pre_tokenizer = list('pretokenizers', repeated(33, { type: 'Digits' }))),
        ),
        'LIMIT',
        /more than 32 steps/,
      ));
    test('added tokens, which are grown as the text is', () =>
      refuses(
        withChange((t) => {
          t.normalizer = list('normalizers', repeated(7, doubling));
          for (let id = 3; id < 203; id++)
            t.added_tokens.push({ id, content: `${id}`.padEnd(96, 'a'), special: false });
        }),
        'LIMIT',
        /added_tokens of tokenizer.json is of 2457600 characters/,
      ));
    test('the steps of Llama, Gemma, Qwen and GPT-2 are let through', () => {
      const marks = { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' };
      const bytes = { type: 'ByteLevel', add_prefix_space: false };
      for (const change of [
        (t) =>
          (t.normalizer = list('normalizers', [{ type: 'Prepend', prepend: '\u2581' }, marks])),
        (t) =>
          ([t.normalizer, t.pre_tokenizer] = [
            marks,
            { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious' },
          ]),
        (t) =>
          ([t.normalizer, t.pre_tokenizer] = [
            { type: 'NFC' },
            list('pretokenizers', [{ type: 'Digits' }, bytes]),
          ]),
        (t) => ([t.normalizer, t.pre_tokenizer] = [list('normalizers', [{ type: 'NFKC' }]), bytes]),
      ])
        assert.ok(withChange(change)().encode('a').length);
    });
  });
});
