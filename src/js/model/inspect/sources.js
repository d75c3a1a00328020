/** The parts that heads have in a logit, by the positions that they come from. */
import { eachRow } from './weights.js';

/**
 * p_j·⟨W_oᵀ u, v_j⟩ of each head and position j, where u is the direction of the head's layer.
 * @param {import('../run/model.js').Model} model
 * @param {import('../run/decoder.js').Decoder} decoder
 * @param {Float32Array} pattern (layers, heads, length)
 * @param {{ ledger: { position: number }, directions: Float64Array[] }} found
 * @param {number} length of the caches
 * @returns {Float64Array<ArrayBuffer>} (layers, heads, position + 1)
 */
export function sourcesOf({ sequence, config }, { memory, weights }, pattern, found, length) {
  const { layers, heads, kvHeads, headDim } = config;
  const n = found.ledger.position + 1;
  const sources = new Float64Array(layers * heads * n);
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
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let c = 0, at = (kvHead * n + j) * headDim; c < headDim; c++, at++)
          sum += through[head * headDim + c] * v[at];
        sources[row * n + j] = pattern[row * length + j] * sum;
      }
    }
  }
  return sources;
}
