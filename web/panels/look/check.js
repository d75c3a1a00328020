/**
 * A row, computed once more from its query and keys, in float64 and textbook order. It shares no
 * code with the kernels.
 */

/** Rounding of float32, in which the kernels compute. */
const U = 2 ** -24;

/**
 * The logits of a row before any temperature, z = scale·⟨q, k⟩, and the size of the sums inside.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} k (n, d)
 * @param {number} scale @param {number} cap c·tanh(z/c); 0: none
 */
export function scores(q, k, scale, cap) {
  const d = q.length;
  const n = k.length / d;
  const z = new Float64Array(n);
  const size = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    for (let c = 0; c < d; c++) {
      const product = q[c] * k[j * d + c];
      z[j] += product;
      size[j] += Math.abs(product);
    }
    z[j] *= scale;
    size[j] *= scale;
    if (cap) z[j] = cap * Math.tanh(z[j] / cap);
  }
  return { z, size };
}

/**
 * Softmax of z/T. T = 0 shares everything among the largest, T = ∞ among all.
 * @param {ArrayLike<number>} z @param {number} T
 */
export function softmax(z, T) {
  const all = Array.from(z);
  const max = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const e = all.map((x) =>
    T === 0 ? Number(x === max) : T === Infinity ? 1 : Math.exp((x - max) / T),
  );
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / sum);
}

/** ρ = log n − H. @param {readonly number[]} p */
export function budget(p) {
  let entropy = 0;
  for (const x of p) if (x > 0) entropy -= x * Math.log(x);
  return Math.log(p.length) - entropy;
}

/**
 * Compares a row on show with that of its query and keys. A score is wrong by at most
 * u·(d + 4)·Σ|q_c k_c|, which moves the logarithm of a weight by twice that over T. The sum of n
 * exponentials adds u·(n + 8). At T = 0 scores that round to the same number may change places.
 * Nothing can be compared where the two largest are that close.
 * @param {object} row
 * @param {ArrayLike<number>} row.weights as shown
 * @param {number} row.rho as shown
 * @param {ArrayLike<number>} row.q @param {ArrayLike<number>} row.k
 * @param {number} row.scale @param {number} row.cap @param {number} row.T
 */
export function checkRow({ weights, rho, q, k, scale, cap, T }) {
  const { z, size } = scores(q, k, scale, cap);
  const expected = softmax(z, T);
  const n = expected.length;
  const wrong = U * (q.length + 4) * size.reduce((a, b) => Math.max(a, b), 0);
  const tie =
    T === 0 &&
    expected.some((_, j) => z[j] !== Math.max(...z) && Math.max(...z) - z[j] <= 2 * wrong);
  const relative = U * (n + 8) + (T > 0 && T < Infinity ? (2 * wrong) / T : 0);
  /** Below the smallest normal float a weight has fewer digits. */
  const floor = 2 ** -126;
  let ratio = 0;
  let measured = 0;
  for (let j = 0; j < n; j++) {
    const difference = Math.abs(weights[j] - expected[j]);
    measured = Math.max(measured, difference);
    ratio = Math.max(ratio, difference / (relative * expected[j] + floor));
  }
  // |dH| ≤ Σ |log p + 1|·|dp|, and ρ itself is rounded where it is computed from n, z/T and lse
  const slope = expected.reduce((sum, p) => sum + (p > 0 ? p * Math.abs(Math.log(p) + 1) : 0), 0);
  const reach = T > 0 && T < Infinity ? size.reduce((a, b) => Math.max(a, b), 0) / T : 0;
  const rhoAllowed = relative * slope + 8 * U * (1 + Math.log(n) + reach);
  const rhoMeasured = Math.abs(rho - budget(expected));
  return {
    z,
    expected,
    weights: { measured, allowed: relative, ratio, tie },
    rho: { measured: rhoMeasured, allowed: rhoAllowed, tie },
  };
}

/**
 * Compares a surprise on show with that of logits at sampling temperature 1. The sum of n numbers
 * in float64 is wrong by n roundings at most, and the logarithm by a few.
 * @param {number} bits as shown
 * @param {ArrayLike<number>} logits that the token was chosen by @param {number} id of the token
 */
export function checkBits(bits, logits, id) {
  const expected = -Math.log2(softmax(logits, 1)[id]);
  const allowed = 2 ** -52 * (logits.length + 8 + expected);
  return { measured: Math.abs(bits - expected), allowed };
}
