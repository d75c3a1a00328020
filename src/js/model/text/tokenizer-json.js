import { Tokenizer as Library } from '@huggingface/tokenizers';
import { ClearheadError, describe, refuse } from '../../errors.js';
import { merging } from './bpe.js';
import { checkTokenizer, decoderOf } from './tokenizer-check.js';
import { tokenizerOf } from './tokenizer.js';
import { BYTE, CONTROL, NORMAL, UNUSED, USER, Vocabulary, byteOf, filledUp } from './vocabulary.js';

/**
 * tokenizer.json: encoded by the library of Hugging Face, after the file has been checked, since
 * the library trusts it; decoded here, as GGUF vocabularies are.
 * @param {import('../types.d.ts').ModelFile['json']} json
 * @param {number} [rows] of the embedding
 * @returns {import('../types.d.ts').Tokenizer}
 */
export function jsonTokenizer(
  { tokenizer, tokenizerConfig = {}, config = {}, generationConfig = {} },
  rows,
) {
  checkTokenizer(tokenizer);
  const vocabulary = vocabularyOf(tokenizer, rows);
  const { texts } = vocabulary;
  const { vocab, merges } = tokenizer.model;
  const ids = new Map(Object.entries(vocab));
  const merge = merging(ids, merges, 'tokenizer.json');
  const idsOf = encoderOf(
    tokenizer,
    { ...tokenizerConfig, clean_up_tokenization_spaces: false, additional_special_tokens: [] },
    merge,
  );
  /**
   * @param {string} text
   * @param {boolean} special
   * @param {boolean} marks
   * @param {boolean} continued
   * @returns {number[]}
   */
  const encode = (text, special, marks, continued) => {
    const found = idsOf('text', text, { special, continued });
    if (found.some((id) => !(id >= 0 && id < texts.length)))
      throw new ClearheadError(
        'FORMAT',
        `tokenizer.json has no token for a piece of the text, and none for what is unknown`,
      );
    return marks ? [...before, ...found, ...after] : found;
  };
  const [before, after] = marksOf(idsOf, texts.length);
  const added = new Map(
    tokenizer.added_tokens.map((/** @type {any} */ token) => [token.content, token.id]),
  );
  /** An id, or the name of a token. @param {any} x @returns {number} */
  const id = (x) =>
    typeof x === 'number'
      ? Number.isInteger(x) && x >= 0 && x < texts.length
        ? x
        : -1
      : named(x?.content ?? x);
  const named = (/** @type {any} */ text) => {
    const found = added.get(text) ?? ids.get(text) ?? -1;
    return texts[found] === text ? found : -1; // a token that was added may have taken its place
  };
  const bos =
    [tokenizerConfig.bos_token, generationConfig.bos_token_id, config.bos_token_id]
      .map(id)
      .find((one) => one >= 0) ?? -1;
  const ends = [generationConfig.eos_token_id, config.eos_token_id, tokenizerConfig.eos_token]
    .flat(1)
    .map(id);
  return tokenizerOf(vocabulary, {
    bos,
    addsBos: bos >= 0 && before[0] === bos,
    ends: [...ends, bos],
    encode,
  });
}

/**
 * What encodes with the library.
 * @param {any} tokenizer checked
 * @param {any} settings
 * @param {ReturnType<typeof merging>} merge
 * @returns {(name: string, text: string, how: { special: boolean, continued?: boolean, marks?:
 *   boolean }) => number[]} name: what errors call the text
 */
function encoderOf(tokenizer, settings, merge) {
  const built = (/** @type {any} */ own, /** @type {any[]} */ added) =>
    guarded(
      'tokenizer.json',
      () =>
        new Library(
          {
            ...tokenizer,
            ...own,
            added_tokens: added,
            decoder: null,
            model: { ...tokenizer.model, ...own.model, type: 'BPE' },
          },
          settings,
        ),
    );
  // text that only looks like a control token must not become one: the library is then not told of
  // them
  const all = tokenizer.added_tokens;
  const ordinary = all.filter((/** @type {any} */ token) => !token.special);
  const plain = bounded(built({}, ordinary), tokenizer, merge);
  // and its large part, which knows words and nothing of what surrounds them, is there once
  const beside = (/** @type {any} */ own, /** @type {any[]} */ added) =>
    Object.assign(
      normalizing(built({ ...own, model: { vocab: {}, merges: [] } }, added), {
        ...tokenizer,
        ...own,
      }),
      { model: plain.model },
    );
  const libraries = [plain, beside({}, all)];
  const steps = { normalizer: tokenizer.normalizer, pre_tokenizer: tokenizer.pre_tokenizer };
  const within = {
    normalizer: goingOn(steps.normalizer),
    pre_tokenizer: goingOn(steps.pre_tokenizer),
  };
  /**
   * Those for the beginning of a text that continues another, made when they are wanted.
   * @type {any[]}
   */
  const middles = JSON.stringify(within) === JSON.stringify(steps) ? libraries : [];
  return (name, text, { special, continued = false, marks = false }) => {
    const run = (/** @type {any} */ library, /** @type {string} */ part) =>
      guarded(name, () => library.encode(part, { add_special_tokens: marks })).ids;
    /** @type {any} */
    const library = libraries[+special];
    const [first = '', token = ''] = continued ? library.splitter_unnormalized.split(text) : [];
    if (!continued || library.added_tokens_map.has(first)) return run(library, text);
    // A space is put before each stretch between tokens that were added, of which only the first
    // continues something. The token behind it goes
    // with both sides, for it may strip spaces from them.
    const found = run(
      (middles[+special] ??= beside(within, special ? all : ordinary)),
      first + token,
    );
    return token ? [...found.slice(0, -1), ...run(library, text.slice(first.length))] : found;
  };
}

