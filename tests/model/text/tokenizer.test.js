/**
 * Text to tokens and back: against the expected ids of real vocabularies, against regular
 * expressions, slow merging and the library of Hugging Face, and against hostile texts and files.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { NAMES, WAYS, scan, words } from '../../../src/js/model/text/pretokenize.js';
import { openTokenizer } from '../../../src/js/model/text/tokenizer.js';
import { ggufTokenizer as ggufSteps } from '../../../src/js/model/text/tokenizer-gguf.js';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { jsonTokenizer as jsonSteps } from '../../../src/js/model/text/tokenizer-json.js';
import { written } from '../../../src/js/model/text/vocabulary.js';
import { random } from '../../support/random.js';
import { refused, refuses } from '../../support/streams.js';
import {
  TOKENS,
  tinyConfig,
  tinyGguf,
  tinyJson,
  tokenizerMetadata,
} from '../../support/models/tiny-models.js';
import { worked } from '../../support/clock.js';

const ggufTokenizer = (...how) => runAtOnce(ggufSteps(...how));
const jsonTokenizer = (...how) => runAtOnce(jsonSteps(...how));

const shared = new URL('../../../../shared/models/', import.meta.url);
const skip = existsSync(shared) ? false : 'skipped, not present';
const open = async (name) => {
  const file = await openModel(new URL(name, shared));
  await file.cancel();
  return { file, tokenizer: await openTokenizer(file) };
};
const gpt2 = skip ? null : await open('tokenizers/ggml-vocab-gpt-2.gguf');
const read = (name) => readFileSync(new URL(name, shared), 'utf8');
const texts = skip
  ? []
  : read('tokenizers/ggml-vocab-gpt-2.gguf.inp').split('\n__ggml_vocab_test__\n');

/** Texts of all kinds of characters, short and in runs. */
function* randomTexts(seed, count) {
  const r = random(seed);
  const kinds = [
    'a',
    'Z',
    'é',
    'ſ',
    '0',
    '7',
    '½',
    '٣',
    ' ',
    '  ',
    '\n',
    '\r\n',
    '\t',
    '\u00a0',
    '\u0085',
    '\ufeff',
    '\u3000',
    "'s",
    "'RE",
    "'",
    '!',
    '+',
    '<|',
    '我',
    '🙂',
    'ก',
    '\u0301',
    '_',
    '$',
  ];
  for (let i = 0; i < count; i++)
    yield Array.from({ length: r.integer(1, 24) }, () => r.pick(kinds)).join('');
}

