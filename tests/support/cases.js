/**
 * The table of cases: every test of results, the native sanitizer run and the benches draw from it.
 * A case is data: { name, seed, family, amplitude, shape, options(r, shape, Type), empty }; `build`
 * turns it into the arguments of a call. `empty: true` marks the cases whose expected output is
 * mostly zero on purpose ('perhaps': a random mixture that may be).
 */
import { randomCase } from './cases/mixtures.js';
import { fill, random, swapLayout } from './random.js';
import { sizes } from './cases/sizes.js';
import { logits } from './cases/logits.js';
import { positions } from './cases/positions.js';
import { masks } from './cases/masks.js';
import { others } from './cases/options.js';

export { randomCase };

const small = { batch: 1, heads: 1, m: 3, n: 9, d: 8 };
const table = [];

/** @typedef {typeof add} Add */
function add(name, shape, options = {}, { family = 'normal', amplitude = 1, empty = false } = {}) {
  const s = { ...small, ...shape };
  const full = { kvHeads: s.heads, dv: s.d, ...s };
  const make = typeof options === 'function' ? options : () => options;
  table.push({
    name,
    seed: 1000 + table.length,
    family,
    amplitude,
    shape: full,
    options: make,
    empty,
  });
}

for (const cases of [sizes, logits, positions, masks, others]) cases(add);

/** Mixtures of options that no one would have thought of. */
for (let seed = 1; seed <= 120; seed++) table.push(randomCase(seed));
export const cases = table;

/**
 * The arguments of a call. The same case gives the same numbers in both precisions up to rounding,
 * and in both layouts.
 * @param {Float32ArrayConstructor | Float64ArrayConstructor} Type
 */
export function build(c, Type, layout) {
  const r = random(c.seed);
  const s = c.shape;
  let { q, k, v } = fill(c.family, r, s, c.amplitude, Type);
  const { scale, ...rest } = c.options(r, s, Type);
  const options = {
    batch: s.batch,
    heads: s.heads,
    kvHeads: s.kvHeads,
    headDim: s.d,
    valueDim: s.dv,
    ...rest,
  };
  if (scale !== undefined) options.scale = scale;
  if (layout) options.layout = layout;
  if (options.layout === 'bshd') {
    q = swapLayout(q, s.batch, s.heads, s.m, s.d);
    k = swapLayout(k, s.batch, s.kvHeads, s.n, s.d);
    v = swapLayout(v, s.batch, s.kvHeads, s.n, s.dv);
  }
  return { q, k, v, options };
}

/**
 * `count` random cases from a seed on, as bhsd calls alternately in float32 and float64 (or in one
 * type).
 * @param {{ Type?: Float32ArrayConstructor, accept?: (call: any) => boolean }} [choice]
 */
export function* randomCalls(count, from, { Type, accept = () => true } = {}) {
  for (let x = 0, found = 0; found < count; x++) {
    const c = randomCase(from + x);
    const call = build(c, Type ?? (x % 2 ? Float64Array : Float32Array), 'bhsd');
    const precision = call.q instanceof Float64Array ? 'float64' : 'float32';
    const entry = { c, s: c.shape, call, precision, spike: c.family === 'spike' };
    if (!accept(entry)) continue;
    found++;
    yield entry;
  }
}
