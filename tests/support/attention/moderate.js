/** Hostile calls for which attn.h bounds the rounding to bytes. */
import assert from 'node:assert/strict';
import { FLOOR, lost } from './int8.js';

const SMALLEST = 1e-30;
const LARGEST = 1e30;
const EPSILON = 2 ** -23;
const largest = (x) => x.reduce((max, y) => Math.max(max, Math.abs(y)), 0);

/** The vectors of this size. @param {Float32Array} x @param {number} size */
const vectorsOf = (x, size) =>
  Array.from({ length: x.length / size }, (_, at) => x.subarray(at * size, (at + 1) * size));

/** The factors of the scores of each key. */
const factorsOf = ({ n, d }, { scale = 1 / Math.sqrt(d), keyScale }) =>
  Array.from({ length: n }, (_, j) => scale * (keyScale?.[j] ?? 1));

/**
 * Whether all numbers are finite, and those and their products lie between 10^-30 and 10^30, or are
 * 0. Beyond that a score leaves the floats on its way, or a vector is so small that it counts as 0.
 */
export function isModerate(s, { q, k, v, options }) {
  const factors = factorsOf(s, options);
  if (![q, k, v, factors].every((x) => x.every(Number.isFinite))) return false;
  const [queries, keys, values] = [
    [q, s.d],
    [k, s.d],
    [v, s.dv],
  ].map(([x, size]) => vectorsOf(x, size).map(largest));
  const ends = (sizes) => {
    const all = sizes.map(Math.abs).filter(Boolean);
    return all.length ? [Math.min(...all), Math.max(...all)] : [];
  };
  const products = ends(queries).map((x, at) => x * (ends(keys)[at] ?? 1));
  const { scale = 1, keyScale = [] } = options;
  // a product is multiplied by the scale first, and then by the scale of its key
  const scores = [scale, ...ends(factors)].flatMap((x) => products.map((y) => x * y));
  return [
    ...queries,
    ...keys,
    ...values,
    scale,
    ...keyScale,
    ...factors,
    ...products,
    ...scores,
  ].every((x) => x === 0 || (Math.abs(x) >= SMALLEST && Math.abs(x) <= LARGEST));
}

/**
 * Holds raw scores and output over a q8 cache against the bounds stated with ATTN_CACHE_Q8, from
 * the numbers that the cache gives back. Returns the largest part of each bound that was used,
 * beside products that count as 0: an output that is nothing but such a product is off by all of
 * it.
 */
export function withinQ8Bounds(ch, cache, s, { q, k, options }) {
  const { batch: _, kvHeads, headDim, valueDim, ...rest } = options;
  const want = { scores: /** @type {const} */ ('raw'), weights: true };
  const got = ch.attend(q, cache, { offset: 0, ...rest, want });
  const kept = cache.read();
  const factors = factorsOf(s, options);
  const L = Math.min(32639, Math.floor((2 ** 31 - 1) / (128 * (s.d + 1))));
  const used = { score: 0, output: 0 };
  const [keys, originals, values] = [
    vectorsOf(kept.k, s.d),
    vectorsOf(k, s.d),
    vectorsOf(kept.v, s.dv),
  ];
  const sizes = keys.map((key, j) => Math.max(largest(key), largest(originals[j])));
  const largestValues = values.map(largest);
  vectorsOf(q, s.d).forEach((query, row) => {
    const first = Math.floor(Math.floor(row / s.m) / (s.heads / s.kvHeads)) * s.n;
    const sum = query.reduce((all, x) => all + Math.abs(x), 0);
    const weights = got.weights.subarray(row * s.n, (row + 1) * s.n);
    const step = largest(query) / (2 * L);
    for (let j = 0; j < s.n; j++) {
      const key = keys[first + j];
      const size = sizes[first + j];
      const exact = factors[j] * key.reduce((all, x, c) => all + x * query[c], 0);
      // a reference and the difference from it are twice as large as the key at most
      const rounding = step * s.d * size + 8 * EPSILON * sum * 4 * size;
      const bound = Math.abs(factors[j]) * rounding + FLOOR;
      const error = Math.abs(got.scores[row * s.n + j] - exact);
      assert.ok(error <= bound, `score ${row} ${j}: ${error} beyond ${bound}`);
      used.score = Math.max(used.score, error / bound);
    }
    const coarsest = weights.reduce(
      (max, p, j) => Math.max(max, p * (largestValues[first + j] / 127)),
      0,
    );
    for (let c = 0; c < s.dv; c++) {
      let exact = 0;
      let condition = 0;
      let small = 0;
      weights.forEach((p, j) => {
        exact += p * values[first + j][c];
        condition += p * Math.abs(values[first + j][c]);
        small += lost(p, values[first + j][c], largestValues[first + j]);
      });
      const bound = (s.n * coarsest * 127) / 65278 + small + 16 * EPSILON * condition + FLOOR;
      const error = Math.abs(got.output[row * s.dv + c] - exact);
      assert.ok(error <= bound, `output ${row} ${c}: ${error} beyond ${bound}`);
      used.output = Math.max(used.output, (error - small) / (bound - small));
    }
  });
  return used;
}
