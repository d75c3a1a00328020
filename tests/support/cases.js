/**
 * The table of cases: every test of results, the native sanitizer run and the benches draw from it.
 * A case is data: { name, seed, family, amplitude, shape, options(r, shape, Type), empty }; `build`
 * turns it into the arguments of a call. `empty: true` marks the cases whose expected output is
 * mostly zero on purpose ('perhaps': a random mixture that may be).
 */
import {
  array,
  boolMask,
  edges,
  floatMask,
  keyScale,
  randomCase,
  sinks,
  slopes,
} from './mixtures.js';
import { families, fill, random, swapLayout } from './random.js';

export { randomCase };

const small = { batch: 1, heads: 1, m: 3, n: 9, d: 8 };
const table = [];

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

// Sizes.
for (const e of edges) {
  add(`n = ${e}`, { m: 3, n: e, d: 8 });
  add(`m = ${e}`, { m: e, n: 9, d: 4 });
  add(`d = ${e}, dv = 5`, { m: 2, n: 17, d: e, dv: 5 });
  add(`dv = ${e}, d = 5`, { m: 2, n: 17, d: 5, dv: e });
  add(`m = n = ${e}, causal`, { m: e, n: e, d: 5, dv: 3 }, { causal: true });
}
for (const n of [511, 512, 513]) {
  add(`n = ${n}, one query`, { m: 1, n, d: 16, heads: 2 });
  add(`m = ${n}`, { m: n, n: 5, d: 4, dv: 3 });
}
add(
  '300 query rows, 3 heads on one, causal',
  { heads: 3, kvHeads: 1, m: 100, n: 100, d: 5 },
  { causal: true },
);
add(
  'many row chunks over many spans, causal',
  { m: 300, n: 1100, d: 4, dv: 3 },
  { causal: true, offset: 800 },
);
for (const n of [63, 64, 65, 127, 128, 129])
  for (const m of [31, 33]) add(`tile ${m} × ${n}, d = 33`, { m, n, d: 33, dv: 31 });
add('d = dv = 1, n = 1, m = 1', { m: 1, n: 1, d: 1 });
add('a head of 64, 12 heads', { heads: 12, m: 17, n: 40, d: 64 });
add('a head of 256', { m: 5, n: 70, d: 256 });
for (const family of ['normal', 'uniform', 'constant']) {
  add(`a head of 1024, ${family} data`, { m: 2, n: 20, d: 1024, dv: 9 }, {}, { family });
  add(`2000 keys, ${family} data`, { m: 3, n: 2000, d: 8, dv: 3 }, {}, { family });
}
add('no keys', { n: 0 }, {}, { empty: true });
add(
  'no keys, every option',
  { n: 0, heads: 2, kvHeads: 1 },
  (r, s, T) => ({
    causal: true,
    offset: -2,
    window: [1, 1],
    softcap: 2,
    sinks: sinks(r, s, T),
    alibi: slopes(r, s, T),
    keyScale: keyScale(r, s, T),
  }),
  { empty: true },
);
add('no queries', { m: 0 });

// Families of data, from flat to steep logits.
for (const family of Object.keys(families))
  for (const amplitude of [0.1, 1, 8])
    add(
      `${family} data, amplitude ${amplitude}`,
      { m: 5, n: 70, d: 16, dv: 7 },
      {},
      { family, amplitude },
    );

// Scale and temperature, and its limits.
for (const scale of [0, -0.5, 1, 1e-20, 3]) add(`scale ${scale}`, { m: 4, n: 33 }, { scale });
for (const power of [-66, -65, -64, -63, -62, 62, 63, 64, 65])
  add(
    `scale 0.3·2^${power}, temperature 2^${power}`,
    { m: 5, n: 1030 },
    { scale: 0.3 * 2 ** power, temperature: 2 ** power },
  );
