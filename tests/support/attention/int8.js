/** Attention in 8-bit integers beside exact results: the bounds stated in attn.h, and cosines. */
import assert from 'node:assert/strict';
import { random } from '../random.js';

const SPAN = 512;
const BLOCK = 128;
const EPSILON = 2 ** -23;
const SMALLEST = 2e-36;
/** A key without the mean counts among the channels from this part of the largest key on. */
const SMALLEST_REST = 2 ** -14;
/** Smaller products of a weight and a value may count as 0. */
const SMALLEST_PRODUCT = 1e-30;
/** Weights are floats, which are so coarse near 0. */
const SMALLEST_WEIGHT = 2 ** -126;
/** Sixteen roundings among subnormal numbers, as in the rule for floats (limits.js). */
export const FLOOR = 2 ** -145;
export const numbers = (seed, length, of = (r) => r.normal()) => {
  const r = random(seed);
  return Float32Array.from({ length }, (_, at) => of(r, at));
};
export const integers = (ch, { q, k, v, options }, want = {}) =>
  ch.attention(q, k, v, { ...options, precision: 'int8', want });
const largest = (x) => x.reduce((max, y) => Math.max(max, Math.abs(y)), 0);
/** By how much rounding moves a number of a vector, at most; so little counts as 0. */
export const half = (max) => (max < SMALLEST ? max : max / 254);
const magnitude = (x) => x.reduce((sum, y) => sum + Math.abs(y), 0);

/**
 * How far a channel of an output may be off, since a weight times a value is small: x is the
 * value's number in that channel, and `max` the size of its largest.
 */
export const lost = (p, x, max) =>
  p * max < SMALLEST_PRODUCT ? (p + SMALLEST_WEIGHT) * Math.abs(x) : 0;

/** The vectors of (batch, heads, positions, size), whatever the layout. */
function rowsOf(x, { heads, positions, size, layout }) {
  const at = (b, h, i) =>
    (layout === 'bshd' ? (b * positions + i) * heads + h : (b * heads + h) * positions + i) * size;
  return (b, h, i) => x.subarray(at(b, h, i), at(b, h, i) + size);
}

/**
 * The keys that are rounded, and the factors of the queries that make up for it. A key loses the
 * mean of its span where that makes it smaller. It is divided by the root of its channel's mean
 * size relative to the largest. In float64, which is near enough for a bound.
 */
function reshaped(keys, length) {
  const result = [];
  for (let start = 0; start < keys.length; start += SPAN) {
    const span = keys.slice(start, start + SPAN);
    const known = span.slice(0, Math.max(0, length - start));
    const counts = known.filter((key) => largest(key) >= SMALLEST);
    const mean = Array.from(
      span[0],
      (_, c) => counts.reduce((sum, key) => sum + key[c], 0) / counts.length || 0,
    );
    const short = span.map((key, j) => {
      if (j >= known.length) return key;
      const less = key.map((x, c) => x - mean[c]);
      return largest(less) < largest(key) ? less : key;
    });
    const limit = Math.max(SMALLEST, SMALLEST_REST * Math.max(0, ...known.map(largest)));
    const sizes = short
      .slice(0, known.length)
      .map((key, j) => ({ key, max: largest(key), smallest: key === span[j] ? SMALLEST : limit }))
      .filter(({ max, smallest }) => max >= smallest);
    const times = mean.map((_, c) =>
      Math.max(
        1 / 16,
        Math.sqrt(
          sizes.reduce((sum, { key, max }) => sum + Math.abs(key[c]) / max, 0) / known.length || 0,
        ),
      ),
    );
    for (const [j, key] of short.entries())
      result.push(
        rounded(
          span[j],
          key.map((x, c) => x / times[c]),
          times,
        ),
      );
  }
  return result;
}

/** A key as it is rounded: its numbers, and the sizes that bound the error of a score. */
const rounded = (exact, key, times) => ({
  exact,
  key,
  times,
  step: half(largest(key)),
  size: magnitude(key),
  conditions: Float64Array.from(key, (x, c) => Math.abs(x) + Math.abs(exact[c] / times[c] - x)),
});

/** A query for keys that were divided by `times`, and the sizes that bound the error of a score. */
function turned(query, times) {
  const q = query.map((x, c) => x * times[c]);
  return { query, q, times, step: half(largest(q)), size: magnitude(q) };
}

