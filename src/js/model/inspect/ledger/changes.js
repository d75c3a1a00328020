/** The changes of the residual stream by interventions, for the ledger of one position. */
import {
  ATTN_AT_ATTN_OUT,
  ATTN_AT_MLP_OUT,
  ATTN_AT_RESID_MID,
  ATTN_AT_RESID_POST,
  ATTN_AT_RESID_PRE,
  ATTN_EDIT_ADD,
  ATTN_EDIT_REPLACE,
} from '../../../engine/constants.js';

/**
 * @typedef {import('../../run/decoder.js').Decoder} Decoder
 * @typedef {import('../../inside/edits.js').PlannedEdit} PlannedEdit
 * @typedef {import('./ledger.js').Recorded} Recorded
 * @typedef {Float64Array | undefined} Vector (modelDim); undefined: no change
 *
 * @typedef {object} Changes of one layer
 * @property {Vector} pre of the stream before it. In the first layer only additions, since a
 *   replacement stands for the embedding
 * @property {Vector} attn additions to attn_out
 * @property {boolean} replaced whether attn_out is another run's, and not the sum of the heads
 * @property {Vector} mid
 * @property {Vector} mlp additions to mlp_out. A replacement stands for the feed-forward
 * @property {Vector} post
 */

const POINTS = [
  ATTN_AT_RESID_PRE,
  ATTN_AT_ATTN_OUT,
  ATTN_AT_RESID_MID,
  ATTN_AT_MLP_OUT,
  ATTN_AT_RESID_POST,
];

/** @param {Float64Array} x @param {Vector | Float32Array} y @param {number} [from] of y */
export function addTo(x, y, from = 0) {
  if (y) for (let c = 0; c < x.length; c++) x[c] += y[from + c];
}

/** An edit and its numbers at a position. @typedef {{ edit: PlannedEdit, row: Float32Array }} At */

/**
 * @param {Float64Array} x
 * @param {readonly At[]} edits
 */
function edited(x, edits) {
  const y = x.slice();
  for (const { edit, row } of edits)
    for (let c = 0; c < y.length; c++) {
      const before = edit.kind === ATTN_EDIT_REPLACE ? 0 : y[c];
      y[c] = before + (edit.gain ?? 1) * row[c];
    }
  return y;
}

/** @param {Float64Array} x @param {readonly At[]} edits @returns {Vector} */
const changeOf = (x, edits) =>
  edits.length ? edited(x, edits).map((y, c) => y - x[c]) : undefined;

/**
 * The sum of the additions behind the last replacement.
 * @param {number} length @param {readonly At[]} edits @returns {Vector}
 */
function additionsOf(length, edits) {
  const from = edits.map(({ edit }) => edit.kind).lastIndexOf(ATTN_EDIT_REPLACE);
  const added = edits.slice(from + 1);
  return added.length ? edited(new Float64Array(length), added) : undefined;
}

/**
 * The edits that act at a position of the stream or of a block's result.
 * @param {Decoder} decoder
 * @param {number} position
 * @returns {At[]}
 */
const editsAt = ({ interventions }, position) =>
  (interventions?.edits() ?? []).flatMap((edit) => {
    const { point, kind, rows, numbers, stride = 0 } = edit;
    const at = position - (rows?.[0] ?? 0);
    const acts = kind === ATTN_EDIT_ADD || kind === ATTN_EDIT_REPLACE;
    if (!acts || !numbers || !POINTS.includes(point) || at < 0 || at >= (rows?.[1] ?? Infinity))
      return [];
    return [{ edit, row: numbers.subarray(at * stride) }];
  });

/**
 * Layer by layer; undefined where nothing is changed.
 * @param {Decoder} decoder
 * @param {Recorded} recorded
 * @param {number} position
 * @returns {Changes[] | undefined}
 */
export function changesOf(decoder, recorded, position) {
  const { layers, modelDim } = decoder.config;
  const all = editsAt(decoder, position);
  if (!all.length) return undefined;
  const x = Float64Array.from(recorded.resid_pre.subarray(0, modelDim));
  return Array.from({ length: layers }, (_, layer) => {
    const at = (/** @type {number} */ point) =>
      all.filter(({ edit }) => edit.layer === layer && edit.point === point);
    const [before, attn, mlp] = [ATTN_AT_RESID_PRE, ATTN_AT_ATTN_OUT, ATTN_AT_MLP_OUT].map(at);
    // the recording of the first layer has them already
    const pre = layer ? changeOf(x, before) : additionsOf(modelDim, before);
    if (layer) addTo(x, pre);
    addTo(x, recorded.attn_out, layer * modelDim);
    const mid = changeOf(x, at(ATTN_AT_RESID_MID));
    addTo(x, mid);
    addTo(x, recorded.mlp_out, layer * modelDim);
    const post = changeOf(x, at(ATTN_AT_RESID_POST));
    addTo(x, post);
    return {
      pre,
      attn: additionsOf(modelDim, attn),
      replaced: attn.some(({ edit }) => edit.kind === ATTN_EDIT_REPLACE),
      mid,
      mlp: additionsOf(modelDim, mlp),
      post,
    };
  });
}