describe('real vocabularies', { skip }, () => {
  test('gpt-2: 47 of 47 expected encodings, and back', () => {
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

describe('words', () => {
  const short = "'s|'t|'re|'ve|'m|'ll|'d";
  const anyCase = "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]";
  const S = '\\p{White_Space}';
  const notS = '\\P{White_Space}';
  const gpt2Words = `${short}| ?\\p{L}+| ?\\p{N}+| ?[^${S}\\p{L}\\p{N}]+|${S}+(?!${notS})|${S}+`;
  const gpt4Words = (digits) =>
    `${anyCase}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,${digits}}| ` +
    `?[^${S}\\p{L}\\p{N}]+[\\r\\n]*|${S}*[\\r\\n]+|${S}+(?!${notS})|${S}+`;
  /**
   * The definition of each way: expressions, each applied to the pieces the one before has left,
   * what lies between matches being pieces too.
   */
  const definitions = {
    'gpt-2': [gpt2Words],
    'llama-bpe': [gpt4Words(3)],
    qwen2: [gpt4Words(1)],
    dbrx: [gpt4Words(3)],
    smollm: ['\\p{N}', gpt2Words],
    default: ['[\\p{P}$+<=>^~|]+', gpt2Words, '\\p{N}+', '[0-9][0-9][0-9]'],
  };
  const pieces = (text, expressions) =>
    expressions.reduce(
      (parts, expression) =>
        parts.flatMap((part) => {
          const found = [];
          let end = 0;
          for (const { 0: match, index } of part.matchAll(new RegExp(expression, 'gu'))) {
            found.push(part.slice(end, index), match);
            end = index + match.length;
          }
          return [...found, part.slice(end)].filter(Boolean);
        }),
      [text],
    );

  for (const [way, expressions] of Object.entries(definitions))
    test(`${way}: as its regular expressions cut`, () => {
      for (const text of [...texts, ...randomTexts(5, 20000)]) {
        const got = [...words(runAtOnce(scan(text)), WAYS[way])];
        assert.deepEqual(got, pieces(text, expressions), JSON.stringify(text));
      }
    });

  test('every name leads to a way', () => {
    for (const way of Object.values(NAMES)) assert.ok(WAYS[way]);
  });
});

describe('merging', () => {
  /** The best pair is looked for again and again. */
  function slowly(symbols, costOf) {
    for (;;) {
      let best = Infinity;
      let at = -1;
      for (let i = 0; i + 1 < symbols.length; i++) {
        const cost = costOf(symbols[i] + symbols[i + 1]);
        if (cost < best) [best, at] = [cost, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
    }
  }

  test('of SentencePiece is that of slow merging, ties from the left', () => {
    const r = random(7);
    const letters = ['a', 'b', 'c', '\u2581'];
    for (let round = 0; round < 60; round++) {
      const words = new Set(letters);
      while (words.size < 40)
        words.add(Array.from({ length: r.integer(2, 5) }, () => r.pick(letters)).join(''));
      const bytes = Array.from(
        { length: 256 },
        (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
      );
      const tokens = ['<unk>', ...bytes, ...words];
      const scores = Float32Array.from(tokens, () => -r.integer(0, 9));
      const tokenizer = ggufTokenizer(
        new Map(
          Object.entries({
            'tokenizer.ggml.model': 'llama',
            'tokenizer.ggml.tokens': tokens,
            'tokenizer.ggml.scores': scores,
            'tokenizer.ggml.token_type': Int32Array.from(tokens, (token, id) =>
              id === 0 ? 2 : id <= 256 ? 6 : 1,
            ),
          }),
        ),
      );
      for (let i = 0; i < 40; i++) {
        const text = Array.from({ length: r.integer(1, 30) }, () =>
          r.pick(['a', 'b', 'c', ' ', 'é', '🙂']),
        ).join('');
        const merged = slowly([...` ${text}`.replaceAll(' ', '\u2581')], (word) =>
          words.has(word) ? -scores[tokens.indexOf(word)] : NaN,
        );
        const want = merged.flatMap((word) =>
          words.has(word)
            ? [tokens.indexOf(word)]
            : [...new TextEncoder().encode(word)].map((byte) => byte + 1),
        );
        assert.deepEqual(tokenizer.encode(text), want, JSON.stringify(text));
        assert.equal(tokenizer.decode(want), text);
      }
    }
  });

  test('of bytes is what merging slowly gives', { skip }, () => {
    const merges = gpt2.file.metadata.get('tokenizer.ggml.merges');
    const ranks = new Map(merges.map((merge, rank) => [merge.replace(' ', ''), rank]));
    const ids = new Map(
      gpt2.file.metadata.get('tokenizer.ggml.tokens').map((token, id) => [token, id]),
    );
    const pairs = new Set(merges);
    for (const word of [
      'antidisestablishmentarianism',
      'aaaaaaaaaaaaaaaaaaaaaaa',
      'abababababbbbab',
      'thethethethe',
      'xqzjkwvxqzjk',
    ]) {
      const symbols = [...word];
      for (;;) {
        let best = Infinity;
        let at = -1;
        for (let i = 0; i + 1 < symbols.length; i++) {
          const rank = pairs.has(`${symbols[i]} ${symbols[i + 1]}`)
            ? ranks.get(symbols[i] + symbols[i + 1])
            : Infinity;
          if (rank < best) [best, at] = [rank, i];
        }
        if (at < 0) break;
        symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
      }
      assert.deepEqual(
        gpt2.tokenizer.encode(word),
        symbols.map((symbol) => ids.get(symbol)),
        word,
      );
    }
  });
});

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
    const many = Array.from({ length: 2e5 }, (_, x) => `x${x}`);
    const before = worked();
    const { ends } = jsonTokenizer({
      tokenizer: {
        ...json,
        added_tokens: [],
        model: { ...json.model, vocab: { ...vocab, a: 2e5 }, merges: [], unk_token: null },
      },
      generationConfig: { eos_token_id: [...many, 't7', { content: 't9' }] },
    });
    assert.deepEqual(
      [...ends].filter((id) => id >= 0),
      [7, 9],
    );
    assert.ok(worked() - before < 10000, 'to look each up in all takes an hour');
  });
});

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

  test('what would go unread is refused', async () => {
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

  test('tokenizer.json: steps that put a space before a word do not where a text goes on', () => {
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
    for (const [name, steps, word, later = word] of [
      ['Prepend', { normalizer: { type: 'Sequence', normalizers: [prepend, replace] } }, 2],
      ['Metaspace', { pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'always' } }, 2],
      [
        'the first of Metaspace',
        {
          pre_tokenizer: {
            type: 'Sequence',
            pretokenizers: [{ type: 'Metaspace', prepend_scheme: 'first' }],
          },
        },
        2,
        1,
      ],
      ['ByteLevel', { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true } }, 4],
      ['none', { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false } }, 1],
    ]) {
      const tokenizer = json(steps);
      const space = word === 1 ? 4 : word;
      const goesOn = (text) => tokenizer.encode(text, { special: true, continued: true });
      assert.deepEqual(tokenizer.encode('a'), [word], name);
      assert.deepEqual([goesOn('a'), goesOn(' a'), goesOn('')], [[1], [space], []], name);
      assert.deepEqual(
        [goesOn('a<s>a'), goesOn(' a<s>a<s>')],
        [
          [1, 5, later],
          [space, 5, later, 5],
        ],
        name,
      );
      assert.deepEqual(goesOn('<s>a'), [5, later], name);
      const stripping = json(steps, { lstrip: true, rstrip: true });
      assert.deepEqual(
        stripping.encode('a <s> a', { special: true, continued: true }),
        [1, 5, later],
        name,
      );
    }
  });
});

