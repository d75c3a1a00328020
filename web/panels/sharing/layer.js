/** The looks of one head of the model, and all keys of its layer. */

/** @typedef {import('../../page/row.js').Row} Row */
/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */

/**
 * @typedef {object} Layer
 * @property {{ layer: number, head: number, position: number, T: number }} row
 * @property {readonly number[]} ids of its tokens
 * @property {number} heads in the layer
 * @property {number} sets of keys in the layer
 * @property {import('./compute.js').Looks} looks of the row's word, the last one, and of words
 *   before it; the shared rows are the mean of all sets
 * @property {import('../../page/model.js').SharedModel['source']} [files] of the model
 */

/** At most this many queries, the last of them the row's. */
const MAX_QUERIES = 32;
/** Numbers of all queries. The bounds of one take d³ multiply-adds. */
const MAX_NUMBERS = 2048;
/** Tokens that are read before an end of the turn is noticed. */
const CHUNK = 64;

/**
 * Why a head of this model has no shared keys to compare with, or ''.
 * @param {Row} row @param {RemoteModel['config']} config
 */
function missingIn({ layer, position }, { kvHeads, attnSoftcap, slidingWindow, localLayers }) {
  if (kvHeads === 1) return 'all heads of its layer share their keys already';
  if (attnSoftcap) return 'the scores of this model have a cap';
  const cutOff = localLayers[layer] && slidingWindow > 0 && position >= slidingWindow;
  return cutOff ? 'its layer sees a window only' : '';
}

/**
 * Reads the text of a row, and asks for the layer.
 * @param {RemoteModel} model @param {Row & { ids: readonly number[] }} row
 * @param {AbortSignal} signal
 * @returns {Promise<Layer | string | undefined>} the reason, where it cannot be had; undefined
 *   where it was ended
 */
export async function layerOf(model, row, signal) {
  const reason = missingIn(row, model.config);
  if (reason) return reason;
  const { layer, head, position, ids, temperature } = row;
  await model.intervene([{ temperature }]);
  await model.cache.clear();
  for (let at = 0; at < ids.length && !signal.aborted; at += CHUNK)
    await model.prefill(ids.slice(at, at + CHUNK));
  if (signal.aborted) return undefined;
  const { heads, kvHeads, headDim, attnScale } = model.config;
  const sets = [];
  for (let g = 0; g < kvHeads && !signal.aborted; g++)
    sets.push(await model.row(layer, (g * heads) / kvHeads, position));
  const queries = [];
  const count = Math.min(MAX_QUERIES, Math.ceil(MAX_NUMBERS / headDim), position + 1);
  for (let i = position + 1 - count; i <= position && !signal.aborted; i++)
    queries.push((await model.row(layer, head, i)).q);
  if (signal.aborted) return undefined;
  const { k, v } = sets[Math.floor((head * kvHeads) / heads)];
  if (k.length !== row.k?.length || k.some((x, at) => x !== row.k?.[at]))
    return 'it is of another model';
  return {
    row: { layer, head, position, T: temperature },
    ...{ ids, heads, sets: kvHeads },
    looks: {
      q: Float64Array.from(queries.flatMap((each) => Array.from(each))),
      k: Float64Array.from(k),
      v: Float64Array.from(v),
      shared: meanOf(sets.map((set) => set.k)),
      sharedV: meanOf(sets.map((set) => set.v)),
      d: headDim,
      T: temperature / (attnScale * Math.sqrt(headDim)),
      causal: true,
    },
  };
}

/** @param {readonly Float32Array[]} arrays of one length */
const meanOf = (arrays) =>
  Float64Array.from(
    arrays[0],
    (_, at) => arrays.reduce((sum, x) => sum + x[at], 0) / arrays.length,
  );
