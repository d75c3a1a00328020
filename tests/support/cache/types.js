/** Shapes and options for caches that keep half precision or bytes. */
import assert from 'node:assert/strict';

export const all = { weights: true, scores: 'raw', lse: true, stats: true };
export const refused = (f, code, message = /./) =>
  assert.throws(f, { name: 'ClearheadError', code, message });

/** A cache that holds k and v. */
export function holding(ch, type, { kvHeads, d, dv, n }, k, v) {
  const cache = ch.kvCache({ kvHeads, headDim: d, valueDim: dv, capacity: n, type });
  cache.append(k, v);
  return cache;
}

/** To nearest even in half precision, by arithmetic alone. */
export function toHalf(x) {
  const size = Math.abs(x);
  if (!(size > 0 && size < Infinity)) return x;
  const unit = 2 ** (Math.max(-14, Math.floor(Math.log2(size))) - 10);
  const down = Math.floor(size / unit);
  const rest = size / unit - down;
  const rounded = (down + (rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? 1 : 0)) * unit;
  return Math.sign(x) * (rounded > 65504 ? Infinity : rounded);
}

export const shapes = [
  { batch: 1, heads: 1, kvHeads: 1, m: 1, n: 1, d: 1, dv: 1 },
  { batch: 1, heads: 4, kvHeads: 2, m: 5, n: 37, d: 17, dv: 9 },
  { batch: 1, heads: 3, kvHeads: 1, m: 1, n: 700, d: 64, dv: 64 },
  { batch: 1, heads: 8, kvHeads: 2, m: 40, n: 1100, d: 64, dv: 64 },
  { batch: 1, heads: 2, kvHeads: 2, m: 3, n: 130, d: 128, dv: 96 },
  { batch: 1, heads: 2, kvHeads: 1, m: 2, n: 90, d: 1024, dv: 5 },
];
export const variations = [
  {},
  { causal: true },
  { window: [20, 0] },
  { softcap: 3 },
  { temperature: 0 },
  { temperature: Infinity },
  { temperature: 0.3, sinks: true },
];
