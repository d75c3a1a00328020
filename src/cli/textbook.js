/**
 * Attention as a textbook writes it, in float64, to hold the kernels against; and seeded data that
 * is the same everywhere.
 *
 * The command has a textbook attention of its own. The page prints the source of its functions as
 * explanations, so those serve its reader, and the tests' reference is not in the package.
 */

/**
 * Normal numbers (approximately: a sum of twelve uniform ones, mulberry32), from arithmetic that
 * every engine does alike.
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

/**
 * Scales each row to length 1, in place.
 * @template {Float32Array | Float64Array} A
 * @param {A} x
 * @param {number} size
 * @returns {A}
 */
export function unitRows(x, size) {
  for (let at = 0; at < x.length; at += size) {
    const norm = Math.hypot(...x.subarray(at, at + size));
    for (let c = at; c < at + size; c++) x[c] /= norm;
  }
  return x;
}

/**
 * One query row over its first `keys` keys. output (dv) = Σ p_j v_j; magnitude (dv) = Σ p_j |v_j|;
 * condition A = max_j Σ_c |q_c k_jc|·scale, which bounds how well float arithmetic can know the
 * logits.
 * @param {ArrayLike<number>} q
 * @param {ArrayLike<number>} k
 * @param {ArrayLike<number>} v
 * @param {Record<'h' | 'kvHead' | 'i' | 'keys' | 'm' | 'n' | 'd' | 'dv', number> & { scale?: number
 *   }} at `scale` in place of 1/√d
 */
export function textbook(q, k, v, { h, kvHead, i, keys, m, n, d, dv, scale = 1 / Math.sqrt(d) }) {
  const logits = [];
  let condition = 0;
  for (let j = 0; j < keys; j++) {
    let dot = 0;
    let size = 0;
    for (let c = 0; c < d; c++) {
      const term = q[(h * m + i) * d + c] * k[(kvHead * n + j) * d + c];
      dot += term;
      size += Math.abs(term);
    }
    logits.push(dot * scale);
    condition = Math.max(condition, size * scale);
  }
  const largest = Math.max(...logits);
  const e = logits.map((z) => Math.exp(z - largest));
  const sum = e.reduce((a, b) => a + b);
  const output = new Float64Array(dv);
  const magnitude = new Float64Array(dv);
  for (let j = 0; j < keys; j++)
    for (let c = 0; c < dv; c++) {
      const term = (e[j] / sum) * v[(kvHead * n + j) * dv + c];
      output[c] += term;
      magnitude[c] += Math.abs(term);
    }
  return { output, magnitude, condition };
}

/**
 * y (m, rows) = x·Wᵀ + b for x (m, columns) and W (rows, columns).
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} w
 * @param {number} columns
 * @param {ArrayLike<number>} [b]
 */
export function product(x, w, columns, b) {
  const rows = w.length / columns;
  const y = new Float64Array((x.length / columns) * rows);
  for (let at = 0; at < y.length; at++) {
    const i = Math.floor(at / rows);
    const r = at % rows;
    y[at] = b ? b[r] : 0;
    for (let c = 0; c < columns; c++) y[at] += x[i * columns + c] * w[r * columns + c];
  }
  return y;
}

/** Wᵀ (columns, rows). @param {Float32Array} w @param {number} columns */
export const transposed = (w, columns) =>
  w.map(
    (_, at) => w[(at % (w.length / columns)) * columns + Math.floor(at / (w.length / columns))],
  );
