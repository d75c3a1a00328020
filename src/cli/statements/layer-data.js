/**
 * The data and the sums of statements 10 and 14, of the layers. The data are small multiples of
 * 1/4, and a position turns by quarters of a circle. So every projection up to queries, keys and
 * values is exact, in float32 as in float64: a sum of at most 32 products, twice over, is below
 * 2²⁰ in sixteenths. Only attention and the steps behind it round:
 *   attention, each head u·(8 + 4A)·Σp|v| (docs/numerics.md: ε·(4 + 2A), ε = 2u, A the size of
 *   the terms of the logits)
 *   a product over C numbers u·(33 + ⌈C/32⌉)·(Σ|w·o| + |b|) (layers.h), where |o| is at most Σp|v|
 *   the residual                u·(|x| + Σ|w·o| + |b|)
 * The first goes through W_O, which turns Σp|v| into the sums of the others. So they add up, in
 * units of u·(|x| + |b| + Σ|W_O|·Σp|v|).
 */
import { normal, product, textbook } from '../textbook.js';

/** The unit of rounding in float32. */
export const U32 = 2 ** -24;
export const MODEL = 32;
export const HEADS = 4;

/** @param {number} seed */
export function quarters(seed) {
  const next = normal(seed);
  return (/** @type {number} */ length, unit = 0.25) =>
    Float32Array.from({ length }, () => unit * Math.round(next()));
}

/** @param {number} columns */
export const ofProduct = (columns) => 33 + Math.ceil(columns / 32);
/** @param {number} A */
export const ofAttention = (A) => 8 + 4 * A;

/** @template {Float32Array | Float64Array} A @param {A} x @returns {A} */
export const size = (x) => /** @type {A} */ (x.map(Math.abs));

/**
 * Causal attention of one head, row by row.
 * @param {Float64Array} q
 * @param {Float64Array} k
 * @param {Float64Array} v
 * @param {number} m
 * @param {number} [scale]
 */
export const head = (q, k, v, m, scale) =>
  Array.from({ length: m }, (_, i) =>
    textbook(q, k, v, {
      h: 0,
      kvHead: 0,
      i,
      keys: i + 1,
      m,
      n: m,
      d: q.length / m,
      dv: v.length / m,
      scale,
    }),
  );

/**
 * The columns of W_O that belong to head h.
 * @param {Float32Array} w (MODEL, HEADS·dv)
 * @param {number} h
 * @param {number} dv
 */
const columnsOf = (w, h, dv) => w.filter((_, at) => Math.floor((at % (HEADS * dv)) / dv) === h);

/**
 * The sums over heads of W_O,h·y_h and of |W_O,h|·s_h for one row, to which y and s are added.
 * @param {Float32Array} w
 * @param {number} dv
 * @param {{ y: Float64Array, s: Float64Array }[]} heads
 * @param {Float64Array} y
 * @param {Float64Array} s
 */
export const summed = (w, dv, heads, y, s) =>
  heads.reduce(
    (sum, { y, s }, h) => {
      const columns = columnsOf(w, h, dv);
      const more = product(y, columns, dv);
      const larger = product(s, size(columns), dv);
      return { y: sum.y.map((x, c) => x + more[c]), s: sum.s.map((x, c) => x + larger[c]) };
    },
    { y, s },
  );
