/**
 * The shapes that are measured, their data, and the operations or bytes of one call of each. Runs
 * in Node and in the page.
 */
import { random } from '../tests/support/random.js';

/**
 * @typedef {object} Case
 * @property {string} id
 * @property {string} section a name that `--only` takes
 * @property {string} title
 * @property {number} heads
 * @property {number} kvHeads
 * @property {number} m queries
 * @property {number} n keys
 * @property {number} d
 * @property {boolean} causal
 * @property {number} window keys each query sees, its own included; 0 is all
 * @property {boolean} quick part of `--quick`
 *
 * @typedef {{ q: Float32Array, k: Float32Array, v: Float32Array, dOutput?: Float32Array }} Inputs
 *   q and dOutput (heads, m, d), k and v (kvHeads, n, d)
 */

/** @type {Case[]} The first has no attention in it: the machine alone. */
export const cases = [
  {
    id: 'limits',
    section: 'limits',
    title: 'the machine',
    heads: 0,
    kvHeads: 0,
    m: 0,
    n: 0,
    d: 0,
    causal: false,
    window: 0,
    quick: true,
  },
];

/** @param {string} section @param {Partial<Case>} shape @param {boolean} [quick] */
function add(section, shape, quick = false) {
  const c = {
    heads: 12,
    kvHeads: shape.heads ?? 12,
    m: 1,
    n: 512,
    d: 64,
    causal: false,
    window: 0,
    ...shape,
  };
  const heads = c.kvHeads === c.heads ? `H=${c.heads}` : `GQA ${c.heads}/${c.kvHeads}`;
  const kind = c.window ? `, window ${c.window}` : c.causal ? ', causal' : '';
  const what = c.m === 1 ? 'decode' : 'prefill';
  const id = [
    what,
    c.heads,
    c.kvHeads,
    c.n,
    c.d,
    ...(c.window ? [`w${c.window}`] : c.causal ? ['causal'] : []),
  ].join('-');
  const size = c.d === 64 ? '' : ` d=${c.d}`;
  cases.push({
    ...c,
    id,
    section,
    title:
      c.m === 1
        ? `decode ${heads}${size}, 1×${c.n}`
        : `prefill ${heads}${size}, ${c.m}×${c.n}${kind}`,
    quick,
  });
}

for (const n of [128, 512, 1024, 2048])
  for (const causal of [false, true]) add('prefill', { m: n, n, causal }, n <= 512);
add('gqa', { heads: 9, kvHeads: 3, m: 512, causal: true }, true);
add('gqa', { heads: 32, kvHeads: 8, m: 512, causal: true });
add('heads', { heads: 6, m: 512, d: 128 }, true);
add('heads', { heads: 3, m: 512, d: 256 });
for (const n of [2048, 4096])
  add('window', { heads: 3, m: n, n, causal: true, window: 256 }, n === 2048);
for (const [heads, kvHeads] of [
  [9, 3],
  [32, 8],
])
  for (const n of [128, 1024, 4096])
    add('decode', { heads, kvHeads, n }, n === (heads === 9 ? 1024 : 4096));
// five query heads a key head have loops of their own in relaxed
add('decode', { heads: 40, kvHeads: 8, n: 1024 });

/**
 * A layer's matrix product, x (m, n)·Wᵀ with W (d, n). Most of the work around attention is this.
 */
cases.push({
  id: 'matmul-512-576-576',
  section: 'matmul',
  title: 'matrix product, 512×576×576',
  ...{ heads: 1, kvHeads: 1, m: 512, n: 576, d: 576, causal: false, window: 0, quick: true },
});

/** The gradient of a prefill, from its output and log-sum-exp. */
for (const [n, causal] of [
  [512, false],
  [1024, true],
]) {
  const c = cases.find(({ id }) => id === `prefill-12-12-${n}-64${causal ? '-causal' : ''}`);
  if (!c) fail('prefill');
  const title = c.title.replace('prefill', 'gradient');
  cases.push({
    ...c,
    section: 'gradient',
    id: c.id.replace('prefill', 'gradient'),
    title,
    quick: true,
  });
}

/** One head, so that a library that stores all scores can do so in a wasm memory. */
const long = {
  section: 'memory',
  heads: 1,
  kvHeads: 1,
  m: 8192,
  n: 8192,
  d: 64,
  causal: false,
  window: 0,
  quick: false,
};
export const MEMORY = [
  cases.find((c) => c.id === 'prefill-12-12-2048-64'),
  { ...long, id: 'prefill-1-1-8192-64', title: 'prefill H=1, 8192×8192' },
].map((c) => c ?? fail('2048'));
export const COLD = cases.find((c) => c.id === 'prefill-12-12-128-64') ?? fail('128');

/** @param {string} id */
export const caseOf = (id) => [...cases, ...MEMORY].find((c) => c.id === id) ?? fail(id);

/** @param {string} id @returns {never} */
function fail(id) {
  throw new Error(`no such case: ${id}`);
}

/**
 * The same data for the same case, in every engine; of a product q is x and k the weights. A
 * gradient also has that of the output.
 * @param {Case} c
 * @returns {Inputs}
 */
export function data({ section, heads, kvHeads, m, n, d }) {
  const r = random(heads * n + d);
  const fill = (/** @type {number} */ length) => Float32Array.from({ length }, r.normal);
  if (section === 'matmul') return { q: fill(m * n), k: fill(d * n), v: fill(0) };
  const inputs = { q: fill(heads * m * d), k: fill(kvHeads * n * d), v: fill(kvHeads * n * d) };
  return section === 'gradient' ? { ...inputs, dOutput: fill(heads * m * d) } : inputs;
}

/**
 * Keys [first, last) that query i sees; a query without past keys beside it is the last position.
 * @param {Case} c
 * @param {number} i
 */
export function seen({ m, n, causal, window }, i) {
  const position = i + n - m;
  const last = causal ? position + 1 : n;
  return [window ? Math.max(0, position + 1 - window) : 0, last];
}

/**
 * Query-key pairs of one head. The masked half of a causal prefill is not counted, even for
 * libraries that compute it.
 * @param {Case} c
 */
export function pairs(c) {
  if (!c.window) return c.m * c.n * (c.causal ? 0.5 : 1);
  let sum = 0;
  for (let i = 0; i < c.m; i++) sum += seen(c, i)[1] - seen(c, i)[0];
  return sum;
}

/** Operations for each pair and channel: two in a product, of which a gradient has five. */
const PER_PAIR = { matmul: 2, gradient: 10 };

/** @param {Case} c */
export const flops = (c) => (PER_PAIR[c.section] ?? 4) * c.heads * c.d * pairs(c);

/** Of K and V, in float32. @param {Case} c */
export const bytes = (c) => 2 * 4 * c.kvHeads * c.n * c.d;

/** Bytes of all scores, for libraries that store them. @param {Case} c */
export const scoreBytes = (c) => 4 * c.heads * c.m * c.n;

/**
 * Speed in the unit of the case: GB/s of K and V in decoding, else GFLOP/s.
 * @param {Case} c
 * @param {number} seconds
 */
export const speed = (c, seconds) => (c.m === 1 ? bytes(c) : flops(c)) / seconds / 1e9;

/** @param {Case} c */
export const unit = (c) => (c.m === 1 ? 'GB/s' : 'GFLOP/s');
