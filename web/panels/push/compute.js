/** How far weights move when scores are pushed, and how dot products spread with their length. */

/** @typedef {import('../../page/engine.js').Engine} Engine */

const PAIRS = 900;
const KEYS = 8;
const SAMPLES = 3000;
export const SIZES = [4, 16, 64, 256];

/**
 * Pairs of rows, before and after a push. Three in four rows and their pushes are random. In the
 * others two keys tie, and the push separates them: this moves weights farthest.
 * @param {Engine} engine
 */
export function pairs({ theory }) {
  const noise = theory.normal(3 * PAIRS * KEYS, { seed: 3 });
  const a = new Float64Array(PAIRS * KEYS);
  const b = new Float64Array(PAIRS * KEYS);
  for (let i = 0; i < PAIRS; i++) {
    const far = 0.05 + 2.6 * (i / PAIRS);
    const tie = i % 4 === 0;
    const deep = 1.5 + 28 * noise[3 * i] ** 2;
    const row = noise.subarray(2 * i * KEYS, (2 * i + 1) * KEYS);
    const push = noise.subarray((2 * PAIRS + i) * KEYS, (2 * PAIRS + i + 1) * KEYS);
    const length = Math.hypot(...push);
    for (let j = 0; j < KEYS; j++) {
      const at = i * KEYS + j;
      if (tie) {
        // two keys far above the others, pushed from one side of the tie to the other
        const side = j === 0 ? 1 : j === 1 ? -1 : 0;
        const half = (side * far) / Math.SQRT2 / 2;
        const base = j < 2 ? 0 : Math.abs(row[j]) - deep;
        a[at] = base + half;
        b[at] = base - half;
      } else {
        a[at] = 1.5 * row[j];
        b[at] = a[at] + (far * push[j]) / length;
      }
    }
  }
  return { a, b, keys: KEYS };
}

/**
 * How far each pair is apart before and after softmax.
 * @param {Engine} engine @param {ReturnType<typeof pairs>} rows @param {number} T
 * @param {Float64Array} row whose slope is told
 */
export function moves(engine, { a, b, keys }, T, row) {
  const found = engine.theory.lipschitz(a, b, { temperature: T, keys });
  const pushed = Float64Array.from(found.ratios, (_, i) => {
    let square = 0;
    for (let j = i * keys; j < (i + 1) * keys; j++) square += (a[j] - b[j]) ** 2;
    return Math.sqrt(square);
  });
  const jacobian = engine.theory.softmaxJacobian(row, { temperature: T });
  const { eigenvalues, identity } = jacobian.spectrum();
  const squares = jacobian.weights.reduce((sum, p) => sum + p * p, 0);
  const trace = eigenvalues.reduce((sum, x) => sum + x, 0);
  return {
    pushed,
    moved: pushed.map((x, i) => x * found.ratios[i]),
    maxRatio: found.maxRatio,
    bound: found.bounds.sharp,
    note: found.bounds.note,
    allowed: found.bounds.allowed,
    eigenvalues,
    weights: jacobian.weights,
    trace: { measured: Math.abs(trace - (1 - squares) / T), allowed: identity.allowed },
    top: jacobian.top(),
  };
}

/**
 * The oracle of a pair: both softmaxes by textbook loops, and how far they are apart.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {number} T
 */
export function movedBy(a, b, T) {
  const softmax = (/** @type {ArrayLike<number>} */ z) => {
    let top = -Infinity;
    let sum = 0;
    for (let j = 0; j < z.length; j++) top = Math.max(top, z[j]);
    const p = Array.from(z, (x) => Math.exp((x - top) / T));
    for (const x of p) sum += x;
    return p.map((x) => x / sum);
  };
  const p = softmax(a);
  const q = softmax(b);
  let square = 0;
  for (let j = 0; j < p.length; j++) square += (p[j] - q[j]) ** 2;
  return Math.sqrt(square);
}

/**
 * Dot products of standard normal vectors of each length, as they are and divided by √d.
 * @param {Engine} engine @param {number} seed
 */
export function fan({ theory }, seed) {
  return SIZES.map((d) => {
    const x = theory.normal(2 * SAMPLES * d, { seed: seed + d });
    const products = new Float64Array(SAMPLES);
    for (let i = 0; i < SAMPLES; i++) {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += x[2 * i * d + c] * x[(2 * i + 1) * d + c];
      products[i] = sum;
    }
    const square = products.reduce((sum, each) => sum + each * each, 0) / SAMPLES;
    const experiment = theory.scaleExperiment({ headDim: d, seed: seed + d });
    return { d, products, variance: square, ...pick(experiment) };
  });
}

/** @param {ReturnType<Engine['theory']['scaleExperiment']>} found */
const pick = ({ variance, standardError, scaledVariance, scaled, unscaled }) => ({
  experiment: { variance, standardError, scaledVariance },
  scaled,
  unscaled,
});
