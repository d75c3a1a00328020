/** The layer of statement 14, and its outputs by textbook loops. */
import { product, transposed } from '../textbook.js';
import {
  HEADS,
  MODEL,
  head,
  ofAttention,
  ofProduct,
  quarters,
  size,
  summed,
} from './layer-data.js';

/**
 * @typedef {ReturnType<typeof layerData>} LayerData
 * @typedef {ReturnType<typeof textbookHeads>} TextbookHeads
 */

/** Channels of a query that positions do not rotate, and of those that they do. */
const NOPE = 16;
const ROPE = 8;
export const DIM = NOPE + ROPE;
const PAIRS = ROPE / 2;
/** Numbers of a latent c, of a value, and of a compressed query. */
const LATENT = 24;
export const VALUE = 8;
export const QUERY_LATENT = 12;
/** Numbers that a cache keeps of a position: c and the rotated key. */
export const KEPT = LATENT + ROPE;
export const SHAPE = {
  modelDim: MODEL,
  heads: HEADS,
  kvLatent: LATENT,
  nopeDim: NOPE,
  ropeDim: ROPE,
  valueDim: VALUE,
};

/**
 * Inputs and weights in quarters, so that float32 holds their products exactly.
 * @param {number} m positions
 * @param {number} seed
 */
export function layerData(m, seed) {
  const make = quarters(seed + 14);
  // position i turns pair p by i·(p + 1) quarters of a circle
  const turn = (/** @type {number[]} */ of) =>
    Float32Array.from(
      { length: m * PAIRS },
      (_, at) => of[(Math.floor(at / PAIRS) * ((at % PAIRS) + 1)) % 4],
    );
  return {
    m,
    x: make(m * MODEL, 1),
    q: make(HEADS * DIM * MODEL),
    kvA: make(KEPT * MODEL),
    kvB: make(HEADS * (NOPE + VALUE) * LATENT),
    o: make(MODEL * HEADS * VALUE),
    qA: make(QUERY_LATENT * MODEL),
    qB: make(HEADS * DIM * QUERY_LATENT),
    table: { dim: ROPE, cos: turn([1, 0, -1, 0]), sin: turn([0, 1, 0, -1]) },
  };
}

/**
 * Rows of `width` numbers, the last of which, from `from` on, are turned.
 * @param {Float64Array} rows
 * @param {number} width
 * @param {number} from
 * @param {LayerData['table']} table
 */
const turned = (rows, width, from, { cos, sin }) =>
  rows.map((a, at) => {
    const i = Math.floor(at / width);
    const c = (at % width) - from;
    const p = i * PAIRS + (c % PAIRS);
    if (c < 0) return a;
    return c < PAIRS
      ? a * cos[p] - rows[at + PAIRS] * sin[p]
      : rows[at - PAIRS] * sin[p] + a * cos[p];
  });

/**
 * Two arrays of m rows, the second behind the first in each row.
 * @param {number} m
 * @param {Float64Array} a
 * @param {Float64Array} b
 */
function beside(m, a, b) {
  const row = (/** @type {Float64Array} */ y, /** @type {number} */ i) => [
    ...y.subarray((y.length / m) * i, (y.length / m) * (i + 1)),
  ];
  return Float64Array.from(
    Array.from({ length: m }, (_, i) => [...row(a, i), ...row(b, i)]).flat(),
  );
}

/**
 * Columns [from, to) of rows of `width` numbers.
 * @param {Float64Array} rows
 * @param {number} width
 * @param {number} from
 * @param {number} to
 */
const columns = (rows, width, from, to) =>
  rows.filter((_, at) => at % width >= from && at % width < to);

/**
 * Each head by textbook loops: over whole keys W_UK·c, and inside the latents c.
 * @param {LayerData} data
 */
export function textbookHeads({ m, x, q, kvA, kvB, table }) {
  const latents = turned(product(x, kvA, MODEL), KEPT, LATENT, table);
  const c = columns(latents, KEPT, 0, LATENT);
  const rotatedKeys = columns(latents, KEPT, LATENT, KEPT);
  return Array.from({ length: HEADS }, (_, h) => {
    const floats = (NOPE + VALUE) * LATENT;
    const up = kvB.subarray(h * floats, (h + 1) * floats);
    const keyUp = up.subarray(0, NOPE * LATENT);
    const valueUp = up.subarray(NOPE * LATENT);
    const weights = q.subarray(h * DIM * MODEL, (h + 1) * DIM * MODEL);
    const query = turned(product(x, weights, MODEL), DIM, NOPE, table);
    const inLatents = product(columns(query, DIM, 0, NOPE), transposed(keyUp, LATENT), NOPE);
    const inner = beside(m, inLatents, columns(query, DIM, NOPE, DIM));
    const keys = beside(m, product(c, keyUp, LATENT), rotatedKeys);
    return {
      valueUp,
      whole: head(query, keys, product(c, valueUp, LATENT), m),
      inside: head(inner, latents, c, m, 1 / Math.sqrt(DIM)),
    };
  });
}

/**
 * The outputs of position i by both loops, with the sizes of their terms and their units.
 * @param {number} i
 * @param {TextbookHeads} heads
 * @param {Float32Array} o
 */
export function textbookOutputs(i, heads, o) {
  const none = new Float64Array(MODEL);
  const worst = (/** @type {'whole' | 'inside'} */ form) =>
    Math.max(...heads.map((one) => one[form][i].condition));
  const values = heads.map(({ whole }) => ({ y: whole[i].output, s: whole[i].magnitude }));
  // Σp|c| goes through W_UV, a product more, and then is no less than Σp|W_UV·c|
  const means = heads.map(({ valueUp, inside }) => ({
    y: product(inside[i].output, valueUp, LATENT),
    s: product(inside[i].magnitude, size(valueUp), LATENT),
  }));
  return {
    expanded: summed(o, VALUE, values, none, none),
    absorbed: summed(o, VALUE, means, none, none),
    ofExpanded: ofAttention(worst('whole')) + ofProduct(HEADS * VALUE),
    ofAbsorbed: ofAttention(worst('inside')) + ofProduct(LATENT) + ofProduct(HEADS * VALUE),
  };
}
