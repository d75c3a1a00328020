/** The look that is taken apart: of a row that a reader sent, of the model, or of drawn numbers. */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { firstFrame } from '../look/hydrate.js';
import { beginningOf, readAll } from '../look/writing/pieces.js';
import { mostTelling } from '../look/writing/story.js';
import { PROMPT } from '../look/state.js';
import { softmax } from '../look/check.js';
import { inputs, D, N } from './compute.js';
import { products } from './why-compute.js';

/** @typedef {import('./why-compute.js').Look} Look */
/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {import('../../page/row.js').Row} Row */

/** A text of a token in a sentence. @param {string} text @param {number} j */
const named = (text, j) => text.trim() || (j ? `key ${j}` : 'start');

/** @param {Row | undefined} row @returns {Look | undefined} undefined where it has no vectors */
export function lookOf(row) {
  if (!row?.q || !row.k || !row.scale) return undefined;
  const words = row.words.map(named);
  return {
    head: headName(row, 'long'),
    words,
    query: words[words.length - 1],
    q: row.q,
    k: row.k,
    scale: row.scale,
    weights: row.weights,
  };
}

/**
 * Of the model: the look of the first frame, or of the beginning that the page has.
 * @param {RemoteModel} model @param {AbortSignal} signal
 * @param {import('../look/hydrate.js').FirstFrame | null} [frame]
 * @returns {Promise<Look | undefined>} undefined where it was ended
 */
export async function lookOfModel(model, signal, frame = firstFrame() ?? null) {
  const asked = { text: PROMPT, tokens: frame?.tokens };
  const { tokens } = await beginningOf(model, asked, model.info.context);
  const story = await readAll(model, tokens, signal);
  if (signal.aborted) return undefined;
  const { head, i } =
    frame && tokens === frame.tokens ? { head: frame.head, i: frame.at } : mostTelling(story);
  const { q, k, weights } = await model.row(head.layer, head.head, i);
  const words = tokens.slice(0, i + 1).map(({ text }, j) => named(text, j));
  return {
    head: headName(head, 'long'),
    words,
    query: words[i],
    q,
    k,
    scale: model.config.attnScale,
    weights,
  };
}

/** The first query of the panel’s own numbers, in float32. @param {number} seed @returns {Look} */
export function drawnLook(seed) {
  const setting = { seed, T: 1, unitQueries: false, unitKeys: false, restore: false };
  const { q, k } = inputs(setting, 'float32');
  const query = q.slice(0, D);
  const scale = 1 / Math.sqrt(D);
  const scores = Array.from({ length: N }, (_, j) =>
    products(query, k, j).reduce((z, x) => z + x * scale, 0),
  );
  return {
    head: '',
    words: scores.map((_, j) => `key ${j}`),
    query: 'query 0',
    q: query,
    k,
    scale,
    weights: softmax(scores, 1),
  };
}
