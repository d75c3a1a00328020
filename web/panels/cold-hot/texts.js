/** Continues one beginning of a story at four attention temperatures, with greedy sampling. */

import { headName } from '../../../src/js/model/inside/head-name.js';
import { readAll, tokensOf } from '../look/writing/pieces.js';
import { mostTelling } from '../look/writing/story.js';

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */

export const FOUR = Object.freeze([0, 1, 4, Infinity]);
/** Tokens that are written at each temperature. */
const LENGTH = 40;

/**
 * @param {RemoteModel} model @param {AbortSignal} signal
 * @param {string} prompt @param {number} T
 * @param {(text: string) => void} tell the text so far
 */
export async function tellAt(model, signal, prompt, T, tell) {
  await model.intervene([{ temperature: T }]);
  await model.cache.clear();
  let text = '';
  for await (const token of model.generate(prompt, { maxTokens: LENGTH })) {
    text += token.text;
    tell(text);
    if (signal.aborted) return;
  }
}

/**
 * @param {import('../look/writing/story.js').Head} head
 * @param {string} text of the query's token
 */
export const rowOf = (head, text) =>
  `The look of head ${headName(head)} at ‘${text.trim() || 'start'}’.`;

/**
 * A row of the prompt, for bars where the page shows none. Its scores at T = 1 are log weights.
 * @param {RemoteModel} model @param {string} prompt
 */
export async function exampleOf(model, prompt) {
  const tokens = await tokensOf(model, prompt, model.info.context);
  const story = await readAll(model, tokens);
  const { head, i } = mostTelling(story);
  return {
    of: rowOf(head, tokens[i].text),
    words: tokens.slice(0, i + 1).map(({ text }) => text),
    scores: Float64Array.from(story.row(head, i), Math.log),
  };
}
