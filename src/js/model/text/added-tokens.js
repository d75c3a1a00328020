import { normalized } from './normalizer.js';
import { Finder } from './special.js';

/**
 * The added tokens of tokenizer.json, and the stretches of a text between them.
 * @typedef {import('./tokenizer-steps.js').Step} Step
 * @typedef {import('./tokenizer-check.js').AddedToken} AddedToken
 * @typedef {string | AddedToken} Stretch a text, or a token
 */

/**
 * @param {readonly AddedToken[]} tokens
 * @returns {(text: string) => Stretch[]} no text among them is empty
 */
export function splitter(tokens) {
  const finder = new Finder();
  for (const [at, { content }] of tokens.entries()) finder.add(content, at);
  return (text) =>
    stripped(
      finder.split(text).map((part) => (typeof part === 'number' ? tokens[part] : part)),
    ).filter((part) => part !== '');
}

/**
 * The tokens that are looked for before the normalizer changes the text, and those after, which it
 * changes as well.
 * @param {readonly AddedToken[]} tokens
 * @param {Step | null | undefined} normalizer
 */
export function bothKinds(tokens, normalizer) {
  const isNormalized = (/** @type {AddedToken} */ token) =>
    !!normalizer && (token.normalized ?? !token.special);
  return {
    before: tokens.filter((token) => !isNormalized(token)),
    after: tokens
      .filter(isNormalized)
      .map((token) => ({ ...token, content: normalized(token.content, normalizer) })),
  };
}

/** Some tokens drop the white space beside them. @param {Stretch[]} parts */
function stripped(parts) {
  return parts.map((part, at) => {
    if (typeof part !== 'string') return part;
    const before = parts[at - 1];
    const after = parts[at + 1];
    let text = part;
    if (typeof before === 'object' && before.rstrip) text = text.replace(/^\p{White_Space}+/u, '');
    if (typeof after === 'object' && after.lstrip) text = trimmedEnd(text);
    return text;
  });
}

/**
 * Removes white space at the end. A regular expression would also try all white space inside.
 * @param {string} text
 */
function trimmedEnd(text) {
  let end = text.length;
  while (end && /\p{White_Space}/u.test(text[end - 1])) end--;
  return text.slice(0, end);
}
