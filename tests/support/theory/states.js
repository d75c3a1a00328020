/**
 * Seeded states for the statements: rows of logits, and queries with their keys and values,
 * extremes among them.
 */
import { random } from '../random.js';

/** The unit of rounding in float64. */
export const u = 2 ** -53;
export const STATES = 1000;

const sizes = [1, 2, 3, 5, 8, 17, 33, 64];
const temperatures = [1e-3, 0.05, 1, 1, 7, 1e3];

/** Numbers of keys whose sums would show it if rounding added up. */
export const LARGE = [1e4, 1e5];

/** Kinds of logits of a row; each gives a function of the key. */
const rows = {
  normal: (r) => () => 2 * r.normal(),
  ties: (r) => () => r.integer(-1, 1),
  constant: (r) => {
    const x = r.normal();
    return () => x;
  },
  huge: (r) => () => r.pick([-1e4, 1e4]) + r.normal(),
  wide: (r) => () => 2e4 * r.uniform() - 1e4,
  flat: (r) => () => 1 + 1e-8 * r.normal(),
  lone: (r, n) => (j) => (j === n - 1 ? 30 * r.uniform() : 0.1 * r.normal()),
};

/** One row of logits at a time: z (n), T, its family and a generator of its own. */
export function* logits(seed, count = STATES, lengths = sizes) {
  const names = Object.keys(rows);
  for (let x = 0; x < count; x++) {
    const r = random(seed * 100003 + x);
    const n = r.pick(lengths);
    const family = names[x % names.length];
    const at = rows[family](r, n);
    yield {
      r,
      n,
      T: r.pick(temperatures),
      family,
      z: Float64Array.from({ length: n }, (_, j) => at(j)),
      name: `state ${x}, ${family}, n = ${n}`,
    };
  }
}

/** One query at a time with keys and values; in a fifth of the states the logits reach ±1e4. */
export function* queries(seed, count = STATES, lengths = sizes) {
  for (let x = 0; x < count; x++) {
    const r = random(seed * 200003 + x);
    const n = r.pick(lengths);
    const d = r.pick([1, 2, 7, 64]);
    const dv = r.pick([1, 2, 5]);
    const kind = x % 5;
    const numbers = (length, scale) => Float64Array.from({ length }, () => scale * r.normal());
    const q = numbers(d, 1);
    const k = numbers(n * d, kind === 1 ? 1e-4 : 1);
    const v = numbers(n * dv, 1);
    if (kind === 2) for (let j = 1; j < n; j += 2) k.copyWithin(j * d, 0, d); // ties
    if (kind === 3) {
      const norm = q.reduce((sum, y) => sum + y * y, 0) / Math.sqrt(d);
      for (let j = 0; j < n; j++)
        for (let c = 0; c < d; c++)
          k[j * d + c] = (r.pick([-1e4, 1e4]) / norm) * q[c] + 0.1 * k[j * d + c];
    }
    yield {
      r,
      n,
      d,
      dv,
      T: r.pick(temperatures),
      q,
      k,
      v,
      name: `state ${x}, n = ${n}, d = ${d}, dv = ${dv}`,
    };
  }
}

/** A distribution over n keys: spread out, on a few keys, or on one. */
export function distribution(r, n) {
  const kind = r.integer(0, 2);
  const at = r.integer(0, n - 1);
  const weights = Float64Array.from({ length: n }, (_, j) =>
    kind === 0
      ? r.uniform() + 1e-3
      : kind === 1
        ? Number(j === at || r.chance(0.3))
        : Number(j === at),
  );
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((x) => x / sum);
}

/** softmax(z/T) and log Σ exp(z/T) as a textbook has them. */
export function softmax(z, T = 1) {
  const max = Math.max(...z);
  const e = Float64Array.from(z, (x) => Math.exp((x - max) / T));
  const sum = e.reduce((a, b) => a + b, 0);
  return {
    p: e.map((x) => x / sum),
    lse: max / T + Math.log(sum),
    logs: Float64Array.from(z, (x) => (x - max) / T - Math.log(sum)),
  };
}

export const dot = (a, b) => a.reduce((sum, x, j) => sum + x * b[j], 0);
export const entropy = (p) => p.reduce((sum, x) => sum - (x > 0 ? x * Math.log(x) : 0), 0);
/** KL(a‖b) from the logarithms of b. */
export const divergence = (a, logB) =>
  a.reduce((sum, x, j) => sum + (x > 0 ? x * (Math.log(x) - logB[j]) : 0), 0);
/** The largest |a − b|, Infinity if anything is NaN. */
export const far = (a, b) =>
  a.reduce(
    (worst, x, j) =>
      Math.abs(x - b[j]) <= worst
        ? worst
        : x === b[j]
          ? worst
          : Math.abs(x - b[j]) > worst
            ? Math.abs(x - b[j])
            : Infinity,
    0,
  );

/**
 * How far weights computed twice may be apart, relatively: in units, for the exponents t = (z −
 * max)/T of each (twice two roundings, and a plain sum of n terms on our side).
 */
export const units = (z, T) => {
  const max = Math.max(...z);
  return (
    32 +
    2 * z.length +
    8 *
      Math.min(
        750,
        z.reduce((worst, x) => Math.max(worst, (max - x) / T), 0),
      )
  );
};