describe('hostile texts', () => {
  const hostile = [
    'a',
    ' ',
    '\n',
    '🙂',
    'aaaaaaaa ',
    '!',
    ' \n',
    "'",
    '1',
    '_',
    'é',
    'ab',
    '<|endof',
    '<s',
    '\u0301\u0316',
    '\ud800',
    '\t ',
  ];
  const measure = async (t, tokenizer, pieces, options) => {
    let worst = 0;
    for (const [at, piece] of pieces.entries()) {
      const text = piece.repeat(Math.floor(2 ** (at < 5 ? 20 : 17) / Buffer.byteLength(piece)));
      const before = worked();
      const ids = tokenizer.encode(text, options);
      const took = worked() - before;
      assert.equal(tokenizer.decode(ids).length, text.length);
      worst = Math.max(worst, took);
      // merging by scanning would take hours, or minutes
      assert.ok(took < text.length / 50 + 500, `${JSON.stringify(piece)} took ${took} ms`);
    }
    t.diagnostic(`at most ${worst.toFixed(0)} ms`);
  };
  test('1 MB of anything, or 128 KB, byte-level', { skip }, (t) =>
    measure(t, gpt2.tokenizer, hostile, { special: true }),
  );
  test('1 MB of anything, or 128 KB, SentencePiece', { skip }, async (t) =>
    measure(t, (await open('stories260K/gguf/stories260K-f32.gguf')).tokenizer, hostile),
  );
  test('1 MB of anything, or 128 KB, tokenizer.json', { skip }, async (t) =>
    measure(t, (await open('stories260K/hf/model.safetensors')).tokenizer, hostile.slice(0, 5)),
  );

  test('what is no text, and ids that are none, are refused', async () => {
    const tokenizer = ggufTokenizer(new Map(Object.entries(tokenizerMetadata())));
    for (const text of [null, undefined, 3, ['a'], {}])
      await refuses(() => tokenizer.encode(text), 'ARG', /text is/);
    for (const id of [-1, 14, 1.5, NaN, 2 ** 31, '1'])
      await refuses(() => tokenizer.decode([id]), id === '1' ? 'ARG' : 'RANGE', /id is/);
    await refuses(() => tokenizer.encode('a', { specials: true }), 'ARG', /given "specials"/);
  });
});

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

