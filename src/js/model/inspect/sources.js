/** Splits the part of a head in a logit by the positions that the head attends to. */
import { ATTN_AT_Z, ATTN_EDIT_ADD, ATTN_EDIT_REPLACE } from '../../engine/constants.js';
import { eachRow } from './ledger/weights.js';

/**
 * The edits of z at one position. It becomes gain·z + addition, channel by channel.
 * @param {import('../run/decoder.js').Decoder} decoder
 * @param {number} position
 */
function editsOf({ config, interventions }, position) {
  const { layers, heads, headDim } = config;
  const gains = new Float64Array(layers * heads * headDim).fill(1);
  const additions = new Float64Array(layers * heads * headDim);
  for (const {
    layer,
    point,
    kind,
    rows,
    columns,
    stride = 0,
    numbers,
    gain = 1,
  } of interventions?.edits() ?? []) {
    const row = position - (rows?.[0] ?? 0);
    if (point !== ATTN_AT_Z || row < 0 || row >= (rows?.[1] ?? Infinity)) continue;
    const [first, width] = columns ?? [0, heads * headDim];
    for (let c = 0, at = layer * heads * headDim + first; c < width; c++, at++)
      if (kind === ATTN_EDIT_ADD) additions[at] += gain * (numbers?.[row * stride + c] ?? 0);
      else if (kind === ATTN_EDIT_REPLACE) {
        gains[at] = 0;
        additions[at] = numbers?.[row * stride + c] ?? 0;
      } else {
        gains[at] *= gain;
        additions[at] *= gain;
      }
  }
  return { gains, additions };
}

/**
 * p_j·⟨W_oᵀ u, v_j⟩ of each head and position j, where u is the direction of the head's layer. It
 * has the gains of interventions on z. Numbers that they add to z or put there have no source.
 * @param {import('../run/model.js').Model} model
 * @param {import('../run/decoder.js').Decoder} decoder
 * @param {Float32Array} pattern (layers, heads, length)
 * @param {{ ledger: { position: number }, directions: Float64Array[] }} found
 * @param {number} length of the caches
 * @returns {{ sources: Float64Array<ArrayBuffer>, withoutSource: Float64Array<ArrayBuffer> }}
 *   (layers, heads, position + 1) and (layers, heads)
 */
export function sourcesOf({ sequence, config }, decoder, pattern, found, length) {
  const { memory, weights } = decoder;
  const { layers, heads, kvHeads, headDim } = config;
  const { position } = found.ledger;
  const n = position + 1;
  const { gains, additions } = editsOf(decoder, position);
  const sources = new Float64Array(layers * heads * n);
  const withoutSource = new Float64Array(layers * heads);
  for (let layer = 0; layer < layers; layer++) {
    const u = found.directions[layer];
    const through = new Float64Array(heads * headDim);
    eachRow(memory, weights.layers[layer].attnOut, (row, index) => {
      for (let c = 0; c < row.length; c++) through[c] += u[index] * row[c];
    });
    const { v } = sequence.caches[layer].read(0, n);
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor(head / (heads / kvHeads));
      const row = layer * heads + head;
      for (let c = 0; c < headDim; c++) {
        const weight = through[head * headDim + c];
        withoutSource[row] += weight * additions[row * headDim + c];
        through[head * headDim + c] = weight * gains[row * headDim + c];
      }
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let c = 0, at = (kvHead * n + j) * headDim; c < headDim; c++, at++)
          sum += through[head * headDim + c] * v[at];
        sources[row * n + j] = pattern[row * length + j] * sum;
      }
    }
  }
  return { sources, withoutSource };
}
