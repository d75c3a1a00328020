/** Options made for a shape, and cases from a seed: any sizes, any data, any mixture of options. */
import { families, random } from '../random.js';

/** Sizes at and beside every lane, tile and block boundary. */
export const edges = [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129];
const longEdges = [...edges, 255, 256, 257, 511, 512, 513, 640, 1025];

export const array = (Type, size, entry) => Type.from({ length: size }, (_, x) => entry(x));
export const product = (shape) => shape.reduce((a, b) => a * b, 1);
export const boolMask = (r, shape, attend) => ({
  data: array(Uint8Array, product(shape), (x) => attend(x) && r.pick([1, 1, 255, 2])),
  shape,
});
export const floatMask = (r, Type, shape, holes = 0, amplitude = 1) => ({
  data: array(Type, product(shape), () => (r.chance(holes) ? -Infinity : r.normal() * amplitude)),
  shape,
});
export const keyScale = (r, s, Type) =>
  array(Type, s.n, () => r.pick([1, 0.5, 0, -1, 1 + r.uniform()]));
/** ALiBi's; rounded, for engines differ in the last bits of a power. */
export const slopes = (r, s, Type) =>
  array(Type, s.heads, (h) => Math.fround(2 ** (-(8 * (h + 1)) / s.heads)));
export const sinks = (r, s, Type) => array(Type, s.heads, () => r.normal() * 2);

/** A case from a seed: sizes near the edges, any family, any mixture of options. */
export function randomCase(seed) {
  const r = random(seed);
  const budget = r.pick([200, 800, 1500, 1500, 3000, 9000]);
  const kvHeads = r.pick([1, 1, 1, 2, 3]);
  const heads = kvHeads * r.pick([1, 1, 2, 3, 4, 7]);
  const batch = r.pick([1, 1, 1, 2]);
  const size = (limit, list = edges) => {
    const fits = list.filter((e) => e <= limit);
    return r.chance(0.7) ? r.pick(fits) : r.integer(1, fits.at(-1));
  };
  const d = size(Math.min(129, Math.max(1, budget / (4 * heads * batch))));
  const dv = r.chance(0.5) ? d : size(65);
  const n = size(Math.max(1, budget / (heads * batch * d)), longEdges);
  const m = size(Math.max(1, budget / (heads * batch * d * n)));
  const T = r.pick([1, 1, 1, 0.3, 1e-3, 1e3, 0, Infinity]);
  // the winner at T = 0 must not hang on a rounding: exact logits there
  const family = T === 0 ? 'integer' : r.pick(Object.keys(families));
  const amplitude = 2 ** r.integer(-6, 3);
  const offset = r.pick([
    0,
    0,
    n - m,
    r.integer(-m, n),
    array(Int32Array, batch, () => r.integer(-3, n)),
  ]);
  const kind = r.pick(['', '', 'bool', 'float']);
  const rank = r.integer(1, 4);
  const flags = {
    causal: r.chance(0.4),
    window: r.chance(0.2),
    softcap: T !== 0 && r.chance(0.2),
    keyLengths: r.chance(0.2),
    alibi: T !== 0 && r.chance(0.2),
    sinks: r.chance(0.2),
    keyScale: T !== 0 && r.chance(0.2),
  };
  const columns = r.chance(0.15) ? r.integer(1, n) : n;
  const maskShape = [batch, heads, m]
    .map((x) => (r.chance(0.4) ? 1 : x))
    .concat(columns)
    .slice(4 - rank);
  const scale = T === 0 ? 0.25 : r.pick([undefined, undefined, 1, 0.125, -0.3]);
  const layout = r.pick(['bhsd', 'bshd']);
  const empty =
    family === 'integer' ||
    flags.causal ||
    flags.window ||
    kind !== '' ||
    flags.keyLengths ||
    flags.sinks
      ? 'perhaps'
      : false;
  const options = (r2, s, Type) => ({
    layout,
    temperature: T,
    scale,
    offset,
    causal: flags.causal,
    softcap: flags.softcap ? r2.pick([0.5, 5, 50]) : 0,
    ...(kind && {
      mask:
        kind === 'bool'
          ? boolMask(r2, maskShape, () => r2.chance(0.8))
          : T === 0
            ? {
                data: array(Type, product(maskShape), () => r2.pick([0, 1, -2, -Infinity])),
                shape: maskShape,
              }
            : floatMask(r2, Type, maskShape, 0.2, 2),
    }),
    ...(flags.window && {
      window: [r2.pick([0, 1, 5, 64, Infinity]), r2.pick([0, 1, 5, 64, Infinity])],
    }),
    ...(flags.keyLengths && { keyLengths: array(Int32Array, batch, () => r2.integer(0, n)) }),
    ...(flags.alibi && { alibi: slopes(r2, s, Type) }),
    ...(flags.keyScale && { keyScale: keyScale(r2, s, Type) }),
    ...(flags.sinks && {
      sinks: T === 0 ? array(Type, heads, () => r2.integer(-2, 4)) : sinks(r2, s, Type),
    }),
  });
  return {
    name: `random case ${seed}`,
    seed,
    family,
    amplitude,
    shape: { batch, heads, kvHeads, m, n, d, dv },
    options,
    empty,
  };
}
