/** The tokenizer of tokenizer.json inside a GGUF file. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClearheadError } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { writeGguf } from '../../../src/js/train/files/gguf.js';
import { writeModel } from '../../../src/js/train/files/safetensors.js';
import { engine } from '../../support/models/texts.js';
import { END, byteTokenizer } from '../../support/train/byte-tokenizer.js';
import { blocks, parametersOf, sizesOf, tiny } from '../../support/train/models.js';
import { readGguf } from '../../support/train/readers.js';

const model = tiny({ ...blocks, vocab_size: 288 });
const sizes = sizesOf(model.config);
const parameters = parametersOf(model);
const marks = { bos: END, eos: END };
const written = (tokenizer, more = marks) =>
  writeGguf(sizes, parameters, 'F32', { tokenizer, ...more });

const texts = [
  '',
  'the and in',
  "Anna's ball, and the cat's; I'll see 42 of 1234567 balls!",
  'two  spaces\n\n and\ttabs \r\n end  ',
  'é ü 漢字 🙂 \u0000\u00ad',
  'a <|end|> in a text, and a [name] too[name]',
];
const modern = (numbers) =>
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|${numbers}|` +
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const split = (Regex) => ({
  type: 'Sequence',
  pretokenizers: [
    { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
    { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
  ],
});
const framed = {
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: '<|end|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [],
  special_tokens: { '<|end|>': { id: '<|end|>', ids: [END], tokens: ['<|end|>'] } },
};
const base = byteTokenizer();

describe('texts become the same ids from GGUF as from tokenizer.json', () => {
  for (const [name, change] of Object.entries({
    'cut as GPT-2 cuts': {},
    'merges as pairs': {
      model: { ...base.model, merges: base.model.merges.map((merge) => merge.split(' ')) },
    },
    'cut as Llama 3 cuts': {
      pre_tokenizer: split(modern(String.raw`\p{N}{1,3}`)),
      model: { ...base.model, ignore_merges: true },
    },
    'cut as Qwen 2 cuts': {
      pre_tokenizer: split(modern(String.raw`\p{N}`)),
      normalizer: { type: 'NFC' },
    },
    'with a mark before a text': { post_processor: framed },
  }))
    test(name, async () => {
      const tokenizer = byteTokenizer(change);
      const ours = await loadModel(written(tokenizer), { engine });
      const files = { ...writeModel(sizes, parameters, 'F32', marks), tokenizer };
      const theirs = await loadModel(files, { engine });
      for (const text of texts)
        for (const special of [false, true]) {
          const ids = ours.tokenizer.encode(text, { special });
          assert.deepEqual(ids, theirs.tokenizer.encode(text, { special }), JSON.stringify(text));
          for (const written of [false, true])
            assert.equal(
              ours.tokenizer.decode(ids, { special: written }),
              theirs.tokenizer.decode(ids, { special: written }),
            );
        }
      assert.deepEqual([...ours.tokenizer.ends], [...theirs.tokenizer.ends]);
      assert.equal(ours.tokenizer.bos, theirs.tokenizer.bos);
      assert.equal(ours.tokenizer.size, 288);
    });
});

test('the metadata name the kind of each token, and rows without a token are unused', () => {
  const [metadata] = readGguf(written(base));
  const kinds = metadata.get('tokenizer.ggml.token_type');
  assert.equal(metadata.get('tokenizer.ggml.model'), 'gpt2');
  assert.equal(metadata.get('tokenizer.ggml.pre'), 'gpt-2');
  assert.deepEqual(kinds.slice(0, END + 3), [...new Array(END).fill(1), 3, 4, 5]);
  assert.equal(metadata.get('tokenizer.ggml.tokens')[END + 2], `[PAD${END + 2}]`);
  assert.equal(metadata.get('tokenizer.ggml.eos_token_id'), END);
});

test('without a tokenizer there are no metadata of one', () => {
  const [metadata] = readGguf(writeGguf(sizes, parameters, 'F32'));
  assert.deepEqual(
    [...metadata.keys()].filter((key) => key.startsWith('tokenizer')),
    [],
  );
});

describe('refused', () => {
  for (const [name, change, message, ids = marks] of [
    ['a vocabulary that is not of bytes', { decoder: { type: 'Metaspace' } }, /not of bytes/],
    ['no way to cut words', { pre_tokenizer: { type: 'Sequence', pretokenizers: [] } }, /not of b/],
    [
      'an unknown way to cut words',
      { pre_tokenizer: split(String.raw`\d`) },
      /pre_tokenizer of tokenizer\.json/,
    ],
    ['a normalizer that GGUF cannot tell', { normalizer: { type: 'NFKC' } }, /NFKC.*none/],
    [
      'whole words beside the words of GPT-2',
      { model: { ...base.model, ignore_merges: true } },
      /ignore_merges/,
    ],
    [
      'a mark that is neither bos nor eos',
      { post_processor: framed },
      /an empty text is 266; expected no more than bos, undefined/,
      {},
    ],
    ['a damaged file', { model: { ...base.model, vocab: 3 } }, /vocab of tokenizer\.json/],
  ])
    test(name, () =>
      assert.throws(
        () => written(byteTokenizer(change), ids),
        (error) =>
          error instanceof ClearheadError && error.code === 'FORMAT' && message.test(error.message),
      ),
    );

  test('a vocabulary that is larger than the embedding', () =>
    assert.throws(
      () => writeGguf({ ...sizes, vocab: 64 }, parameters, 'F32', { tokenizer: base }),
      { code: 'FORMAT', message: /268 tokens; expected at most 64/ },
    ));
});
