import { elements, integer } from '../../check.js';
import { refuse } from '../../errors.js';

/**
 * A list of ids.
 * @param {unknown} tokens
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {string} [name]
 * @param {string} [expected]
 * @returns {number[]}
 */
export function checkTokens(tokens, { vocab }, name = 'tokens', expected = 'an array of ids') {
  const hint =
    name === 'tokens' && typeof tokens === 'string'
      ? ', as model.tokenizer.encode(text) gives them'
      : '';
  const ids = elements(name, tokens, expected + hint);
  if (!ids.length) refuse('SHAPE', name, 'empty', 'at least one token');
  return ids.map((id, at) => integer(`${name}[${at}]`, id, 0, vocab - 1));
}
