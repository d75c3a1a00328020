/** A byte-level tokenizer.json: 256 bytes, a few merges and two added tokens. */

/** The characters of the bytes, as the encoder of GPT-2 lists them. */
export function byteCharacters() {
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const shown = [...range(33, 126), ...range(161, 172), ...range(174, 255)];
  let next = 256;
  return range(0, 255).map((byte) => String.fromCharCode(shown.includes(byte) ? byte : next++));
}

const MERGES = ['Ġ t', 'h e', 'Ġt he', 'i n', 'e r', 'Ġ a', 'Ġa n', 'Ġan d', 'l l', "' s"];

export const END = 256 + MERGES.length;

/** @param {Record<string, any>} [change] fields that differ */
export function byteTokenizer(change = {}) {
  const texts = [...byteCharacters(), ...MERGES.map((merge) => merge.replace(' ', ''))];
  const added = (content, id, special) => ({
    content,
    id,
    special,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  });
  return {
    version: '1.0',
    added_tokens: [added('<|end|>', END, true), added('[name]', END + 1, false)],
    normalizer: null,
    pre_tokenizer: {
      type: 'ByteLevel',
      add_prefix_space: false,
      trim_offsets: true,
      use_regex: true,
    },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(texts.map((text, id) => [text, id])),
      merges: MERGES,
    },
    ...change,
  };
}
