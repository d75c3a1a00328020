/** Keys on the way from a head's own to those that a group shares, and the bounds on the change. */
import { headInputs } from '../../math/data.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

export const N = 32;
export const D = 64;
export const HEADS = 4;
const U = 2 ** -53;
const RANK = 16;

/**
 * The heads of one group, each with keys of its own, and the mean of them all.
 * @param {number} seed
 */
export function group(seed) {
  const shape = /** @type {const} */ ({ seed, H: HEADS, n: N, d: D, kind: 'patterns' });
  const own = headInputs({ ...shape, G: HEADS });
  const mean = headInputs({ ...shape, G: 1 });
  const head = (/** @type {Float32Array} */ x) => Float64Array.from(x.subarray(0, N * D));
  return {
    ...{ d: D, causal: false },
    q: head(own.q),
    k: head(own.k),
    v: head(own.v),
    shared: Float64Array.from(mean.k),
    sharedV: Float64Array.from(mean.v),
  };
}

/**
 * A part of the way, from 0, the head’s own rows, to 1, the shared ones.
 * @param {Float64Array} own @param {Float64Array} shared @param {number} part
 */
export const between = (own, shared, part) => own.map((x, at) => x + part * (shared[at] - x));

/**
 * Queries, each of which reads the keys up to its own word, or all of them.
 * @typedef {object} Looks
 * @property {Float64Array} q (m, d)
 * @property {Float64Array} k (n, d)
 * @property {Float64Array} v (n, dv)
 * @property {Float64Array} shared (n, d), the keys that it would share
 * @property {Float64Array} sharedV (n, dv)
 * @property {number} d
 * @property {number} T
 * @property {boolean} causal the last query is that of the last key
 */

/** @typedef {ReturnType<Engine['theory']['sharedKeyBounds']>} Found */
/**
 * Without the cap, which may differ between queries.
 * @typedef {Omit<Found['bounds']['sharp'], 'cap'>} Bound
 */

/**
 * The change of every query's weights, and the bounds on it.
 * @param {Engine} engine @param {Looks} looks
 * @param {number} part of the way to the shared keys
 * @returns {{ measured: Found['measured'], bounds: Record<keyof Found['bounds'], Bound>,
 *   keys: Float64Array }}
 */
export function lose({ theory }, { q, k, v, shared, sharedV, d, T, causal }, part) {
  const keys = between(k, shared, part);
  const values = between(v, sharedV, part);
  const [m, n] = [q.length / d, k.length / d];
  const dv = v.length / n;
  /** The queries from one to another, and the keys that they read. */
  const of = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ read) =>
    theory.sharedKeyBounds(
      q.subarray(from * d, to * d),
      k.subarray(0, read * d),
      keys.subarray(0, read * d),
      v.subarray(0, read * dv),
      { headDim: d, temperature: T, sharedV: values.subarray(0, read * dv) },
    );
  if (!causal) return { ...joined([of(0, m, n)]), keys };
  const parts = Array.from({ length: m }, (_, i) => of(i, i + 1, n - m + i + 1));
  // one key has all of a look, so a bound that says so is not vacuous
  if (m === n) for (const bound of Object.values(parts[0].bounds)) bound.vacuous = 0;
  return { ...joined(parts), keys };
}

/** @param {Found[]} parts of some queries each */
function joined(parts) {
  const join = (/** @type {(part: Found) => ArrayLike<number>} */ of) =>
    Float64Array.from(parts.flatMap((part) => Array.from(of(part))));
  const names = /** @type {(keyof Found['bounds'])[]} */ (Object.keys(parts[0].bounds));
  const bounds = names.map((name) => {
    const all = parts.map((part) => part.bounds[name]);
    /** @type {Bound} */
    const bound = {
      values: join((part) => part.bounds[name].values),
      violated: all.reduce((sum, { violated }) => sum + violated, 0),
      vacuous: all.reduce((sum, { vacuous }) => sum + vacuous, 0),
      slack: Math.min(...all.map(({ slack }) => slack)),
    };
    return [name, bound];
  });
  return {
    measured: {
      weights2: join(({ measured }) => measured.weights2),
      weights1: join(({ measured }) => measured.weights1),
      output: join(({ measured }) => measured.output),
    },
    bounds: /** @type {Record<keyof Found['bounds'], Bound>} */ (Object.fromEntries(bounds)),
  };
}

