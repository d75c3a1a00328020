/** Writes a tokenizer into a GGUF file. */
import { describe, refuse } from '../../errors.js';
import { runAtOnce } from '../../engine/yield.js';
import { jsonTokenizer } from '../../model/text/tokenizer-json.js';
import { CONTROL, NORMAL, UNUSED, USER } from '../../model/text/vocabulary.js';
import { WAY_OF } from '../../model/text/words.js';

/**
 * @typedef {import('../../model/text/tokenizer-steps.js').Step} Json
 *
 * A value of the metadata, with the type that it is written in.
 * @typedef {{ type: 'u32' | 'f32', value: number } | { type: 'bool', value: boolean } |
 *   { type: 'text', value: string } | { type: 'texts', value: string[] } |
 *   { type: 'i32s', value: Int32Array }} Value
 */

/** The text of an id that is no token, as llama.cpp's converter writes it. */
const padding = (/** @type {number} */ id) => `[PAD${id}]`;

/**
 * The metadata of GGUF for a byte-level BPE of tokenizer.json. GGUF has a name for each way to cut
 * words, and nothing for other steps of a tokenizer. A tokenizer that has such steps is refused.
 * @param {Json} tokenizer
 * @param {number} vocab rows of the embedding
 * @param {{ bos?: number, eos?: number }} marks ids that begin and end a text
 * @returns {Record<string, Value>}
 */
export function tokenizerMetadata(tokenizer, vocab, { bos, eos }) {
  const config = { bos_token_id: bos, eos_token_id: eos };
  // it refuses files that are damaged or too large for the model
  const { encode } = runAtOnce(jsonTokenizer({ tokenizer, config }, vocab));
  const { model, added_tokens: added } = tokenizer;
  /** @type {string[]} */
  const tokens = Array.from({ length: vocab }, (_, id) => padding(id));
  const kinds = new Int32Array(vocab).fill(UNUSED);
  for (const [text, id] of model.vocab instanceof Map ? model.vocab : Object.entries(model.vocab)) {
    tokens[id] = text;
    kinds[id] = NORMAL;
  }
  for (const { id, content, special } of added) {
    tokens[id] = content;
    kinds[id] = special ? CONTROL : USER;
  }
  return {
    'tokenizer.ggml.model': { type: 'text', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'text', value: wayOf(tokenizer) },
    'tokenizer.ggml.tokens': { type: 'texts', value: tokens },
    'tokenizer.ggml.token_type': { type: 'i32s', value: kinds },
    'tokenizer.ggml.merges': {
      type: 'texts',
      value: model.merges.map((/** @type {string | string[]} */ merge) => [merge].flat().join(' ')),
    },
    ...idOf('bos', bos),
    ...idOf('eos', eos),
    ...addedMarks(encode(''), bos, eos),
  };
}

/**
 * Whether a text begins and ends with marks.
 * @param {number[]} ids of an empty text
 * @param {number} [bos]
 * @param {number} [eos]
 * @returns {Record<string, Value>}
 */
function addedMarks(ids, bos, eos) {
  const first = ids.length > 0 && ids[0] === bos;
  const last = ids.length > Number(first) && ids[ids.length - 1] === eos;
  if (ids.length !== Number(first) + Number(last))
    refuse(
      'FORMAT',
      'post_processor of tokenizer.json',
      `such that an empty text is ${ids}`,
      `no more than bos, ${bos}, before a text and eos, ${eos}, behind it`,
    );
  return {
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: first },
    'tokenizer.ggml.add_eos_token': { type: 'bool', value: last },
  };
}

/** @param {string} mark @param {number} [id] @returns {Record<string, Value>} */
const idOf = (mark, id) =>
  id === undefined ? {} : { [`tokenizer.ggml.${mark}_token_id`]: { type: 'u32', value: id } };

/**
 * The name of the way that a tokenizer cuts words.
 * @param {Json} tokenizer
 * @returns {string}
 */
function wayOf({ model, normalizer, pre_tokenizer: cutter, decoder }) {
  const steps = cutter?.type === 'Sequence' ? cutter.pretokenizers : [cutter ?? {}];
  const [bytes = {}, split] = [...steps].reverse();
  if (decoder?.type !== 'ByteLevel' || bytes.type !== 'ByteLevel' || bytes.add_prefix_space)
    refuse('FORMAT', 'tokenizer.json', 'not of bytes', 'ByteLevel without add_prefix_space');
  const way = steps.length > 1 ? WAY_OF.get(split.pattern?.Regex) : 'gpt-2';
  const isWhole =
    steps.length === (bytes.use_regex === false ? 2 : 1) &&
    (!split || (split.behavior === 'Isolated' && !split.invert));
  if (!way || !isWhole)
    refuse(
      'FORMAT',
      'pre_tokenizer of tokenizer.json',
      describe(steps.map((/** @type {Json} */ step) => step.type).join(', ')),
      'ByteLevel, or an expression of Llama 3, Qwen 2 or GPT-2 before it',
    );
  const normal = way === 'qwen2' ? 'NFC' : undefined;
  if (normalizer?.type !== normal)
    refuse(
      'FORMAT',
      'normalizer of tokenizer.json',
      describe(normalizer?.type),
      `${normal ?? 'none'} beside the words of ${way}`,
    );
  if (Boolean(model.ignore_merges) !== (way === 'llama-bpe'))
    refuse(
      'FORMAT',
      'ignore_merges of tokenizer.json',
      describe(model.ignore_merges),
      `${way === 'llama-bpe'} beside the words of ${way}`,
    );
  return way;
}
