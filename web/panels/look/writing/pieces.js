/** A text as tokens with the text of each, and a story that is large enough for them. */
import { Story } from './story.js';

/** @typedef {import('../../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */

/** Weights that a story keeps at most, over all heads. */
const MAX_WEIGHTS = 8e6;

/** @param {Story | undefined} story @param {RemoteModel} model */
export const fits = (story, { config }) =>
  story?.layers === config.layers &&
  story.heads === config.heads &&
  story.kvHeads === config.kvHeads;

/**
 * Whether tokens that stand in the page are those of this model.
 * @param {RemoteModel} model @param {readonly import('./story.js').Token[]} tokens
 */
async function isOf({ config, tokenizer }, tokens) {
  if (!tokenizer || tokens.some(({ id }) => id >= config.vocab)) return false;
  const text = await tokenizer.decode(tokens.map(({ id }) => id));
  return text === tokens.map((token) => token.text).join('');
}

/** A story for this model. @param {RemoteModel} model @param {number} tokens */
export function storyFor({ config, info }, tokens) {
  const limit = Math.floor(Math.sqrt((2 * MAX_WEIGHTS) / (config.layers * config.heads)));
  return new Story(config, Math.min(tokens, info.context, limit));
}

/**
 * @param {RemoteModel} model @param {string} text @param {number} limit tokens
 * @returns {Promise<import('./story.js').Token[]>}
 */
export async function tokensOf({ tokenizer }, text, limit) {
  if (!tokenizer) throw new Error('This file has no tokenizer, so the model cannot read a text.');
  const ids = (await tokenizer.encode(text)).slice(0, limit);
  if (!ids.length) throw new Error('There is no text to begin with.');
  // the first word has no space before it, though its token may have one
  const first = ids[0] === tokenizer.bos ? 1 : 0;
  const texts = ids.map((id, at) => tokenizer.decode([id], { continued: at > first }));
  return Promise.all(ids.map(async (id, at) => ({ id, text: await texts[at] })));
}

/**
 * Tells the text of a token that follows others. The worker is asked for each only once.
 * @param {RemoteModel} model @returns {(id: number) => string | Promise<string>}
 */
export function textsOf({ tokenizer }) {
  /** @type {Map<number, string>} */
  const known = new Map();
  return (id) => {
    if (!tokenizer) return `${id} `;
    const text = known.get(id);
    if (text !== undefined) return text;
    return tokenizer.decode([id], { continued: true }).then((told) => {
      known.set(id, told);
      return told;
    });
  };
}

/**
 * Reads tokens one by one, into a story with all rows.
 * @param {RemoteModel} model @param {readonly import('./story.js').Token[]} tokens
 * @param {AbortSignal} [signal] ends it early
 */
export async function readAll(model, tokens, signal) {
  const story = storyFor(model, tokens.length);
  await model.intervene([]);
  await model.cache.clear();
  for (const token of tokens.slice(0, story.capacity)) {
    if (signal?.aborted) break;
    story.add(token);
    const { heads } = await model.step(token.id, { observe: 'weights' });
    story.record(story.rows, heads);
  }
  return story;
}

/**
 * The tokens of a beginning, and whether its text has more of them than a story can hold.
 * @param {RemoteModel} model @param {import('./writer.js').Beginning} beginning
 * @param {number} capacity tokens
 */
export async function beginningOf(model, { text, tokens: known }, capacity) {
  const same = known && known.length < capacity && (await isOf(model, known));
  if (same) return { tokens: known, cut: false };
  const tokens = await tokensOf(model, text, capacity);
  return { tokens: tokens.slice(0, capacity - 1), cut: tokens.length === capacity };
}