for (const temperature of [0, 1e-3, 0.3, 1, 1e3, 1e30, 1e308, Infinity]) {
  const T = { temperature };
  add(`T = ${temperature}`, { m: 9, n: 40, d: 16 }, T);
  add(`T = ${temperature}, causal`, { m: 9, n: 40, d: 16 }, { ...T, causal: true, offset: 20 });
  add(`T = ${temperature}, sinks, two heads`, { heads: 2, m: 7, n: 33, d: 16 }, (r, s, A) => ({
    ...T,
    sinks: A.from([0.5, -4]),
  }));
  add(
    `T = ${temperature}, softcap and bias`,
    { m: 7, n: 33, d: 16 },
    (r, s, A) => ({ ...T, softcap: 3, mask: floatMask(r, A, [7, 33], 0.3) }),
    { amplitude: 3 },
  );
  add(
    `T = ${temperature}, exact ties`,
    { m: 9, n: 40, d: 4, dv: 5 },
    { ...T, scale: 0.5 },
    { family: 'integer' },
  );
  add(`T = ${temperature}, all logits equal`, { m: 5, n: 37, d: 4 }, T, { family: 'constant' });
}
add(
  'T = 0, a sink above every key',
  { m: 3, n: 9, d: 4 },
  (r, s, A) => ({ temperature: 0, sinks: A.from([1e6]) }),
  {
    empty: true,
  },
);
add('T = 0, a sink equal to the best keys', { m: 3, n: 9, d: 4 }, (r, s, A) => ({
  temperature: 0,
  scale: 0,
  sinks: A.from([0]),
}));

// Causal, with queries before, among and behind the keys.
for (const offset of [-100, -5, -1, 0, 1, 30, 61, 1000]) {
  add(
    `causal, offset ${offset}`,
    { m: 9, n: 70 },
    { causal: true, offset },
    { empty: offset < -3 },
  );
  add(
    `window [3, 2], offset ${offset}`,
    { m: 9, n: 70 },
    { window: [3, 2], offset },
    { empty: offset < -5 || offset > 100 },
  );
}
add('causal, more queries than keys', { m: 70, n: 9 }, { causal: true });
add(
  'causal, an offset for each batch',
  { batch: 3, m: 6, n: 20 },
  { causal: true, offset: Int32Array.of(-3, 0, 14) },
);
for (const window of [
  [0, 0],
  [3, 0],
  [0, 3],
  [Infinity, 2],
  [2, Infinity],
  [Infinity, Infinity],
  [64, 64],
  [127, 0],
  [1e9, 1e9],
])
  for (const causal of [false, true])
    add(
      `window [${window}]${causal ? ', causal' : ''}`,
      { m: 66, n: 140, d: 4 },
      { window, causal },
    );

// Softcap.
for (const softcap of [0.01, 0.5, 2, 30, 1e6])
  for (const amplitude of [0.1, 20])
    add(
      `softcap ${softcap}, amplitude ${amplitude}`,
      { m: 5, n: 40, d: 16 },
      { softcap },
      { amplitude },
    );

