/** Tokenizers that are made at once. */
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { ggufTokenizer as ggufSteps } from '../../../src/js/model/text/tokenizer-gguf.js';
import { jsonTokenizer as jsonSteps } from '../../../src/js/model/text/tokenizer-json.js';

export const ggufTokenizer = (...how) => runAtOnce(ggufSteps(...how));
export const jsonTokenizer = (...how) => runAtOnce(jsonSteps(...how));

/** A tokenizer.json with nothing in it that need not be. */
export const smallest = {
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'] },
};

/** A function that makes the tokenizer of `smallest` after a change. */
export const withChange = (change) => {
  const tokenizer = structuredClone(smallest);
  change(tokenizer);
  return () => jsonTokenizer({ tokenizer });
};
