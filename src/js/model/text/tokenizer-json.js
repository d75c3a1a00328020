import { ClearheadError, refuse } from '../../errors.js';
import { merging } from './bpe.js';
import { libraryEncoder } from './library-encoder.js';
import { makeTokenizer } from './make-tokenizer.js';
import { checkTokenizer } from './tokenizer-check.js';
import { decoderOf } from './tokenizer-steps.js';
import { BYTE, CONTROL, NORMAL, UNUSED, USER, Vocabulary, byteOf, filledUp } from './vocabulary.js';

/**
 * The tokenizer of tokenizer.json. @huggingface/tokenizers encodes. It trusts the
 * file, which is checked before. Decoding is our own, as for GGUF vocabularies.
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
  const idsOf = libraryEncoder(
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
        'tokenizer.json has no token for a piece of the text, and none for unknown text',
      );
    return marks ? [...before, ...found, ...after] : found;
  };
  const [before, after] = marksOf(idsOf, texts.length);
  const added = new Map(
    tokenizer.added_tokens.map(({ content, id }) => /** @type {const} */ ([content, id])),
  );
  const named = (/** @type {string} */ text) => {
    const found = added.get(text) ?? ids.get(text) ?? -1;
    return texts[found] === text ? found : -1; // an added token may have replaced it
  };
  /** An id, or the name of a token. @param {any} x @returns {number} */
  const id = (x) => {
    if (typeof x !== 'number') return named(x?.content ?? x);
    return Number.isInteger(x) && x >= 0 && x < texts.length ? x : -1;
  };
  const bos =
    [tokenizerConfig.bos_token, generationConfig.bos_token_id, config.bos_token_id]
      .map(id)
      .find((one) => one >= 0) ?? -1;
  const ends = [generationConfig.eos_token_id, config.eos_token_id, tokenizerConfig.eos_token]
    .flat(1)
    .map(id);
  return makeTokenizer(vocabulary, {
    bos,
    addsBos: bos >= 0 && before[0] === bos,
    ends: [...ends, bos],
    encode,
  });
}

/**
 * The tokens that the post-processor puts before and after a text.
 * @param {ReturnType<typeof libraryEncoder>} idsOf
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

/**
 * @param {import('./tokenizer-check.js').TokenizerFile} tokenizer
 * @param {number} [rows] of the embedding
 */
function vocabularyOf({ model, added_tokens: added, decoder }, rows) {
  const ids = Object.entries(model.vocab);
  const size =
    [...ids.map(([, id]) => id), ...added.map((token) => token.id)].reduce(
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