// Masks: rank 1 to 4, broadcast axes, short last axis; the part of a block that is left.
const s4 = { batch: 2, heads: 4, kvHeads: 2, m: 5, n: 70, d: 8 };
for (const shape of [
  [70],
  [1],
  [5, 70],
  [1, 70],
  [5, 1],
  [4, 5, 70],
  [1, 5, 70],
  [4, 1, 1],
  [2, 4, 5, 70],
  [2, 1, 5, 70],
  [1, 4, 1, 70],
  [2, 1, 1, 1],
  [66],
  [5, 64],
  [2, 1, 5, 3],
  [4, 1, 65],
]) {
  const filled = shape.at(-1) !== 1;
  add(
    `boolean mask [${shape}]`,
    s4,
    (r) => ({ mask: boolMask(r, shape, (x) => (filled ? r.chance(0.7) : x % 3 !== 1)) }),
    {
      empty: `${shape}` === '2,1,1,1',
    },
  );
  add(`additive mask [${shape}]`, s4, (r, s, T) => ({
    mask: floatMask(r, T, shape, filled ? 0.3 : 0),
  }));
}
const leave = {
  'every row empty': [() => 0, true],
  'row 2 empty': [(x) => Math.floor(x / 200) !== 2, false],
  'all but row 1 empty': [(x) => Math.floor(x / 200) === 1, true],
  'the last key alone': [(x) => x % 200 === 199, false],
  'the first key alone': [(x) => x % 200 === 0, false],
  'every other key': [(x) => x % 2, false],
  'keys from 3 on': [(x) => x % 200 >= 3, false],
  'the first 64 keys empty': [(x) => x % 200 >= 64, false],
  'keys 64 to 127 empty': [(x) => x % 200 < 64 || x % 200 >= 128, false],
  'keys from 127 on': [(x) => x % 200 >= 127, false],
  'keys before 65': [(x) => x % 200 < 65, false],
  'key 70 alone in row 0': [(x) => x >= 200 || x === 70, false],
};
for (const [what, [attend, empty]] of Object.entries(leave)) {
  add(
    `boolean mask leaves ${what}`,
    { m: 5, n: 200 },
    (r) => ({ mask: boolMask(r, [5, 200], attend) }),
    { empty },
  );
  add(
    `−∞ mask leaves ${what}`,
    { m: 5, n: 200 },
    (r, s, T) => ({
      mask: { data: array(T, 1000, (x) => (attend(x) ? 0 : -Infinity)), shape: [5, 200] },
    }),
    { empty },
  );
}
for (const huge of [-1e9, -3e38, 80])
  add(`bias ${huge} on every key`, { m: 3, n: 70 }, (r, s, T) => ({
    mask: { data: T.from([huge]), shape: [1] },
  }));
add('bias −1e9 on some keys', { m: 5, n: 70 }, (r, s, T) => ({
  mask: { data: array(T, 70, (x) => (x % 3 ? 0 : -1e9)), shape: [70] },
}));
add('key lengths 0, 1, n', { batch: 3, m: 4, n: 70 }, { keyLengths: Int32Array.of(0, 1, 70) });
add(
  'key lengths, causal, offsets',
  { batch: 3, heads: 2, m: 4, n: 70 },
  { keyLengths: Int32Array.of(5, 64, 65), causal: true, offset: Int32Array.of(1, 60, 61) },
);

// The other options, each alone.
add('keyScale', { m: 5, n: 70 }, (r, s, T) => ({ keyScale: keyScale(r, s, T) }));
add('ALiBi', { heads: 4, m: 9, n: 70 }, (r, s, T) => ({ alibi: slopes(r, s, T) }));
add('ALiBi, causal decode', { heads: 4, m: 1, n: 130 }, (r, s, T) => ({
  alibi: slopes(r, s, T),
  causal: true,
  offset: 129,
}));
add('sinks', { heads: 3, m: 5, n: 70 }, (r, s, T) => ({ sinks: sinks(r, s, T) }));
add('sinks far above and below', { heads: 2, m: 5, n: 70 }, (r, s, T) => ({
  sinks: T.from([40, -200]),
}));
add('a sink over an empty row', { m: 5, n: 9 }, (r, s, T) => ({
  sinks: T.from([1]),
  causal: true,
  offset: -2,
}));

// Groups and layouts.
for (const group of [1, 2, 3, 4, 7])
  for (const layout of ['bhsd', 'bshd'])
    add(
      `${group} queries to a key head, ${layout}`,
      { batch: 2, heads: group * 2, kvHeads: 2, m: 5, n: 20, d: 9, dv: 6 },
      { layout },
    );
add(
  'one key head for 8 queries, bshd, causal',
  { heads: 8, kvHeads: 1, m: 33, n: 33, d: 7, dv: 9 },
  { layout: 'bshd', causal: true },
);

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
 * `count` random cases from a seed on, as bhsd calls in float32 and float64 by turns (or in one
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
