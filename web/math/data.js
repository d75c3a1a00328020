/**
 * Inputs from a seed. They use integers, additions, multiplications and square roots only, which
 * every engine rounds alike. The same link has the same inputs, to the last bit, in every browser.
 */

/** @param {number} seed @param {string} name a stream of its own per name */
export function stream(seed, name) {
  let a = seed >>> 0;
  for (let i = 0; i < name.length; i++)
    a = Math.imul(a ^ name.charCodeAt(i), 0x01000193) + 0x9e3779b9;
  /** mulberry32, as a number in [0, 1). */
  const uniform = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  /** Mean 0, variance 1, bell-shaped: the sum of four uniforms, scaled. */
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508075688772;
}

/** @param {number} seed @param {string} name @param {number} length */
function normals(seed, name, length) {
  const next = stream(seed, name);
  const out = new Float64Array(length);
  // Float64Array.from takes three times as long in V8
  for (let at = 0; at < length; at++) out[at] = next();
  return out;
}

/** Rows of size d, each divided by its length. @param {Float64Array} rows @param {number} d */
export function unitRows(rows, d) {
  const out = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += d) {
    let sum = 0;
    for (let c = 0; c < d; c++) sum += rows[at + c] * rows[at + c];
    const norm = Math.sqrt(sum);
    for (let c = 0; c < d; c++) out[at + c] = norm > 0 ? rows[at + c] / norm : 0;
  }
  return out;
}

/**
 * q (m, d), k (n, d) and v (n, dv) of independent entries, before any normalisation.
 * @param {{ seed: number, m?: number, n: number, d: number, dv: number }} shape
 */
export function gaussianInputs({ seed, n, m = n, d, dv }) {
  return {
    q: normals(seed, 'q', m * d),
    k: normals(seed, 'k', n * d),
    v: normals(seed, 'v', n * dv),
  };
}

/**
 * The places a head looks for: the position `back` steps before its own (weight `own`), the first
 * position (weight `sink`) and nothing in particular (weight `free`). Head h follows recipe
 * h mod 8.
 */
export const RECIPES = [
  { back: 1, own: 0.55, sink: 0, free: 0.6 },
  { back: 0, own: 0, sink: 0.34, free: 0.9 },
  { back: 0, own: 0.5, sink: 0.1, free: 0.5 },
  { back: 0, own: 0, sink: 0, free: 1 },
  { back: 4, own: 0.5, sink: 0.22, free: 0.5 },
  { back: 2, own: 0.3, sink: 0, free: 0.8 },
  { back: 0, own: 0.2, sink: 0.5, free: 0.4 },
  { back: 8, own: 0.62, sink: 0, free: 0.4 },
];

/**
 * Queries of every head and the key/value dictionary each group shares, (H, n, d) and (G, n, d), in
 * float32. `patterns`: a key is a position vector that all heads know, plus a part of the head's
 * own. Position vectors of neighbours resemble each other. Each head looks for something (see
 * RECIPES). `normal`: independent entries. The dictionary of a group is the mean of its heads'
 * dictionaries, as when a checkpoint is converted. Of independent entries it is the sum over
 * √(group size), so that they keep their variance.
 * @param {{ seed: number, H: number, G: number, n: number, d: number, kind: 'patterns' | 'normal'
 *   }} shape
 */
export function headInputs({ seed, H, G, n, d, kind }) {
  const size = n * d;
  const share = H / G;
  const q = new Float32Array(H * size);
  const k = new Float32Array(G * size);
  const v = new Float32Array(G * size);
  const position = normals(seed, 'position', size);
  for (let at = d; at < size; at++) position[at] = 0.6 * position[at - d] + 0.8 * position[at];
  const weight = kind === 'normal' ? 1 / Math.sqrt(share) : 1 / share;
  for (let h = 0; h < H; h++) {
    const recipe = RECIPES[h % RECIPES.length];
    const query = stream(seed, `query ${h}`);
    const key = stream(seed, `key ${h}`);
    const value = stream(seed, `value ${h}`);
    const group = Math.floor(h / share) * size;
    for (let at = 0; at < size; at++) {
      const c = at % d;
      const target = Math.max(0, Math.floor(at / d) - recipe.back) * d + c;
      q[h * size + at] =
        kind === 'normal'
          ? query()
          : recipe.own * position[target] + recipe.sink * position[c] + recipe.free * query();
      k[group + at] += weight * (kind === 'normal' ? key() : 0.8 * position[at] + 0.6 * key());
      v[group + at] += weight * value();
    }
  }
  return { q, k, v };
}
