/** Attention as a textbook writes it, in float64, to hold the kernels against; and seeded data that is the same everywhere. */

/**
 * Normal numbers (approximately: a sum of twelve uniform ones, mulberry32), from arithmetic that every engine does alike.
 * @param {number} seed
 */
export function normal(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}

/** Scales each row to length 1, in place. @template {Float32Array | Float64Array} A @param {A} x @param {number} size @returns {A} */
export function unitRows(x, size) {
  for (let at = 0; at < x.length; at += size) {
    const norm = Math.hypot(...x.subarray(at, at + size));
    for (let c = at; c < at + size; c++) x[c] /= norm;
  }
  return x;
}

/**
 * One query row over its first `keys` keys. output (dv) = Σ p_j v_j; magnitude (dv) = Σ p_j |v_j|; condition
 * A = max_j Σ_c |q_c k_jc| / √d, which bounds how well float arithmetic can know the logits.
 * @param {ArrayLike<number>} q @param {ArrayLike<number>} k @param {ArrayLike<number>} v
 * @param {Record<'h' | 'kvHead' | 'i' | 'keys' | 'm' | 'n' | 'd' | 'dv', number>} at
 */
export function textbook(q, k, v, { h, kvHead, i, keys, m, n, d, dv }) {
  const logits = [];
  let condition = 0;
  for (let j = 0; j < keys; j++) {
    let dot = 0, size = 0;
    for (let c = 0; c < d; c++) {
      const term = q[(h * m + i) * d + c] * k[(kvHead * n + j) * d + c];
      dot += term;
      size += Math.abs(term);
    }
    logits.push(dot / Math.sqrt(d));
    condition = Math.max(condition, size / Math.sqrt(d));
  }
  const most = Math.max(...logits), e = logits.map((z) => Math.exp(z - most)), sum = e.reduce((a, b) => a + b);
  const output = new Float64Array(dv), magnitude = new Float64Array(dv);
  for (let j = 0; j < keys; j++)
    for (let c = 0; c < dv; c++) {
      const term = (e[j] / sum) * v[(kvHead * n + j) * dv + c];
      output[c] += term;
      magnitude[c] += Math.abs(term);
    }
  return { output, magnitude, condition };
}