describe('hostile tokenizer.json', () => {
  const good = {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'] },
  };
  const make = (change) => {
    const tokenizer = structuredClone(good);
    change(tokenizer);
    return () => jsonTokenizer({ tokenizer });
  };
  test('the good one works', () => assert.deepEqual(make(() => {})().encode('aab'), [0, 2]));
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
      await refuses(make(change), 'FORMAT', message);
    });
  test('two thousand random changes give an error of ours or a tokenizer', async () => {
    const r = random(17);
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
    const printed = [];
    const rich = {
      ...good,
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
        single: [
          { SpecialToken: { id: '<s>', type_id: 0 } },
          { Sequence: { id: 'A', type_id: 0 } },
        ],
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
    assert.deepEqual(jsonTokenizer({ tokenizer: rich }).encode('ab'), [3, 2]);
    const { warn } = console;
    console.warn = (...words) => printed.push(words);
    try {
      for (let round = 0; round < 2000; round++) {
        const tokenizer = structuredClone(rich);
        for (let node = tokenizer; ;) {
          const keys = Object.keys(node);
          const key = r.pick(keys);
          if (!keys.length) break;
          if (node[key] && typeof node[key] === 'object' && r.chance(0.7)) node = node[key];
          else {
            node[key] = r.pick(odd);
            break;
          }
        }
        await refused(() => {
          const changed = jsonTokenizer({ tokenizer });
          changed.decode(changed.encode('a ba<s>b', { special: r.chance(0.5) }));
        });
      }
    } finally {
      console.warn = warn;
    }
    assert.deepEqual(printed, []);
  });

  test('steps nested without end', () => {
    const nested = (depth) =>
      depth ? { type: 'Sequence', normalizers: [nested(depth - 1)] } : { type: 'NFC' };
    return refuses(
      make((t) => (t.normalizer = nested(1000))),
      'LIMIT',
      /nested 5 deep/,
    );
  });
  describe('a text grows only so far, whatever the steps', () => {
    const list = (key, steps) => ({ type: 'Sequence', [key]: steps });
    const many = (count, step) => Array.from({ length: count }, () => step);
    const doubling = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' };
    const twice = { type: 'TemplateProcessing', single: many(2, { Sequence: { id: 'A' } }) };
    const grows = {
      'replacing, by doubling': (t) => (t.normalizer = list('normalizers', many(28, doubling))),
      'replacing, at once': (t) => (t.normalizer = { ...doubling, content: 'a'.repeat(1000) }),
      'putting something in front': (t) =>
        (t.normalizer = { type: 'Prepend', prepend: 'a'.repeat(1000) }),
      'normal forms in turn': (t) =>
        (t.normalizer = list('normalizers', many(3, { type: 'NFKC' }))),
      'bytes of bytes': (t) =>
        (t.pre_tokenizer = list('pretokenizers', many(20, { type: 'ByteLevel' }))),
      'long spaces': (t) =>
        (t.pre_tokenizer = { type: 'Metaspace', replacement: '\u2581', str_rep: ' '.repeat(1000) }),
      'the text again and again': (t) => (t.post_processor = list('processors', many(20, twice))),
      'a little of each': (t) => {
        t.normalizer = list('normalizers', many(4, doubling));
        t.pre_tokenizer = list('pretokenizers', many(2, { type: 'ByteLevel' }));
      },
    };
    for (const [name, change] of Object.entries(grows))
      test(name, () => refuses(make(change), 'LIMIT', /times as long; expected at most 128/));
    test('more steps than any has', () =>
      refuses(
        make((t) => (t.pre_tokenizer = list('pretokenizers', many(33, { type: 'Digits' })))),
        'LIMIT',
        /more than 32 steps/,
      ));
    test('added tokens, which are grown as the text is', () =>
      refuses(
        make((t) => {
          t.normalizer = list('normalizers', many(7, doubling));
          for (let id = 3; id < 203; id++)
            t.added_tokens.push({ id, content: `${id}`.padEnd(96, 'a'), special: false });
        }),
        'LIMIT',
        /added_tokens of tokenizer.json is of 2457600 characters/,
      ));
    test('what Llama, Gemma, Qwen and GPT-2 do is let through', () => {
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
        assert.ok(make(change)().encode('a').length);
    });
  });
  test('control tokens are tokens where asked for, and otherwise text', () => {
    const tokenizer = {
      ...structuredClone(good),
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
  test('a character of which nothing is known is left out, as in the library of Hugging Face', () =>
    assert.deepEqual(make(() => {})().encode('acb'), [0, 1]));
});
