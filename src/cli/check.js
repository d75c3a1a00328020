import { readFile } from 'node:fs/promises';
import { ClearheadError, init } from '../js/index.js';
import { normal, textbook, unitRows } from './textbook.js';

export const usage = `  clearhead check [--json] [--variant simd|relaxed] [--seed N] [--wasm FILE]
      Runs multi-head and grouped-query attention against textbook loops, and the kernel equivalence (softmax attention
      is Gaussian smoothing when σ² = T√d and the keys have one norm) in float64 and float32. Exit status 1 if anything
      does not hold. "published" is what the source of the identity printed for data of its own.`;

export const options = {
  json: { type: 'boolean' }, variant: { type: 'string' }, seed: { type: 'string', default: '1' }, wasm: { type: 'string' },
};

/** The sizes of the run in the note that states the identity (see README, Sources), and the figures printed there, for float64. */
const SIZES = { m: 32, n: 32, d: 64, dv: 16, T: 1 };
const REFERENCE = { sigma2: 8, weights: { max: 1.39e-17, frobenius: 1.22e-16 }, output: { max: 1.66e-16, frobenius: 8.29e-16 } };
const EPSILON = { float64: 2 ** -52, float32: 2 ** -23 };

/** @typedef {'float64' | 'float32'} DType */

/** @param {{ json?: boolean, variant?: any, seed: string, wasm?: string }} given @returns {Promise<number>} exit status */
export async function run({ json, variant, seed, wasm }) {
  if (!/^\d{1,9}$/.test(seed)) throw new ClearheadError('ARG', `--seed is "${seed}"; expected a whole number`);
  const ch = await init({ ...(variant && { variant }), ...(wasm && { wasm: await readFile(wasm) }) });
  const types = /** @type {DType[]} */ (['float64', 'float32']);
  const attention = types.flatMap((type) => [['MHA', 8], ['GQA', 2]].map(([name, kvHeads]) => attentionCheck(ch, String(name), Number(kvHeads), type, +seed)));
  const equivalence = types.map((type) => equivalenceCheck(ch, type, +seed));
  const holds = [...attention, ...equivalence].every((result) => result.holds);
  const report = { holds, variant: ch.info.variant, why: ch.info.why, seed: +seed, sizes: SIZES, attention, equivalence, reference: REFERENCE };
  console.log(json ? JSON.stringify(report, null, 2) : inWords(report));
  return holds ? 0 : 1;
}

/** @param {DType} type @param {number} seed */
function data(type, seed) {
  const Floats = type === 'float64' ? Float64Array : Float32Array, next = normal(seed);
  return (/** @type {number} */ length) => /** @type {any} */ (Floats).from({ length }, next);
}

/**
 * The kernel against loops that share nothing with it, by the error rule |Δ| ≤ ε·Σp|v|·(4 + 2A); and, for grouped heads,
 * against plain heads with the keys and values repeated, bit for bit.
 * @param {import('../js/types.d.ts').Engine} ch @param {string} name @param {number} kvHeads @param {DType} type @param {number} seed
 */
function attentionCheck(ch, name, kvHeads, type, seed) {
  const { m, n, d, dv } = SIZES, heads = 8, make = data(type, seed);
  const q = make(heads * m * d), k = make(kvHeads * n * d), v = make(kvHeads * n * dv);
  const { output } = ch.attention(q, k, v, { heads, kvHeads, headDim: d, valueDim: dv, causal: true });
  const repeat = (/** @type {any} */ x, /** @type {number} */ size) =>
    x.constructor.from({ length: heads * n * size }, (/** @type {unknown} */ _, /** @type {number} */ at) => {
      const h = Math.floor(at / (n * size));
      return x[Math.floor(h / (heads / kvHeads)) * n * size + (at % (n * size))];
    });
  const repeated = ch.attention(q, repeat(k, d), repeat(v, dv), { heads, headDim: d, valueDim: dv, causal: true });
  const sameBits = Array.from(output).every((x, at) => Object.is(x, repeated.output[at]));
  let max = 0, ratio = 0;
  for (let h = 0; h < heads; h++)
    for (let i = 0; i < m; i++) {
      const row = textbook(q, k, v, { h, kvHead: Math.floor(h / (heads / kvHeads)), i, keys: i + 1, m, n, d, dv });
      for (let c = 0; c < dv; c++) {
        const error = Math.abs(output[(h * m + i) * dv + c] - row.output[c]);
        max = Math.max(max, error);
        ratio = Math.max(ratio, error / (EPSILON[type] * row.magnitude[c] * (4 + 2 * row.condition)));
      }
    }
  return { name, type, heads, kvHeads, max, ratio, sameBits, holds: ratio <= 1 && sameBits };
}

/** @param {import('../js/types.d.ts').Engine} ch @param {DType} type @param {number} seed */
function equivalenceCheck(ch, type, seed) {
  const { m, n, d, dv, T } = SIZES, make = data(type, seed);
  const q = unitRows(make(m * d), d), k = unitRows(make(n * d), d), v = make(n * dv);
  return { type, ...ch.theory.kernelEquivalence(q, k, v, { headDim: d, valueDim: dv, temperature: T }) };
}

const digits = (/** @type {number} */ x) => x.toExponential(2).padStart(9);
const allowed = (/** @type {any} */ side, /** @type {string} */ part) => (part === 'max' ? side.allowed : side.allowedFrobenius);
const verdict = (/** @type {boolean} */ holds) => (holds ? '✓ holds' : '✗ VIOLATED');

/** @param {any} report */
function inWords({ holds, variant, why, seed, attention, equivalence }) {
  const { m, n, d, dv, T } = SIZES, [f64, f32] = equivalence;
  /** @param {string} name @param {'weights' | 'output'} of @param {'max' | 'frobenius'} part */
  const line = (name, of, part) =>
    `  ${name.padEnd(9)} ${[f64[of][part], REFERENCE[of][part], allowed(f64[of], part), f32[of][part], allowed(f32[of], part)].map(digits).join('   ')}`;
  return `clearhead check: ${variant} kernels${why && ` (${why})`}, seed ${seed}, n = ${n}, m = ${m}, d = ${d}, dv = ${dv}, T = ${T}

Attention, causal, against textbook loops in float64
              heads    max|ΔO|  of allowed   grouped = repeated
${attention.map((/** @type {any} */ a) => `  ${a.name} ${a.type} ${`${a.heads}/${a.kvHeads}`.padStart(4)}  ${digits(a.max)} ${(100 * a.ratio).toFixed(0).padStart(8)} %   ${a.sameBits ? 'bit for bit       ' : 'DIFFERENT         '}  ${verdict(a.holds)}`).join('\n')}

Statement 6, kernel equivalence: softmax(QKᵀ/(T√d)) = rows of exp(−‖q − k‖²/2σ²), normalised, with σ² = T√d
  σ² = ${f64.sigma2} (published: ${REFERENCE.sigma2})
              float64   published     allowed     float32     allowed
${line('max|ΔW|', 'weights', 'max')}
${line('‖ΔW‖_F', 'weights', 'frobenius')}
${line('max|ΔO|', 'output', 'max')}
${line('‖ΔO‖_F', 'output', 'frobenius')}
  worst element: ${[f64, f32].map((e) => `${(100 * Math.max(e.weights.ratio, e.output.ratio)).toFixed(0)} % of its allowed difference in ${e.type} ${verdict(e.holds)}`).join(', ')}

${holds ? 'All holds.' : 'NOT all holds.'}`;
}
