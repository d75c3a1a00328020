/** Random calls over KV caches, and parts of their keys and values. */
import { randomCalls } from '../cases.js';
import { block } from '../parts.js';

/** Positions [from, to) of keys or values (kvHeads, n, size). */
export const positions = (a, heads, n, size, from, to) =>
  block(a, [1, heads, n, size], undefined, undefined, [from, to]);

/**
 * Float32 calls of one sequence, with the sizes and the options a cache may be asked with apart.
 */
export function* calls(count, from) {
  for (const { c, s, call } of randomCalls(count, from, {
    Type: Float32Array,
    accept: ({ s: shape }) => shape.batch === 1,
  })) {
    const { batch, kvHeads, headDim, valueDim, layout, ...options } = call.options;
    yield { c, s, ...call, options, sizes: { kvHeads, headDim, valueDim } };
  }
}

export function cacheOf(ch, { s, k, v, sizes }, capacity = s.n) {
  const cache = ch.kvCache({ ...sizes, capacity });
  cache.append(k, v);
  return cache;
}
