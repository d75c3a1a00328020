/** The looks of one head of the model, and all keys of its layer. */

/** @typedef {import('../../page/row.js').Row} Row */
/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */

/**
 * @typedef {object} Layer
 * @property {{ layer: number, head: number, T: number }} row
 * @property {readonly number[]} ids of its tokens
 * @property {number} sets of keys in the layer
 * @property {true} causal
 * @property {Float64Array} q (m, d), of the row's word and the words before it
 * @property {Float64Array} k (n, d), of the head
 * @property {Float64Array} v (n, d)
 * @property {Float64Array} shared (n, d), the mean of all sets
 * @property {Float64Array} sharedV (n, d)
 * @property {number} d
 * @property {number} T of the looks, where scores are divided by √d
 */

/** The row's query, and those before it. */
const QUERIES = 32;

/**
 * Why a row cannot be that of a head with other keys, or ''.
 * @param {Row} row @param {RemoteModel['config']} config
 */
function hindrance({ position }, { kvHeads, attnSoftcap, slidingWindow }) {
  if (kvHeads === 1) return 'all heads of its layer share their keys already';
  if (attnSoftcap) return 'the scores of this model have a cap';
  return slidingWindow && position >= slidingWindow ? 'its layer sees a window only' : '';
}

/**
 * Reads the text of a row, and asks for the layer.
 * @param {RemoteModel} model @param {Row & { ids: readonly number[] }} row
 * @param {AbortSignal} signal
 * @returns {Promise<Layer | string | undefined>} the reason, where it cannot be had; undefined
 *   where it was ended
 */
export async function layerOf(model, row, signal) {
  const reason = hindrance(row, model.config);
  if (reason) return reason;
  const { layer, head, position, ids, temperature } = row;
  await model.intervene([{ temperature }]);
  await model.cache.clear();
  await model.prefill(ids);
  const { heads, kvHeads, attnScale } = model.config;
  const sets = [];
  for (let g = 0; g < kvHeads && !signal.aborted; g++)
    sets.push(await model.row(layer, (g * heads) / kvHeads, position));
  const queries = [];
  for (let i = Math.max(0, position + 1 - QUERIES); i <= position && !signal.aborted; i++)
    queries.push((await model.row(layer, head, i)).q);
  if (signal.aborted) return undefined;
  const { k, v } = sets[Math.floor((head * kvHeads) / heads)];
  if (k.some((x, at) => x !== row.k?.[at])) return 'it is of another model';
  const d = queries[0].length;
  return {
    row: { layer, head, T: temperature },
    ...{ ids, sets: kvHeads, causal: true, d },
    T: temperature / (attnScale * Math.sqrt(d)),
    q: Float64Array.from(queries.flatMap((each) => Array.from(each))),
    k: Float64Array.from(k),
    v: Float64Array.from(v),
    shared: meanOf(sets.map((set) => set.k)),
    sharedV: meanOf(sets.map((set) => set.v)),
  };
}

/** @param {readonly Float32Array[]} arrays of one length */
const meanOf = (arrays) =>
  Float64Array.from(
    arrays[0],
    (_, at) => arrays.reduce((sum, x) => sum + x[at], 0) / arrays.length,
  );
