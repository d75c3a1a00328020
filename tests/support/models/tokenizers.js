/** Tokenizers that are made at once. */
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { ggufTokenizer as ggufSteps } from '../../../src/js/model/text/tokenizer-gguf.js';
import { jsonTokenizer as jsonSteps } from '../../../src/js/model/text/tokenizer-json.js';

export const ggufTokenizer = (...how) => runAtOnce(ggufSteps(...how));
export const jsonTokenizer = (...how) => runAtOnce(jsonSteps(...how));
