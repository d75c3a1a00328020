/**
 * One new word that looks at the words of a cache, whose heads share keys in four ways. It runs in
 * the worker of the kernels.
 */
import { gaussianInputs } from '../../math/data.js';
import { attentionRow } from '../../math/oracle.js';
import { addRow, none } from './difference.js';
import { meanTime } from './sample.js';
import { D } from './ways.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

/** Heads of the word, each with a query of its own. */
export const HEADS = 8;
/** Words in the cache. */
export const KEYS = 2048;
/** Heads of the cache: each head has its own, then two share one, then four, then all. */
export const SHARED = /** @type {const} */ (['8', '4', '2', '1']);

/** @typedef {typeof SHARED[number]} Shared */

/** @type {Record<'q' | 'k' | 'v', Float32Array> | undefined} */
let drawn;

/** Queries of all heads, and keys and values of those that the cache has. @param {Shared} shared */
function inputs(shared) {
  if (!drawn) {
    const { q, k, v } = gaussianInputs({ seed: 11, m: HEADS, n: HEADS * KEYS, d: D, dv: D });
    drawn = { q: new Float32Array(q), k: new Float32Array(k), v: new Float32Array(v) };
  }
  const count = Number(shared) * KEYS * D;
  return { q: drawn.q, k: drawn.k.subarray(0, count), v: drawn.v.subarray(0, count) };
}

/**
 * The look of the word, as often as it is asked for.
 * @param {Engine} engine @param {Shared} shared
 */
function look(engine, shared) {
  const { q, k, v } = inputs(shared);
  const cache = engine.kvCache({ kvHeads: Number(shared), headDim: D, capacity: KEYS });
  cache.append(k, v);
  return { q, k, v, cache, attend: () => engine.attend(q, cache, { heads: HEADS }) };
}

/** The bytes of the numbers in the cache. @param {Shared} shared */
export const bytesOf = (shared) => Number(shared) * KEYS * D * 2 * Float32Array.BYTES_PER_ELEMENT;

/**
 * The largest difference of each way from a plain program, which gives each head its own keys.
 * @param {Engine} engine
 */
export function compareShared(engine) {
  return SHARED.map((way) => {
    const { q, k, v, cache, attend } = look(engine, way);
    const { output } = attend();
    cache.dispose();
    const found = { way, ...none() };
    for (let h = 0; h < HEADS; h++) {
      const group = Math.floor((h * Number(way)) / HEADS);
      const own = (/** @type {Float32Array} */ x) =>
        x.subarray(group * KEYS * D, (group + 1) * KEYS * D);
      const query = q.subarray(h * D, (h + 1) * D);
      const shape = { n: KEYS, d: D, dv: D, scale: 1 / Math.sqrt(D), T: 1, visible: () => true };
      const truth = attentionRow(query, own(k), own(v), shape);
      addRow(found, output.subarray(h * D, (h + 1) * D), truth);
    }
    return found;
  });
}

/** Milliseconds of one look. @param {Engine} engine @param {Shared} shared */
export function timeShared(engine, shared) {
  const { cache, attend } = look(engine, shared);
  const mean = meanTime(attend);
  cache.dispose();
  return mean;
}