/**
 * Two parts of the library take time with the square of a long text without spaces or with many
 * accents on one letter, and so are ours: merging, and Unicode normalization.
 * @param {Library} library
 * @param {any} tokenizer
 * @param {ReturnType<typeof merging>} merge
 */
function bounded(library, tokenizer, merge) {
  const { model } = tokenizer;
  library.model.bpe = (word) => {
    const characters = Array.from(word);
    const symbols = Int32Array.from(characters, (c) =>
      Object.hasOwn(model.vocab, c) ? model.vocab[c] : -1,
    );
    /** @type {string[]} */
    const found = [];
    merge(
      symbols,
      (symbol) =>
        void found.push(
          symbols[symbol] < 0 ? characters[symbol] : library.model.vocab[symbols[symbol]],
        ),
    );
    return found;
  };
  return normalizing(library, tokenizer);
}

/** @param {Library} library @param {any} tokenizer */
function normalizing(library, { normalizer }) {
  if (normalizer) library.normalizer = (text) => normalized(text, normalizer);
  return library;
}

/**
 * A step as it is in the middle of a text, where no space is put before a word.
 * @param {any} step that was checked
 * @returns {any}
 */
function goingOn(step) {
  switch (step?.type) {
    case 'Sequence':
      return Object.fromEntries(
        Object.entries(step).map(([key, x]) => [key, Array.isArray(x) ? x.map(goingOn) : x]),
      );
    case 'Prepend':
      return { ...step, prepend: '' };
    case 'Metaspace':
      return { ...step, prepend_scheme: 'never' };
    case 'ByteLevel':
      return step.add_prefix_space ? { ...step, add_prefix_space: false } : step;
    default:
      return step;
  }
}

/** @param {string} text @param {any} step of a normalizer that was checked @returns {string} */
function normalized(text, step) {
  switch (step?.type) {
    case 'Sequence':
      return step.normalizers.reduce(normalized, text);
    case 'Prepend':
      return text && step.prepend + text;
    case 'Replace':
      return text.replaceAll(step.pattern.String, () => step.content);
    // letters with more than 64 marks are no text; cut there, the marks need no sorting among more
    // than that
    case 'NFC':
    case 'NFKC':
      return /\p{M}{65}/u.test(text)
        ? (text.match(/\P{M}+\p{M}{0,64}|\p{M}{1,64}/gu) ?? [])
            .map((part) => part.normalize(step.type))
            .join('')
        : text.normalize(step.type);
    default:
      return text;
  }
}

/**
 * What the post-processor puts before and after a text.
 * @param {ReturnType<typeof encoderOf>} idsOf
 * @param {number} size
 */
function marksOf(idsOf, size) {
  const [plain, marked] = [false, true].map((marks) =>
    idsOf('tokenizer.json', 'a', { special: true, marks }),
  );
  const before = marked.findIndex(
    (_, at) => String(marked.slice(at, at + plain.length)) === String(plain),
  );
  if (before < 0 || marked.some((id) => !(id >= 0 && id < size)))
    refuse(
      'FORMAT',
      'post_processor of tokenizer.json',
      'something else',
      'tokens before and after the text',
    );
  return [marked.slice(0, before), marked.slice(before + plain.length)];
}

/** @param {any} tokenizer checked @param {number} [rows] of the embedding */
function vocabularyOf({ model, added_tokens: added, decoder }, rows) {
  const ids = Object.entries(model.vocab);
  const size =
    [...ids.map(([, id]) => id), ...added.map((/** @type {any} */ token) => token.id)].reduce(
      (a, b) => Math.max(a, b),
      -1,
    ) + 1;
  /** @type {string[]} */
  const texts = new Array(size).fill('');
  const kinds = new Uint8Array(size).fill(UNUSED);
  for (const [text, id] of ids) {
    texts[id] = text;
    kinds[id] = model.byte_fallback && byteOf(text) >= 0 ? BYTE : NORMAL;
  }
  for (const { id, content, special } of added) {
    texts[id] = content;
    kinds[id] = special ? CONTROL : USER;
  }
  return new Vocabulary(...filledUp(texts, kinds, rows), decoderOf(decoder));
}

/**
 * Runs the library; whatever it throws is about the file or the text.
 * @template T
 * @param {string} name
 * @param {() => T} run
 * @returns {T}
 */
function guarded(name, run) {
  try {
    return run();
  } catch (/** @type {any} */ cause) {
    throw new ClearheadError(
      'FORMAT',
      `${name} could not be read by the tokenizer: ${describe(cause?.message ?? cause)}`,
      { cause },
    );
  }
}
