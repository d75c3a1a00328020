/**
 * The tokenizer of the stories: 1024 pieces that are learnt from the stories themselves. Piece 0
 * begins and ends a text, and the 256 bytes follow.
 */
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { jsonTokenizer } from '../../../src/js/model/text/tokenizer-json.js';
import { written } from '../../../src/js/model/text/vocabulary.js';
import { BEGINNINGS, ENDS, NAMING_WORDS } from '../world/entities.js';
import { tellStory } from '../world/index.js';
import { learnMerges } from './bpe.js';

export const PIECES = 1024;
/** Begins a text, and so ends the one before. */
export const MARK = '<|endoftext|>';
export const MARK_ID = 0;
/** The stories that it is learnt from; no others have this seed. */
const SEED = 1024;
const STORIES = 4000;

/**
 * Words that become whole pieces. The end of an invented name has no space before it.
 */
const WHOLE = ` ${[...NAMING_WORDS, ...BEGINNINGS].join(' ')}\n${ENDS.join('\n')}`;

/**
 * Stories whose places come in any order, so that no preposition is rare. The words that name
 * something come once more with each.
 * @param {number} count
 * @returns {Iterable<string>}
 */
function* texts(count) {
  for (let index = 0; index < count; index++) {
    yield tellStory(SEED, index, { ordered: false }).text;
    yield WHOLE;
  }
}

/** A step that takes bytes as characters, and cuts words as GPT-2 does. */
const BYTES = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
const MARKED = {
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: MARK, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [
    { SpecialToken: { id: MARK, type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { Sequence: { id: 'B', type_id: 0 } },
  ],
  special_tokens: { [MARK]: { id: MARK, ids: [MARK_ID], tokens: [MARK] } },
};

/** @type {[left: number, right: number][] | undefined} */
let learnt;

/** The content of tokenizer.json, as Hugging Face's tokenizers read it. It is learnt once. */
export function learnTokenizer() {
  const pieces = [MARK];
  for (let byte = 0; byte < 256; byte++) pieces.push(written(Uint8Array.of(byte)));
  learnt ??= learnMerges(texts(STORIES), { count: PIECES - pieces.length, first: 1 });
  const merges = learnt;
  for (const [left, right] of merges) pieces.push(pieces[left] + pieces[right]);
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ id: MARK_ID, content: MARK, ...flags, special: true }],
    normalizer: null,
    pre_tokenizer: BYTES,
    post_processor: MARKED,
    decoder: BYTES,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges: merges.map(([left, right]) => `${pieces[left]} ${pieces[right]}`),
    },
  };
}

/** The content of tokenizer_config.json. */
export const TOKENIZER_CONFIG = {
  tokenizer_class: 'PreTrainedTokenizerFast',
  bos_token: MARK,
  eos_token: MARK,
  clean_up_tokenization_spaces: false,
};

/** The tokenizer of `clearhead/model` for it. @param {ReturnType<typeof learnTokenizer>} file */
export const openTokenizer = (file) =>
  runAtOnce(jsonTokenizer({ tokenizer: file, tokenizerConfig: TOKENIZER_CONFIG }, PIECES));
