/** Causal attention of one head, in three ways that share no code. */

/** Channels of a head. */
export const D = 64;

/**
 * As a textbook has it: a list of numbers to a row, one loop inside the other, float64.
 * @param {Float32Array} q (n, D)
 * @param {Float32Array} k (n, D)
 * @param {Float32Array} v (n, D)
 * @param {number} n
 */
export function textbook(q, k, v, n) {
  const rows = (/** @type {Float32Array} */ x) =>
    Array.from({ length: n }, (_, i) => Array.from(x.subarray(i * D, (i + 1) * D)));
  const keys = rows(k);
  const values = rows(v);
  return rows(q).map((query, i) => {
    const seen = keys.slice(0, i + 1);
    const scores = seen.map((key) => query.reduce((dot, x, c) => dot + x * key[c], 0) / 8);
    const top = Math.max(...scores);
    const parts = scores.map((score) => Math.exp(score - top));
    const sum = parts.reduce((a, b) => a + b);
    return query.map((_, c) => parts.reduce((all, part, j) => all + part * values[j][c], 0) / sum);
  });
}

/**
 * As a careful programmer writes it: typed arrays, no allocation inside, four sums at a time.
 * @param {Float32Array} q (n, D)
 * @param {Float32Array} k (n, D)
 * @param {Float32Array} v (n, D)
 * @param {number} n
 */
export function typed(q, k, v, n) {
  const output = new Float32Array(n * D);
  const weights = new Float64Array(n);
  const sums = new Float64Array(D);
  for (let i = 0; i < n; i++) {
    let top = -Infinity;
    for (let j = 0; j <= i; j++) {
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let at = i * D, to = j * D; at < (i + 1) * D; at += 4, to += 4) {
        a += q[at] * k[to];
        b += q[at + 1] * k[to + 1];
        c += q[at + 2] * k[to + 2];
        d += q[at + 3] * k[to + 3];
      }
      weights[j] = (a + b + c + d) / 8;
      if (weights[j] > top) top = weights[j];
    }
    let sum = 0;
    sums.fill(0);
    for (let j = 0; j <= i; j++) {
      const p = Math.exp(weights[j] - top);
      sum += p;
      for (let c = 0, at = j * D; c < D; c++, at++) sums[c] += p * v[at];
    }
    for (let c = 0; c < D; c++) output[i * D + c] = sums[c] / sum;
  }
  return output;
}

/** Multiplications and additions: 4·D for each pair of a query and a key it may read. */
export const operations = (/** @type {number} */ n) => 4 * D * ((n * (n + 1)) / 2);
