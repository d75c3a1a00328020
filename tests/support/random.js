/**
 * Seeded numbers and the families of data the tests draw from. Only integer arithmetic, additions
 * and multiplications: the same seed gives the same bits in every engine.
 */

/** @param {number} seed */
export function random(seed) {
  let a = (seed ^ 0x9e3779b9) >>> 0;
  /** A 32-bit integer (mulberry32). */
  const next = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  /** Uniform in [0, 1), all 53 bits, so that float64 tests see full mantissas. */
  const uniform = () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
  /**
   * Mean 0, variance 1 (Irwin–Hall of 4): bell-shaped without log and cos, whose last bits differ
   * between engines.
   */
  const normal = () => (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508075688772;
  /** An integer in [low, high]. */
  const integer = (low, high) => low + (next() % (high - low + 1));
  const pick = (list) => list[next() % list.length];
  const chance = (probability) => uniform() < probability;
  return { next, uniform, normal, integer, pick, chance };
}

/**
 * Families of q, k, v: the kinds of data that break attention kernels. Each fills rows of size d or
 * dv: `query(i)`, `key(j)`, `value(j)` return a function of the channel. n is passed so that a
 * family can place its extremes in the first, the last or every key. `amplitude` scales the logits'
 * spread where that makes sense.
 */
export const families = {
  normal: (r, { amplitude }) => ({
    query: () => () => r.normal() * amplitude,
    key: () => () => r.normal(),
    value: () => () => r.normal(),
  }),
  uniform: (r) => ({
    query: () => () => r.uniform(),
    key: () => () => r.uniform(),
    value: () => () => r.uniform(),
  }),
  /** All logits equal, values constant per column: the output is that constant. */
  constant: (r, { amplitude }) => {
    const q = r.normal() * amplitude;
    const k = r.normal();
    const v = [];
    return { query: () => () => q, key: () => () => k, value: () => (c) => (v[c] ??= r.normal()) };
  },
  /**
   * Logits 0 or amplitude²; values with a single entry per row, so that most of a column is zero.
   */
  oneHot: (r, { d, amplitude }) => {
    const row = (size, x) => {
      const at = r.integer(0, size - 1);
      return (c) => (c === at ? x : 0);
    };
    return {
      query: () => row(d, amplitude),
      key: () => row(d, amplitude),
      value: (j) => (c) => ((c + j) % 3 === 0 ? 1 + r.uniform() : r.uniform() - 0.5),
    };
  },
  /**
   * Logits that rise with j: every block brings a new maximum, the worst case of an online softmax.
   */
  rising: (r, x) => sorted(r, x, 1),
  falling: (r, x) => sorted(r, x, -1),
  /** The same with one channel far above the others, as trained models have it. */
  spike: (r, { n, amplitude }) => ({
    query: () => (c) => (c === 0 ? 1 : 0.1 * r.normal()),
    key: (j) => (c) => (c === 0 ? (amplitude * 20 * j) / Math.max(1, n) : r.normal()),
    value: () => () => r.normal(),
  }),
  /**
   * Logits alternate between far apart values: exp overflows where the maximum is not subtracted.
   */
  alternating: (r, { amplitude }) => ({
    query: () => () => 4 * amplitude + r.uniform(),
    key: (j) => () => (j % 2 ? 16 : -16) + r.uniform(),
    value: (j) => () => (j % 2 ? 1 : 100) * r.normal(),
  }),
  /** Values among the subnormal floats, and keys far below 1. */
  denormal: (r) => ({
    query: () => () => r.normal(),
    key: () => () => r.normal() * 1e-20,
    value: () => () => r.normal() * 2e-40,
  }),
  /** Small integers: every logit is exact in float32, and with powers of two so is everything. */
  integer: (r) => ({
    query: () => () => r.integer(-3, 3),
    key: () => () => r.integer(-3, 3),
    value: () => () => r.integer(1, 8) * r.pick([1, 1, -1]),
  }),
  /** A large common part in all keys, which softmax must cancel. */
  offset: (r, { amplitude }) => {
    const shift = [];
    return {
      query: () => () => r.normal(),
      key: () => (c) => (shift[c] ??= 10 * amplitude * r.normal()) + r.normal(),
      value: () => () => 10 + r.normal(),
    };
  },
  /** Products that nearly cancel inside each logit: A is large, the logits are small. */
  cancelling: (r, { amplitude }) => ({
    query: () => (c) => (c % 2 ? 1 : -1) * 8 * amplitude + r.normal() / 8,
    key: () => {
      const x = 4 + r.uniform();
      return () => x + r.normal() / 8;
    },
    value: () => () => r.normal(),
  }),
};

/** Keys along one direction u, further out the later they come, and a little noise. */
function sorted(r, { d, n, amplitude }, sign) {
  const u = Array.from({ length: d }, () => r.normal());
  return {
    query: () => (c) => u[c] + 0.1 * r.normal(),
    key: (j) => (c) => (sign * amplitude * j * 4 * u[c]) / Math.max(1, n) + 0.1 * r.normal(),
    value: () => () => r.normal(),
  };
}

/**
 * Fills rows in the order (batch, heads, positions, channel).
 * @param {{ batch: number, heads: number, kvHeads: number, m: number, n: number, d: number, dv:
 *   number }} shape
 */
export function fill(family, r, shape, amplitude, Type) {
  const { batch, heads, kvHeads, m, n, d, dv } = shape;
  const rows = families[family](r, { d, n, amplitude });
  const tensor = (count, positions, size, row) => {
    const a = new Type(count * positions * size);
    for (let p = 0, at = 0; p < count * positions; p++) {
      const entry = row(p % positions);
      for (let c = 0; c < size; c++) a[at++] = entry(c);
    }
    return a;
  };
  return {
    q: tensor(batch * heads, m, d, rows.query),
    k: tensor(batch * kvHeads, n, d, rows.key),
    v: tensor(batch * kvHeads, n, dv, rows.value),
  };
}

/**
 * (batch, heads, positions, size) to (batch, positions, heads, size), or back with heads and
 * positions exchanged.
 */
export function swapLayout(a, batch, heads, positions, size) {
  const out = new a.constructor(a.length);
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++)
      for (let p = 0; p < positions; p++) {
        const from = ((b * heads + h) * positions + p) * size;
        out.set(a.subarray(from, from + size), ((b * positions + p) * heads + h) * size);
      }
  return out;
}
