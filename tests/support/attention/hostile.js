/**
 * Calls that an adversary would make: numbers from one end of the type to the other, of which many
 * leave it on the way; every option; NaN and infinity in keys that are hidden.
 */
import { random } from '../random.js';

const LARGEST = { float32: 3.4028234663852886e38, float64: 2 ** 200 };
const EXPONENTS = { float32: [-149, 127], float64: [-200, 200] };
const array = (Type, size, entry) => Type.from({ length: size }, (_, x) => entry(x));

/**
 * A kind of numbers: { entry, exponent }. Most entries are about 2^exponent in size.
 * @param {any} r
 * @param {'float32' | 'float64'} precision
 */
function kindOf(r, precision) {
  const M = LARGEST[precision];
  const [low, high] = EXPONENTS[precision];
  const within = (x) => Math.max(-M, Math.min(M, x));
  const exponent = r.pick([0, 0, 0, r.integer(-20, 20), r.integer(low, high), high, low + 30]);
  const size = 2 ** exponent;
  const entries = {
    normal: () => within(r.normal() * size),
    uniform: () => within((0.5 + r.uniform()) * size),
    equal: () => size,
    signs: () => r.pick([-1, 1]) * size,
    spread: () => within(r.normal() * size * 2 ** r.integer(-12, 4)),
    edges: () => r.pick([0, -0, 1, size, -size, M, -M, M / 2, 2 ** low, -(2 ** (low + 23))]),
    zeros: () => (r.chance(0.7) ? 0 : within(r.normal() * size)),
    everything: () => within(r.normal() * 2 ** r.integer(low, high - 1)),
  };
  const kind = r.pick(Object.keys(entries));
  return { entry: entries[kind], exponent: kind === 'everything' ? 0 : exponent };
}

/** The usual kind, but for a share of all cases. */
const perhaps = (r, share, precision) =>
  r.chance(share) ? kindOf(r, precision) : { entry: () => r.normal(), exponent: 0 };

const clampExponent = (x, low, high) => Math.max(low, Math.min(high, x));

/** Sizes of a call, mostly small, sometimes of more than a span of keys. */
function shapeOf(r) {
  const kvHeads = r.pick([1, 1, 1, 2]);
  const n = r.pick([1, 2, 3, 5, 8, 17, 40, 40, 130, r.integer(500, 700)]);
  return {
    batch: r.pick([1, 1, 1, 2]),
    kvHeads,
    heads: kvHeads * r.pick([1, 1, 2, 5]),
    d: r.pick([1, 1, 2, 3, 8, 16, 33, 64]),
    dv: r.pick([1, 2, 3, 8, 17]),
    n,
    m: r.pick(n > 200 ? [1, 2] : [1, 1, 2, 5, 9]),
  };
}

/** A mask, and which keys it hides from every query. */
function maskOf(r, s, precision, Type) {
  const hidden = Array.from({ length: s.n }, () => r.chance(0.2));
  const rows = r.pick([1, s.m]);
  const shape = [rows, s.n];
  if (r.chance(0.4))
    return {
      hidden,
      mask: {
        data: array(Uint8Array, rows * s.n, (x) => Number(!hidden[x % s.n] && r.chance(0.9))),
        shape,
      },
    };
  const { entry } = perhaps(r, 0.7, precision);
  return {
    hidden,
    mask: {
      data: array(Type, rows * s.n, (x) =>
        hidden[x % s.n] || r.chance(0.05) ? -Infinity : entry(),
      ),
      shape,
    },
  };
}

/**
 * A case from a seed: { s, call: { q, k, v, options }, want }.
 * @param {number} seed
 * @param {'float32' | 'float64'} precision
 */
export function hostileCase(seed, precision) {
  const r = random(seed);
  const Type = precision === 'float32' ? Float32Array : Float64Array;
  const s = shapeOf(r);
  const [qs, ks, vs] = [0.7, 0.7, 0.5].map((share) => perhaps(r, share, precision));
  const q = array(Type, s.batch * s.heads * s.m * s.d, qs.entry);
  const k = array(Type, s.batch * s.kvHeads * s.n * s.d, ks.entry);
  const v = array(Type, s.batch * s.kvHeads * s.n * s.dv, vs.entry);

  const flags = Array.from({ length: 8 }, () => r.chance(0.25));
  const keyScale = flags[0] && perhaps(r, 0.6, precision);
  // the products are about 2^product; scale or temperature brings most of them near 1
  const product = qs.exponent + ks.exponent + (keyScale ? keyScale.exponent : 0);
  const small = r.integer(-6, 6);
  const limit = precision === 'float32' ? 400 : 300;
  const inverse = (1 + r.uniform()) * 2 ** clampExponent(small - product, -limit, limit);
  const temperature = r.pick([1, 1, 1, 0.1, 1e3, 0, Infinity, 1 / inverse]);
  const scale = r.pick([undefined, 1, -0.3, inverse, inverse, inverse, -inverse]);
  const options = {
    batch: s.batch,
    heads: s.heads,
    kvHeads: s.kvHeads,
    headDim: s.d,
    valueDim: s.dv,
    temperature,
    ...(scale !== undefined && { scale }),
    ...(keyScale && { keyScale: array(Type, s.n, keyScale.entry) }),
    ...(flags[1] && {
      softcap: r.pick([0.5, 30, 1e-30, 1e30, 2 ** clampExponent(product, -99, 99)]),
    }),
    ...(flags[2] && { alibi: array(Type, s.heads, perhaps(r, 0.6, precision).entry) }),
    ...(flags[3] && { sinks: array(Type, s.heads, perhaps(r, 0.6, precision).entry) }),
    ...(flags[4] && { causal: true, offset: r.integer(-2, s.n) }),
    ...(flags[5] && { window: [r.pick([0, 3, 64, Infinity]), r.pick([0, 3, 64])] }),
    ...(flags[6] && { keyLengths: array(Int32Array, s.batch, () => r.integer(0, s.n)) }),
  };
  if (r.chance(0.4)) {
    const { mask, hidden } = maskOf(r, s, precision, Type);
    options.mask = mask;
    const poison = r.pick([NaN, Infinity, -Infinity, LARGEST[precision], undefined]);
    if (poison !== undefined)
      hidden.forEach((on, j) => {
        if (!on) return;
        for (let at = j; at * s.d < k.length; at += s.n) k.fill(poison, at * s.d, (at + 1) * s.d);
        for (let at = j; at * s.dv < v.length; at += s.n)
          v.fill(poison, at * s.dv, (at + 1) * s.dv);
      });
  }
  const want = r.pick([
    {},
    { weights: true },
    { lse: true, stats: true },
    { weights: true, lse: true, stats: true, scores: 'masked' },
    { stats: true, scores: 'raw' },
    { scores: 'capped' },
  ]);
  return { s, call: { q, k, v, options }, want };
}
