/**
 * The largest difference between a logit and the sum of its ledger that rounding allows. It follows
 * the bounds of a product in weights.h, with u = 2⁻²⁴ and b blocks of 32 columns:
 *
 *   floats      u·(33 + b)·Σ|x·w|
 *   quantised   Σ_blocks d·(½ + 2⁻¹⁵)·Σ|w| + u·(b + 5)·Σ|x'|·(|d·s·q| + |m·t|), d = max|x|/127
 *
 * In the second sum no term is above three times the largest weight of its block: |m·t| is one of
 * its weights where a quant is 0, as in all files. So it is at most a part b·ROUNDING of the first.
 */
import { ATTN_MULTIPLY_FLOATS } from '../../engine/constants.js';
import { F32 } from '../../engine/tensor.js';
import { eachRow, outputOf } from './weights.js';

/**
 * @typedef {import('../run/decoder.js').Decoder} Decoder
 * @typedef {import('./ledger.js').Recorded} Recorded
 */

const UNIT = 2 ** -24;
const BLOCK = 32;
/** 3·32·2·127·u, of each block and five operations more. */
const ROUNDING = 3 * BLOCK * 2 * 127 * UNIT;

/** @param {Decoder} decoder @param {number} matrix */
const isFloat = ({ memory: { c } }, matrix) =>
  c.attn_multiply_kind(c.attn_matrix_type(matrix)) === ATTN_MULTIPLY_FLOATS;

/**
 * ‖W e_c‖ of each column c of all W_o, (layers, heads·headDim); Σ_r |u_r·w_rc| ≤ ‖u‖ times it.
 * @type {WeakMap<Decoder, Float64Array>}
 */
const columnNorms = new WeakMap();

/** @param {Decoder} decoder */
function normsOf(decoder) {
  const known = columnNorms.get(decoder);
  if (known) return known;
  const { memory, config, weights } = decoder;
  const size = config.heads * config.headDim;
  const norms = new Float64Array(config.layers * size);
  weights.layers.forEach(({ attnOut }, layer) =>
    eachRow(memory, attnOut, (row) => {
      for (let c = 0, at = layer * size; c < size; c++, at++) norms[at] += row[c] * row[c];
    }),
  );
  for (let at = 0; at < norms.length; at++) norms[at] = Math.sqrt(norms[at]);
  columnNorms.set(decoder, norms);
  return norms;
}

/**
 * Σ over blocks of max|x| · Σ|w|, from one place to another of both.
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} w
 * @param {number} from
 * @param {number} end
 */
function byBlocks(x, w, from, end) {
  let sum = 0;
  for (let at = from; at < end; at += BLOCK) {
    let largest = 0;
    let weights = 0;
    for (let c = at; c < Math.min(end, at + BLOCK); c++) {
      largest = Math.max(largest, Math.abs(x[c]));
      weights += Math.abs(w[c]);
    }
    sum += largest * weights;
  }
  return sum;
}

/** Of a product with quantised weights, from `byBlocks`. @param {number} sum @param {number} b */
const quantum = (sum, b) => (sum / 127) * (0.5 + 2 ** -15) * (1 + ROUNDING * (b + 5));

/**
 * Of the product with the output matrix.
 * @param {Decoder} decoder
 * @param {Float64Array} inputs
 * @param {Float32Array} row
 */
function ofOutput(decoder, inputs, row) {
  const blocks = Math.ceil(row.length / BLOCK);
  // the inputs are rounded once, and their scale and the sum are doubles
  let size = 0;
  for (let c = 0; c < row.length; c++) size += Math.abs(inputs[c] * row[c]);
  if (isFloat(decoder, outputOf(decoder.weights))) return UNIT * (35 + blocks) * size;
  return UNIT * 2 * size + quantum(byBlocks(inputs, row, 0, row.length), blocks);
}

/**
 * Of both products with W_o, that of the pass and that of the ledger, for a direction of length 1.
 * @param {Decoder} decoder
 * @param {Float32Array} z (layers, heads·headDim)
 * @param {number} layer
 */
function ofHeads(decoder, z, layer) {
  const { heads, headDim } = decoder.config;
  const size = heads * headDim;
  const blocks = Math.ceil(size / BLOCK);
  const norms = normsOf(decoder);
  const from = layer * size;
  const floats = isFloat(decoder, decoder.weights.layers[layer].attnOut);
  if (!floats) {
    const all = byBlocks(z, norms, from, from + size);
    // heads that share a block are quantised with another scale than in the pass
    const apart = headDim % BLOCK === 0;
    return (
      (apart ? (2 * (ROUNDING * (blocks + 5))) / 254 : 0) * all +
      (apart ? 0 : 2 * quantum(all, blocks))
    );
  }
  let sum = 0;
  for (let c = from; c < from + size; c++) sum += Math.abs(z[c]) * norms[c];
  return 2 * UNIT * (34 + blocks) * sum;
}

/**
 * @param {Decoder} decoder
 * @param {Recorded} recorded
 * @param {{ u: Float64Array, rows: Float32Array[], inputs: Float64Array }} direction
 * @param {{ logits: readonly number[], squares: Float64Array }} of
 */
export function allowedDifference(decoder, recorded, { u, rows, inputs }, { logits, squares }) {
  const { memory, config, weights } = decoder;
  const { layers, modelDim, finalSoftcap, normEps } = config;
  let allowed = rows.reduce((sum, row) => sum + ofOutput(decoder, inputs, row), 0);
  const x = Float64Array.from(recorded.resid_pre.subarray(0, modelDim));
  for (let layer = 0; layer < layers; layer++) {
    const { attnPostNorm } = weights.layers[layer];
    const gain = attnPostNorm && memory.view(F32, attnPostNorm, modelDim);
    const inverse = gain ? 1 / Math.sqrt(squares[layer] + normEps) : 1;
    let length = 0;
    let part = 0;
    for (let c = 0, at = layer * modelDim; c < modelDim; c++, at++) {
      const size = Math.abs(u[c]);
      const direction = size * (gain ? Math.abs(gain[c]) : 1) * inverse;
      length += direction * direction;
      part += size * Math.abs(recorded.attn_out[at]);
      // both sums of the stream are rounded
      const middle = x[c] + recorded.attn_out[at];
      x[c] = middle + recorded.mlp_out[at];
      allowed += UNIT * size * (Math.abs(middle) + Math.abs(x[c]));
    }
    const ofProducts = ofHeads(decoder, recorded.z, layer);
    allowed += Math.sqrt(length) * ofProducts;
    // the bias, a norm, and that of the norm's scale
    allowed += 3 * UNIT * part;
    if (gain) allowed += (part * ofProducts * inverse) / Math.sqrt(modelDim);
  }
  if (!finalSoftcap) return allowed;
  // the rounding of a capped logit, as its inverse sees it
  return logits.reduce((sum, logit) => {
    const slope = 1 - (logit / finalSoftcap) ** 2;
    return sum + (slope > 0 ? (16 * UNIT * Math.abs(logit)) / slope : Infinity);
  }, allowed);
}
