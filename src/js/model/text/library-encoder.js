import { Tokenizer as Library } from '@huggingface/tokenizers';
import { ClearheadError, describe } from '../../errors.js';

/**
 * Encodes with @huggingface/tokenizers, in time that does not grow with the square of a text.
 * @typedef {import('./tokenizer-check.js').TokenizerFile} TokenizerFile
 * @typedef {import('./tokenizer-check.js').AddedToken} AddedToken
 * @typedef {import('./tokenizer-steps.js').Step} Step
 * @typedef {ReturnType<typeof import('./bpe.js').merging>} Merge
 */

/**
 * A function that encodes with the library.
 * @param {TokenizerFile} tokenizer checked
 * @param {Record<string, unknown>} settings
 * @param {Merge} merge
 * @returns {(name: string, text: string, how: { special: boolean, continued?: boolean, marks?:
 *   boolean }) => number[]} name: of the text, in errors
 */
export function libraryEncoder(tokenizer, settings, merge) {
  const build = (/** @type {Step} */ own, /** @type {AddedToken[]} */ added) =>
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
  // for text that only looks like control tokens there is a library that does not know them
  const all = tokenizer.added_tokens;
  const ordinary = all.filter((token) => !token.special);
  const plain = bounded(build({}, ordinary), tokenizer, merge);
  // the large part, which knows words alone, is shared by all
  const sharing = (/** @type {Step} */ own, /** @type {AddedToken[]} */ added) =>
    Object.assign(
      normalizing(build({ ...own, model: { vocab: {}, merges: [] } }, added), {
        ...tokenizer,
        ...own,
      }),
      { model: plain.model },
    );
  const libraries = [plain, sharing({}, all)];
  const steps = { normalizer: tokenizer.normalizer, pre_tokenizer: tokenizer.pre_tokenizer };
  const within = {
    normalizer: continuedStep(steps.normalizer),
    pre_tokenizer: continuedStep(steps.pre_tokenizer),
  };
  /**
   * For the beginning of a text that continues another; built at first use.
   * @type {Library[]}
   */
  const middles = JSON.stringify(within) === JSON.stringify(steps) ? libraries : [];
  return (name, text, { special, continued = false, marks = false }) => {
    const run = (/** @type {Library} */ library, /** @type {string} */ part) =>
      guarded(name, () => library.encode(part, { add_special_tokens: marks })).ids;
    const library = libraries[Number(special)];
    const [first = '', token = ''] = continued ? library.splitter_unnormalized.split(text) : [];
    if (!continued || library.added_tokens_map.has(first)) return run(library, text);
    // A space is put before each stretch between added tokens. Only the first stretch continues
    // something. The token behind it goes with both sides, for it may strip spaces from them.
    const found = run(
      (middles[Number(special)] ??= sharing(within, special ? all : ordinary)),
      first + token,
    );
    return token ? [...found.slice(0, -1), ...run(library, text.slice(first.length))] : found;
  };
}

/**
 * Replaces two parts of the library, merging and Unicode normalization. They take time with the
 * square of a long text without spaces, or with many accents on one letter.
 * @param {Library} library
 * @param {TokenizerFile} tokenizer
 * @param {Merge} merge
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

/** @param {Library} library @param {Pick<TokenizerFile, 'normalizer'>} tokenizer */
function normalizing(library, { normalizer }) {
  if (normalizer) library.normalizer = (text) => normalized(text, normalizer);
  return library;
}

/**
 * A step as it is in the middle of a text, where no space is put before a word.
 * @param {Step | null | undefined} step checked
 * @returns {Step | null | undefined}
 */
function continuedStep(step) {
  switch (step?.type) {
    case 'Sequence':
      return Object.fromEntries(
        Object.entries(step).map(([key, x]) => [key, Array.isArray(x) ? x.map(continuedStep) : x]),
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

/** @param {string} text @param {Step} step of a normalizer, checked @returns {string} */
function normalized(text, step) {
  switch (step.type) {
    case 'Sequence':
      return step.normalizers.reduce(normalized, text);
    case 'Prepend':
      return text && step.prepend + text;
    case 'Replace':
      return text.replaceAll(step.pattern.String, () => step.content);
    // a letter with more than 64 marks is no text; cut there, fewer marks have to be sorted
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
 * Runs the library. Its errors are about the file or the text.
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
