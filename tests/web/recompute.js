/**
 * The test's own float64: every number the page shows, once more, by code that neither the kernels
 * nor the page have seen. Attention is that of reference.js. Rows are arrays of arrays here, and
 * sums are compensated, so that not even the order of additions is shared.
 */
import { headInputs } from '../../web/math/data.js';
import { reference } from '../support/reference.js';

/** A point of the circle of one look. */
export const onCircle = (degrees) => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];

/** The values of one look: two numbers for each of its words. */
export const VALUES = [
  [-0.9, 0.25],
  [0.75, 0.7],
  [-0.8, -0.5],
  [0.9, -0.35],
  [0.4, -0.85],
  [-0.1, 0.75],
];

/** Neumaier's sum. */
export function sum(values) {
  let total = 0;
  let lost = 0;
  for (const x of values) {
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total;
    total = next;
  }
  return total + lost;
}

export const rows = (flat, width) =>
  Array.from({ length: flat.length / width }, (_, r) =>
    Array.from(flat.slice(r * width, (r + 1) * width)),
  );
export const dot = (a, b) => sum(a.map((x, c) => x * b[c]));

/** exp(x_j) / Σ exp(x_j) over the finite entries; entropy and KL to uniform in nats. */
export function softmax(exponents) {
  const top = Math.max(...exponents);
  const raw = exponents.map((x) => Math.exp(x - top));
  const total = sum(raw);
  const weights = raw.map((x) => x / total);
  const n = exponents.filter((x) => x > -Infinity).length;
  const entropy = -sum(weights.map((p) => (p > 0 ? p * Math.log(p) : 0)));
  return { weights, entropy, kl: Math.log(n) - entropy, lse: top + Math.log(total) };
}

/** Weights of one query by dot products. `reads(j)`: may it read key j. */
export function attentionWeights(q, keys, T, reads = () => true) {
  const { weights, lse, stats } = reference(
    Float64Array.from(q),
    Float64Array.from(keys.flat()),
    new Float64Array(keys.length),
    {
      headDim: q.length,
      valueDim: 1,
      temperature: T,
      mask: { data: Uint8Array.from(keys, (_, j) => Number(reads(j))), shape: [keys.length] },
    },
  );
  const [entropy, kl] = [stats.entropy[0], stats.kl[0]];
  return { weights: [...weights], entropy, kl, lse: lse[0] };
}

/** Weights of one query by distances. */
export function gaussianWeights(q, keys, T, restore = false) {
  const twice = 2 * T * Math.sqrt(q.length);
  return softmax(
    keys.map((k) => ((restore ? dot(k, k) : 0) - sum(k.map((x, c) => (q[c] - x) ** 2))) / twice),
  );
}

/** Σ p_j v_j. */
export const average = (weights, values) =>
  values[0].map((_, c) => sum(weights.map((p, j) => (p === 0 ? 0 : p * values[j][c]))));

/** The largest element and the Frobenius norm of a difference. */
export function difference(a, b) {
  const deltas = Array.from(a, (x, at) => Math.abs(x - b[at]));
  return { max: Math.max(...deltas), frobenius: Math.sqrt(sum(deltas.map((x) => x * x))) };
}

/**
 * The weights of head h of the machine, as its settings define them; the defaults are the page's.
 */
export function weightsOf(
  { seed = 7, H = 8, G = 4, n = 32, d = 64, T = 1, causal = true, kind = 'patterns' },
  h,
) {
  const { q, k } = headInputs({ seed, H, G, n, d, kind });
  const keys = rows(k, d)
    .slice(Math.floor(h / (H / G)) * n)
    .slice(0, n);
  return rows(q, d)
    .slice(h * n, (h + 1) * n)
    .map((query, i) => attentionWeights(query, keys, T, (j) => !causal || j <= i).weights);
}

/** Weights times the lengths of their values, of head h of the machine in the beginning. */
export function productsOf(h) {
  const [n, d] = [32, 64];
  const { v } = headInputs({ seed: 7, H: 8, G: 4, n, d, kind: 'patterns' });
  const values = rows(v, d).slice(Math.floor(h / 2) * n);
  return weightsOf({}, h).map((row) => row.map((p, j) => p * Math.sqrt(dot(values[j], values[j]))));
}

/** A reproducible stream of numbers in [0, 1), for choosing states. */
export function chooser(seed) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
  return {
    next,
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
    /** Equal chances for equal factors. */
    factor: (low, high) => Number((low * (high / low) ** next()).toPrecision(3)),
  };
}
