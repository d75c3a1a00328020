/** Why a query looks at a key: the products of their channels, and their lengths and distance. */

/** @typedef {import('../../page/engine.js').Engine} Engine */

/**
 * One query of one head, and the keys that it may look at.
 * @typedef {object} Look
 * @property {string} head in words; empty: numbers that were drawn
 * @property {readonly string[]} words of the keys
 * @property {string} query its word
 * @property {ArrayLike<number>} q (d)
 * @property {ArrayLike<number>} k (n, d)
 * @property {number} scale of the products, 1/√d as a rule
 * @property {ArrayLike<number>} weights (n)
 */

/** @param {number} bits of a format; half of the distance of 1 from the next number */
const unit = (bits) => 2 ** -bits;
const U32 = unit(24);
const U64 = unit(53);

/**
 * The products of a query and key j, channel by channel. Their sum is the dot product.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} k (n, d)
 * @param {number} j
 */
export function products(q, k, j) {
  const d = q.length;
  return Float64Array.from({ length: d }, (_, c) => q[c] * k[j * d + c]);
}

/**
 * The score of key j without any product of a query and a key: half the two squared lengths, minus
 * half the squared distance, times the scale.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} k (n, d)
 * @param {number} j @param {number} scale
 */
export function byDistance(q, k, j, scale) {
  const d = q.length;
  let query = 0;
  let key = 0;
  let apart = 0;
  for (let c = 0; c < d; c++) {
    query += q[c] ** 2;
    key += k[j * d + c] ** 2;
    apart += (q[c] - k[j * d + c]) ** 2;
  }
  const half = scale / 2;
  const parts = { query: half * query, key: half * key, distance: -half * apart };
  return { ...parts, score: parts.query + parts.key + parts.distance };
}

/** @param {ArrayLike<number>} list */
const sum = (list) => Array.from(list).reduce((total, x) => total + x, 0);

/**
 * Everything about key j, and the same of the mean key of the look.
 * @param {Look} look @param {number} j
 */
export function partsOf({ q, k, scale }, j) {
  const n = k.length / q.length;
  const bars = products(q, k, j);
  const dot = sum(bars);
  const all = Array.from({ length: n }, (_, i) => byDistance(q, k, i, scale));
  const mean = (/** @type {'query' | 'key' | 'distance' | 'score'} */ part) =>
    sum(all.map((each) => each[part])) / n;
  return {
    bars,
    dot,
    score: dot * scale,
    split: all[j],
    mean: {
      query: mean('query'),
      key: mean('key'),
      distance: mean('distance'),
      score: mean('score'),
    },
  };
}

/**
 * Over all keys: the sums of products against the scores of the kernel, and against lengths and
 * distances. A sum of d products in floats is rounded d times, and four times around it. In doubles
 * the squares are larger than the products, so the allowance has their size.
 * @param {Engine} engine @param {Look} look
 */
export function compare(engine, { q, k, scale }) {
  const d = q.length;
  const n = k.length / d;
  const floats = [q, k].map((each) => Float32Array.from(each));
  const { scores } = engine.attention(floats[0], floats[1], new Float32Array(n), {
    headDim: d,
    valueDim: 1,
    scale,
    want: { scores: 'raw' },
  });
  const kernel = { measured: 0, allowed: 0, ratio: 0, size: 0 };
  const split = { ...kernel };
  const note = (
    /** @type {typeof kernel} */ to,
    /** @type {number} */ measured,
    /** @type {number} */ allowed,
    /** @type {number} */ size,
  ) => {
    to.size = Math.max(to.size, size);
    // NaN is worse than anything
    if (!(measured / allowed <= to.ratio) || !to.allowed)
      Object.assign(to, { measured, allowed, ratio: measured / allowed });
  };
  for (let j = 0; j < n; j++) {
    const bars = products(q, k, j);
    const z = sum(bars) * scale;
    const size = Math.abs(scale) * sum(bars.map(Math.abs));
    const { query, key, distance, score } = byDistance(q, k, j, scale);
    const squares = Math.abs(query) + Math.abs(key) + Math.abs(distance);
    note(kernel, Math.abs(scores[j] - z), U32 * (d + 4) * size, size);
    note(split, Math.abs(score - z), U64 * (d + 8) * (squares + size), squares);
  }
  return { kernel, split };
}

/**
 * The keys on show, of all: the best ones, unless another one has as much or a chosen one has less.
 * @param {ArrayLike<number>} weights @param {readonly number[]} shown
 */
export function shownOf(weights, shown) {
  const smallest = Math.min(...shown.map((j) => weights[j]));
  const others = Array.from(weights).filter((_, j) => !shown.includes(j));
  const largest = Math.max(...others);
  const count = `${shown.length} of ${weights.length}`;
  if (largest > smallest) return `${count} keys, with the chosen one`;
  return largest < smallest ? `The best ${count}` : `${count} keys; others have as much`;
}

/** The first of the keys that get most. @param {ArrayLike<number>} weights */
export function best(weights) {
  const all = Array.from(weights);
  return all.indexOf(all.reduce((a, b) => Math.max(a, b)));
}