/** The error of one raw score, and its bound. */
function errorOfScore(got, lambda, from, to) {
  const d = from.q.length;
  let condition = 0;
  let exact = 0;
  for (let c = 0; c < d; c++) {
    exact += from.query[c] * to.exact[c];
    condition += Math.abs(from.q[c]) * to.conditions[c];
  }
  const bound =
    Math.abs(lambda) *
      (from.step * to.size +
        to.step * from.size +
        d * from.step * to.step +
        (8 + d) * EPSILON * condition) +
    FLOOR;
  return { error: Math.abs(got - lambda * exact), bound };
}

/** The error of channel c of an output of these weights, which came back, and its bound. */
function errorOfOutput(got, weights, values, c) {
  let want = 0;
  let bound = 0;
  let condition = 0;
  for (let block = 0; block < weights.length; block += BLOCK) {
    let max = 0;
    let words = 0;
    for (let j = block; j < Math.min(weights.length, block + BLOCK); j++) {
      const p = weights[j];
      const { value, largest, step } = values[j];
      bound += lost(p, value[c], largest);
      if (p === 0) continue;
      want += p * value[c];
      condition += p * Math.abs(value[c]);
      bound += p * step;
      max = Math.max(max, p * 2 * step);
      words += step && Math.abs(value[c] / (2 * step)) + 0.5;
    }
    bound += (max * words) / 254;
  }
  return {
    error: Math.abs(got - want),
    bound: bound * (1 + 2 ** -20) + 16 * EPSILON * condition + FLOOR,
  };
}

/**
 * Holds raw scores and output of one call against the bounds stated with ATTN_INT8; returns the
 * largest part of each bound that was used.
 */
export function withinBounds(ch, { q, k, v, options }) {
  const { batch = 1, heads = 1, kvHeads = heads, headDim: d, valueDim: dv = d, layout } = options;
  const m = q.length / (batch * heads * d);
  const n = k.length / (batch * kvHeads * d);
  const scale = options.scale ?? 1 / Math.sqrt(d);
  const { output, scores, weights } = integers(
    ch,
    { q, k, v, options },
    { scores: 'raw', weights: true },
  );
  const qs = rowsOf(q, { batch, heads, positions: m, size: d, layout });
  const ks = rowsOf(k, { batch, heads: kvHeads, positions: n, size: d, layout });
  const vs = rowsOf(v, { batch, heads: kvHeads, positions: n, size: dv, layout });
  const outs = rowsOf(output, { batch, heads, positions: m, size: dv, layout });
  const used = { score: 0, output: 0 };
  const note = (what, { error, bound }, ...place) => {
    // the words are made for a failure alone: there are millions of numbers
    if (!(error <= bound)) assert.fail(`${what} ${place.join(' ')}: ${error} beyond ${bound}`);
    used[what] = Math.max(used[what], error / bound);
  };
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++) {
      const g = Math.floor(h / (heads / kvHeads));
      const exact = Array.from({ length: n }, (_, j) => ks(b, g, j));
      const keys = reshaped(exact, options.keyLengths?.[b] ?? n);
      const values = Array.from({ length: n }, (_, j) => {
        const value = vs(b, g, j);
        return { value, largest: largest(value), step: half(largest(value)) };
      });
      for (let i = 0; i < m; i++) {
        const row = ((b * heads + h) * m + i) * n;
        let query;
        for (let j = 0; j < n; j++) {
          const { times } = keys[j];
          if (query?.times !== times) query = turned(qs(b, h, i), times);
          const lambda = scale * (options.keyScale?.[j] ?? 1);
          note('score', errorOfScore(scores[row + j], lambda, query, keys[j]), h, i, j);
        }
        const out = outs(b, h, i);
        const own = weights.subarray(row, row + n);
        for (let c = 0; c < dv; c++) note('output', errorOfOutput(out[c], own, values, c), h, i, c);
      }
    }
  return used;
}

/** Cosine of all outputs, and the error relative to the size of the exact ones. */
export function compare(got, want) {
  let dot = 0;
  let a = 0;
  let b = 0;
  let error = 0;
  for (const [x, y] of want.entries()) {
    dot += got[x] * y;
    a += got[x] ** 2;
    b += y ** 2;
    error += (got[x] - y) ** 2;
  }
  return { cosine: dot / Math.sqrt(a * b), error: Math.sqrt(error / b) };
}

export const exactly = (ch, { q, k, v, options }) =>
  ch.attention(...[q, k, v].map((x) => Float64Array.from(x)), options).output;
