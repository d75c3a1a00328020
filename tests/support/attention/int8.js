/** Attention in 8-bit integers beside exact results: the bounds stated in attn.h, and cosines. */
import assert from 'node:assert/strict';
import { random } from '../random.js';

const SPAN = 512;
const BLOCK = 128;
const EPSILON = 2 ** -23;
const SMALLEST = 2e-36;
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

/** How far a channel of an output may be off, since a weight times the value is small. */
export const lost = (p, value, c) =>
  p * largest(value) < SMALLEST_PRODUCT ? (p + SMALLEST_WEIGHT) * Math.abs(value[c]) : 0;

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
    const times = mean.map((_, c) =>
      Math.max(
        1 / 16,
        Math.sqrt(
          short
            .slice(0, known.length)
            .reduce(
              (sum, key) => sum + (largest(key) >= SMALLEST ? Math.abs(key[c]) / largest(key) : 0),
              0,
            ) / known.length || 0,
        ),
      ),
    );
    for (const key of short) result.push({ key: key.map((x, c) => x / times[c]), times });
  }
  return result;
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
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++) {
      const g = Math.floor(h / (heads / kvHeads));
      const keys = Array.from({ length: n }, (_, j) => ks(b, g, j));
      const short = reshaped(keys, options.keyLengths?.[b] ?? n);
      const values = Array.from({ length: n }, (_, j) => vs(b, g, j));
      const valueSteps = values.map((x) => half(largest(x)));
      for (let i = 0; i < m; i++) {
        const row = ((b * heads + h) * m + i) * n;
        const query = qs(b, h, i);
        for (let j = 0; j < n; j++) {
          const { key, times } = short[j];
          const q = query.map((x, c) => x * times[c]);
          const eq = half(largest(q));
          const ek = half(largest(key));
          const lambda = scale * (options.keyScale?.[j] ?? 1);
          let condition = 0;
          let exact = 0;
          for (let c = 0; c < d; c++) {
            exact += query[c] * keys[j][c];
            condition +=
              Math.abs(q[c]) * (Math.abs(key[c]) + Math.abs(keys[j][c] / times[c] - key[c]));
          }
          const bound =
            Math.abs(lambda) *
              (eq * magnitude(key) +
                ek * magnitude(q) +
                d * eq * ek +
                (8 + d) * EPSILON * condition) +
            FLOOR;
          const error = Math.abs(scores[row + j] - lambda * exact);
          assert.ok(error <= bound, `score ${h} ${i} ${j}: ${error} beyond ${bound}`);
          used.score = Math.max(used.score, error / bound);
        }
        // beside what exact weights of these scores give: the weights that came back
        for (let c = 0; c < dv; c++) {
          let want = 0;
          let bound = 0;
          let condition = 0;
          for (let block = 0; block < n; block += BLOCK) {
            let max = 0;
            let words = 0;
            for (let j = block; j < Math.min(n, block + BLOCK); j++) {
              const p = weights[row + j];
              bound += lost(p, values[j], c);
              if (p === 0) continue;
              want += p * values[j][c];
              condition += p * Math.abs(values[j][c]);
              bound += p * valueSteps[j];
              max = Math.max(max, p * 2 * valueSteps[j]);
              words += valueSteps[j] && Math.abs(values[j][c] / (2 * valueSteps[j])) + 0.5;
            }
            bound += (max * words) / 254;
          }
          const error = Math.abs(outs(b, h, i)[c] - want);
          const allowed = bound * (1 + 2 ** -20) + 16 * EPSILON * condition + FLOOR;
          assert.ok(error <= allowed, `output ${h} ${i} ${c}: ${error} beyond ${allowed}`);
          used.output = Math.max(used.output, error / allowed);
        }
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
