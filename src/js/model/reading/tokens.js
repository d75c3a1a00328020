import { integer } from '../../check.js';
import { describe, refuse } from '../../errors.js';

/**
 * A list of ids.
 * @param {unknown} tokens
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {string} [name]
 * @param {string} [expected]
 * @returns {number[]}
 */
export function checkTokens(tokens, { vocab }, name = 'tokens', expected = 'an array of ids') {
  const hint = name === 'tokens' ? ', as model.tokenizer.encode(text) gives them' : '';
  if (!Array.isArray(tokens) && !ArrayBuffer.isView(tokens))
    refuse('ARG', name, describe(tokens), typeof tokens === 'string' ? expected + hint : expected);
  const ids = Array.from(/** @type {ArrayLike<unknown>} */ (/** @type {unknown} */ (tokens)));
  if (!ids.length) refuse('SHAPE', name, 'empty', 'at least one token');
  return ids.map((id, at) => integer(`${name}[${at}]`, id, 0, vocab - 1));
}
