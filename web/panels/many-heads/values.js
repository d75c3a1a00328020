/**
 * A weight times the length of its value: how far a key can move the output. The output is at most
 * as long as the sum of its row, as values that point apart cancel.
 */

/** @typedef {import('./worker.js').Heads} Heads */

/**
 * The lengths of the values of each group (G, n). For each query (H, n) the sum of weights times
 * these lengths, and the length of its output.
 * @param {ReturnType<typeof import('./compute.js').compute>} run
 */
export function valuesOf({ H, G, n, d, v, weights, output }) {
  const lengths = lengthsOf(v, d);
  const sums = new Float64Array(H * n);
  for (let at = 0; at < H * n; at++) {
    const from = groupOf({ H, G }, Math.floor(at / n)) * n;
    for (let j = 0; j < n; j++)
      if (weights[at * n + j] !== 0) sums[at] += weights[at * n + j] * lengths[from + j];
  }
  return { lengths, sums, outputs: lengthsOf(output, d) };
}

/** The length of each row. @param {Float32Array} rows @param {number} d its channels */
function lengthsOf(rows, d) {
  const lengths = new Float64Array(rows.length / d);
  for (let r = 0; r < lengths.length; r++) {
    let sum = 0;
    for (let c = r * d; c < (r + 1) * d; c++) sum += rows[c] * rows[c];
    lengths[r] = Math.sqrt(sum);
  }
  return lengths;
}

/** The group of a head. @param {{ H: number, G: number }} shape @param {number} h */
export const groupOf = ({ H, G }, h) => Math.floor(h / (H / G));

/** The lengths of the values that a head reads. @param {Heads} heads @param {number} h */
export function lengthsFor(heads, h) {
  const from = groupOf(heads, h) * heads.n;
  return heads.lengths.subarray(from, from + heads.n);
}

/**
 * Weights times the lengths of their values.
 * @param {Float32Array} weights (n, n) @param {Float64Array} lengths (n)
 */
export function weighted(weights, lengths) {
  const n = lengths.length;
  return weights.map((p, at) => (p === 0 ? 0 : p * lengths[at % n]));
}
