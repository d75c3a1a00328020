/** The steps of one row of the reference: scores that are added to, softmax and statistics. */

/**
 * The sum of the first n terms with its rounding error carried along (Neumaier), so that 10^5 keys
 * do not blur the reference.
 * @param {ArrayLike<number>} terms
 */
export function sumOf(terms, n = terms.length) {
  let s = 0;
  let carry = 0;
  for (let j = 0; j < n; j++) {
    const x = terms[j];
    const t = s + x;
    carry += Math.abs(s) >= Math.abs(x) ? s - t + x : x - t + s;
    s = t;
  }
  // ∞ and NaN: the carry is meaningless there
  return Number.isFinite(s) ? s + carry : s;
}

/**
 * The element of a mask that speaks for (b, h, i, j): aligned from the right, axes of 1 repeat;
 * undefined = beyond its last axis.
 */
function maskAt({ data, shape }, b, h, i, j) {
  const place = [b, h, i, j];
  const missing = place.length - shape.length;
  if (shape.at(-1) !== 1 && j >= shape.at(-1)) return undefined;
  let at = 0;
  for (let a = 0; a < shape.length; a++)
    at = at * shape[a] + (shape[a] === 1 ? 0 : place[a + missing]);
  return data[at];
}

/**
 * The sum that is added to the capped score of (b, h, i, j); −∞ if it is not attended. `size` is
 * the sum of the absolute parts.
 */
export function bias(options, b, h, i, j) {
  const { causal, window, offset = 0, mask, keyLengths, alibi } = options;
  const position = i + (typeof offset === 'number' ? offset : offset[b]);
  const none = { value: -Infinity, size: 0 };
  if (causal && j > position) return none;
  if (window && (j < position - window[0] || j > position + window[1])) return none;
  if (keyLengths && j >= keyLengths[b]) return none;
  const distance = alibi ? alibi[h] * Math.abs(position - j) : 0;
  if (!mask) return { value: -distance, size: Math.abs(distance) };
  const entry = maskAt(mask, b, h, i, j);
  if (
    entry === undefined ||
    entry === -Infinity ||
    (mask.data instanceof Uint8Array && entry === 0)
  )
    return none;
  const added = mask.data instanceof Uint8Array ? 0 : entry;
  return { value: added - distance, size: Math.abs(added) + Math.abs(distance) };
}

/**
 * exp((x − from)/T), or its limit: at T = 0 one where x is the largest, at ∞ one for all. NaN stays
 * NaN.
 */
function share(x, from, T) {
  if (Number.isNaN(x - from)) return NaN;
  if (T === 0) return x === from ? 1 : 0;
  return T === Infinity ? 1 : Math.exp((x - from) / T);
}

/**
 * One row. `y` are the logits (after bias, before the temperature), `keys` the positions that take
 * part, `sink` an extra logit or undefined. `weights` exp((y − max)/T)/Σ with the sink in the
 * total, `p` the same without it, `e` before the division.
 */
export function softmax(y, keys, T, sink) {
  const e = new Float64Array(y.length);
  const weights = new Float64Array(y.length);
  const p = new Float64Array(y.length);
  let top = -Infinity;
  for (const j of keys) if (y[j] > top || Number.isNaN(y[j])) top = y[j];
  const shift = sink !== undefined && sink > top ? sink : top;
  for (const j of keys) {
    p[j] = share(y[j], top, T);
    e[j] = share(y[j], shift, T);
  }
  const ownTotal = sumOf(p);
  const total = sumOf(e) + (sink === undefined ? 0 : share(sink, shift, T));
  for (const j of keys) {
    p[j] /= ownTotal;
    weights[j] = e[j] / total;
  }
  return { top, count: keys.length, ownTotal, weights, p, e };
}

/** Statistics of a row, of the keys alone: a sink is no key. */
export function describe(y, { top, count, ownTotal, p }, T) {
  const zero = { n: 0, entropy: 0, kl: 0, expectedScore: 0, maxWeight: 0, argmax: 0 };
  if (count === 0) return { lse: -Infinity, stats: { ...zero, variance: 0 }, spread: 0, depth: 0 };
  /** Σ p_j f(j) over the keys that carry weight: 0·∞ is not wanted here. */
  const mean = (f) => {
    const terms = new Float64Array(p.length);
    for (let j = 0; j < p.length; j++) if (p[j] !== 0) terms[j] = p[j] * f(j);
    return sumOf(terms);
  };
  const limit = T === 0 || T === Infinity;
  const logTotal = Math.log(ownTotal);
  const expectedScore = mean((j) => y[j]);
  const spread = mean((j) => Math.abs(y[j] - expectedScore));
  const variance = mean((j) => (y[j] - expectedScore) ** 2);
  const depth = mean((j) => top - y[j]);
  let lse = logTotal + (limit ? 0 : top / T);
  if (T === 0 && top !== 0) lse = top * Infinity;
  // H = log Σe + ⟨max − z⟩/T: no cancellation, both terms are ≥ 0
  const entropy = logTotal + (limit ? 0 : depth / T);
  const kl = mean((j) => Math.log(p[j] * count));
  // the largest score has the largest weight, also where weights differ by less than a rounding; at
  // T = ∞ all tie
  const argmax = Math.max(
    0,
    p.findIndex((x, j) => x !== 0 && (T === Infinity || !(y[j] < top))),
  );
  return {
    lse,
    stats: { n: count, entropy, kl, expectedScore, maxWeight: 1 / ownTotal, argmax, variance },
    spread,
    depth,
  };
}