/**
 * How far the weights of one query are apart, with one list of keys and with another.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} keys (n, d) or more
 * @param {ArrayLike<number>} others (n, d) or more
 * @param {{ n: number, d: number, T: number }} shape
 * @returns {{ change: number, size: number }} and the largest sum of the sizes of a score’s terms
 */
export function changeOf(q, keys, others, { n, d, T }) {
  let size = 0;
  const weights = (/** @type {ArrayLike<number>} */ k) => {
    const z = Array.from({ length: n }, (_, j) => {
      let dot = 0;
      let terms = 0;
      for (let c = 0; c < d; c++) {
        dot += q[c] * k[j * d + c];
        terms += Math.abs(q[c] * k[j * d + c]);
      }
      size = Math.max(size, terms / Math.sqrt(d) / T);
      return dot / Math.sqrt(d) / T;
    });
    const top = Math.max(...z);
    const p = z.map((x) => Math.exp(x - top));
    const sum = p.reduce((a, b) => a + b);
    return p.map((x) => x / sum);
  };
  const a = weights(keys);
  const b = weights(others);
  return { change: Math.sqrt(a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0)), size };
}

/**
 * Keys out of one short vector a token: attention over the keys written out, and attention over the
 * short vectors with queries that have taken the matrix in. Both by the same kernel, on other
 * numbers.
 * @param {Engine} engine @param {{ seed: number, T: number }} setting
 */
export function latent({ attention, theory }, { seed, T }) {
  const c = theory.normal(N * RANK, { seed: seed + 1 }); // (n, r)
  const W = theory.normal(D * RANK, { seed: seed + 2 }).map((x) => x / Math.sqrt(RANK)); // (d, r)
  const q = theory.normal(N * D, { seed: seed + 3 }); // (n, d)
  const k = product(c, W, { rows: N, inner: RANK, columns: D });
  const absorbed = new Float64Array(N * RANK);
  for (let i = 0; i < N; i++)
    for (let r = 0; r < RANK; r++) {
      let sum = 0;
      for (let e = 0; e < D; e++) sum += q[i * D + e] * W[e * RANK + r];
      absorbed[i * RANK + r] = sum;
    }
  const scale = 1 / Math.sqrt(D);
  const want = { weights: true };
  const expanded = attention(q, k, c, { headDim: D, valueDim: RANK, scale, temperature: T, want });
  const short = attention(absorbed, c, c, {
    headDim: RANK,
    valueDim: RANK,
    scale,
    temperature: T,
    want,
  });
  if (!expanded.weights || !short.weights) throw new Error('the engine returned no weights');
  return compare({ a: expanded.weights, b: short.weights, q, c, W, scale, T });
}

/**
 * Rows times rows: a (rows, inner) and b (columns, inner).
 * @param {ArrayLike<number>} a @param {ArrayLike<number>} b
 * @param {{ rows: number, inner: number, columns: number }} shape
 */
function product(a, b, { rows, inner, columns }) {
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let c = 0; c < inner; c++) sum += a[i * inner + c] * b[j * inner + c];
      out[i * columns + j] = sum;
    }
  return out;
}

/**
 * Element by element, with the sum of the sizes of all terms of a logit as the scale of rounding.
 * @param {{ a: Float64Array, b: Float64Array, q: Float64Array, c: Float64Array, W: Float64Array,
 *   scale: number, T: number }} sides
 */
function compare({ a, b, q, c, W, scale, T }) {
  const worst = { measured: 0, allowed: 0, ratio: 0 };
  for (let i = 0; i < N; i++) {
    let size = 0;
    for (let j = 0; j < N; j++) {
      let terms = 0;
      for (let e = 0; e < D; e++)
        for (let r = 0; r < RANK; r++)
          terms += Math.abs(q[i * D + e] * W[e * RANK + r] * c[j * RANK + r]);
      size = Math.max(size, (terms * scale) / T);
    }
    for (let j = 0; j < N; j++) {
      const at = i * N + j;
      const measured = Math.abs(a[at] - b[at]);
      const allowed = U * (16 + 8 * size) * Math.max(a[at], b[at]);
      if (!(measured / allowed <= worst.ratio))
        Object.assign(worst, { measured, allowed, ratio: measured / allowed });
    }
  }
  return worst;
}
