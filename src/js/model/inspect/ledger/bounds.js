/**
 * The largest difference between a logit and the sum of its ledger that rounding allows. It follows
 * the bounds of a product in weights.h, with u = 2⁻²⁴ and b blocks of 32 columns:
 *
 *   floats      u·(33 + b)·Σ|x·w|
 *   quantised   u·(b + 5)·Σ|x'|·(|d·s·q| + |m·t|)
 *
 * The inputs x' as quantised are those of the ledger too, so their rounding is not in it. Without a
 * minimum m the bracket is |w|. Else |m·t| is one of the block's weights where a quant is 0, as in
 * all files. So the bracket is at most |w| and twice the largest weight of its block.
 */
import { ATTN_MULTIPLY_FLOATS } from '../../../engine/constants.js';
import { F32 } from '../../../engine/tensor.js';
import { addTo } from './changes.js';
import { eachRow, outputOf } from './weights.js';

/**
 * @typedef {import('../../run/decoder.js').Decoder} Decoder
 * @typedef {import('./ledger.js').Recorded} Recorded
 */

const UNIT = 2 ** -24;
const BLOCK = 32;

/** @param {Decoder} decoder @param {number} type */
const isFloat = ({ memory: { c } }, type) => c.attn_multiply_kind(type) === ATTN_MULTIPLY_FLOATS;

/**
 * The factor of a sum above. A quantised weight that is read back is rounded once more.
 * @param {boolean} floats
 * @param {number} columns
 */
const factor = (floats, columns) => UNIT * ((floats ? 33 : 6) + Math.ceil(columns / BLOCK));

/**
 * The factor of |x| in the bounds above, for each weight of a row.
 * @param {Decoder} decoder
 * @param {Float32Array} row
 * @param {number} type
 */
function sizesOf({ memory: { c } }, row, type) {
  const sizes = row.map(Math.abs);
  if (!c.attn_weight_type_has_min(type)) return sizes;
  for (let at = 0; at < row.length; at += BLOCK) {
    const block = sizes.subarray(at, at + BLOCK);
    const more = 2 * Math.max(...block);
    block.forEach((x, c) => (block[c] = x + more));
  }
  return sizes;
}

/**
 * ‖W e_c‖ of each column c of all W_o, (layers, heads·headDim), with the sizes above in the place
 * of weights; Σ_r |u_r·w_rc| ≤ ‖u‖ times it.
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
  weights.layers.forEach(({ attnOut }, layer) => {
    const type = memory.c.attn_matrix_type(attnOut);
    eachRow(memory, attnOut, (row) => {
      const sizes = sizesOf(decoder, row, type);
      for (let c = 0, at = layer * size; c < size; c++, at++) norms[at] += sizes[c] * sizes[c];
    });
  });
  for (let at = 0; at < norms.length; at++) norms[at] = Math.sqrt(norms[at]);
  columnNorms.set(decoder, norms);
  return norms;
}

/**
 * Of the product with the output matrix.
 * @param {Decoder} decoder
 * @param {Float32Array} inputs
 * @param {Float32Array} row
 */
function ofOutput(decoder, inputs, row) {
  const type = decoder.memory.c.attn_matrix_type(outputOf(decoder.weights));
  const sizes = sizesOf(decoder, row, type);
  let sum = 0;
  for (let c = 0; c < row.length; c++) sum += Math.abs(inputs[c] * sizes[c]);
  return factor(isFloat(decoder, type), row.length) * sum;
}

/**
 * The error bound of W_o·z in the pass plus that in the ledger, for a direction of length 1.
 * @param {Decoder} decoder
 * @param {Float32Array} z (layers, heads·headDim)
 * @param {number} layer
 */
function ofHeads(decoder, z, layer) {
  const { memory, config, weights } = decoder;
  const size = config.heads * config.headDim;
  const norms = normsOf(decoder);
  const floats = isFloat(decoder, memory.c.attn_matrix_type(weights.layers[layer].attnOut));
  let sum = 0;
  const end = (layer + 1) * size;
  for (let from = layer * size; from < end; from += BLOCK) {
    let largest = 0;
    let part = 0;
    for (let c = from; c < Math.min(end, from + BLOCK); c++) {
      const x = Math.abs(z[c]);
      largest = Math.max(largest, x);
      sum += x * norms[c];
      part += norms[c];
    }
    // a quantised input is off by half a step
    if (!floats) sum += (largest / 253) * part;
  }
  return 2 * factor(floats, size) * sum;
}

/**
 * @param {Decoder} decoder
 * @param {Recorded} recorded
 * @param {{ u: Float64Array, rows: Float32Array[], inputs: Float32Array }} direction
 * @param {object} of
 * @param {readonly number[]} of.logits
 * @param {Float64Array} of.squares
 * @param {import('./changes.js').Changes[] | undefined} of.changes
 */
export function allowedDifference(decoder, recorded, { u, rows, inputs }, of) {
  const { logits, squares, changes } = of;
  const { memory, config, weights } = decoder;
  const { layers, modelDim, finalSoftcap, normEps } = config;
  let allowed = rows.reduce((sum, row) => sum + ofOutput(decoder, inputs, row), 0);
  const x = Float64Array.from(recorded.resid_pre.subarray(0, modelDim));
  /** A product and a sum are rounded. @param {Float64Array | undefined} by */
  const move = (by) => {
    addTo(x, by);
    by?.forEach((d, c) => (allowed += UNIT * Math.abs(u[c]) * (Math.abs(d) + Math.abs(x[c]))));
  };
  for (let layer = 0; layer < layers; layer++) {
    const by = changes?.[layer];
    // the stream of the first layer is recorded behind its changes
    if (layer) move(by?.pre);
    const { attnPostNorm } = weights.layers[layer];
    const gain = attnPostNorm && memory.view(F32, attnPostNorm, modelDim);
    const inverse = gain ? 1 / Math.sqrt(squares[layer] + normEps) : 1;
    let length = 0;
    let part = 0;
    for (let c = 0, at = layer * modelDim; c < modelDim; c++, at++) {
      const size = Math.abs(u[c]);
      const direction = size * (gain ? Math.abs(gain[c]) : 1) * inverse;
      length += direction * direction;
      part += size * (Math.abs(recorded.attn_out[at]) + Math.abs(by?.attn?.[c] ?? 0));
      // each sum of the stream is rounded
      x[c] += recorded.attn_out[at];
      allowed += UNIT * size * Math.abs(x[c]);
    }
    move(by?.mid);
    for (let c = 0, at = layer * modelDim; c < modelDim; c++, at++) {
      x[c] += recorded.mlp_out[at];
      allowed += UNIT * Math.abs(u[c] * x[c]);
    }
    move(by?.post);
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
