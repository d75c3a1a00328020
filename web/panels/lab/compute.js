/** A story told by a model that is changed, and the chances of the words of another one. */
import { logProbabilities } from '../../../src/js/model/inspect/log-softmax.js';

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {import('../look/writing/story.js').Token} Token */
/** @typedef {import('../look/writing/story.js').Head} Head */

/**
 * @typedef {object} Changes
 * @property {readonly Head[]} heads
 * @property {'off' | 'blind' | 'same'} how off: they add nothing; blind: they look at all words
 *   alike; same: they are told to do as they were trained
 * @property {readonly number[]} hidden words that no head may look at
 * @property {Push} [push]
 *
 * @typedef {object} Push a vector that every word's stream gets behind a layer
 * @property {number} layer
 * @property {Float32Array} add
 * @property {number} gain
 */

/** A head by its name, “2.5”. @param {string} name */
export function headOf(name) {
  const [layer, head] = name.split('.').map(Number);
  return { layer, head };
}

/** As it was trained. @type {Changes} */
export const NONE = { heads: [], how: 'off', hidden: [] };

/** @type {Record<Changes['how'], { gain: number } | { temperature: number }>} */
const ACTS = { off: { gain: 0 }, blind: { temperature: Infinity }, same: { gain: 1 } };

/** @param {RemoteModel} model @param {Changes} changes */
export async function change(model, { heads, how, hidden, push }) {
  const layers = Array.from({ length: model.config.layers }, (_, layer) => layer);
  await model.intervene([
    ...heads.map((head) => ({ ...head, ...ACTS[how] })),
    ...layers.flatMap((layer) => (hidden.length ? [{ layer, knockOut: { keys: hidden } }] : [])),
    ...(push ? [{ ...push, at: /** @type {const} */ ('resid_post') }] : []),
  ]);
  await model.cache.clear();
}

/**
 * Goes on greedily.
 * @param {RemoteModel} model @param {AbortSignal} signal
 * @param {readonly Token[]} prompt @param {number} count
 * @returns {Promise<Token[]>}
 */
export async function tell(model, signal, prompt, count) {
  /** @type {Token[]} */
  const told = [];
  const ids = prompt.map(({ id }) => id);
  for await (const { token, text } of model.generate(ids, { maxTokens: count })) {
    if (signal.aborted) break;
    if (!model.tokenizer?.ends.has(token)) told.push({ id: token, text });
  }
  return told;
}

/**
 * The log-probability of each of these tokens behind the prompt.
 * @param {RemoteModel} model @param {AbortSignal} signal
 * @param {readonly Token[]} prompt @param {readonly Token[]} story
 * @returns {Promise<number[]>}
 */
export async function chances(model, signal, prompt, story) {
  const ids = [...prompt, ...story].map(({ id }) => id);
  /** @type {number[]} */
  const found = [];
  const { logits } = await model.prefill(ids.slice(0, prompt.length));
  let last = logits;
  for (let i = prompt.length; i < ids.length && !signal.aborted; i++) {
    found.push(logProbabilities(last)[ids[i]]);
    if (i + 1 < ids.length) last = (await model.step(ids[i])).logits;
  }
  return found;
}

/** The chance of a word, in the geometric mean. @param {readonly number[]} logs */
export const meanChance = (logs) =>
  Math.exp(logs.reduce((sum, log) => sum + log, 0) / (logs.length || 1));
