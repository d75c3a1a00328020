/** The four derivations of the same weights, and how far apart rounding may leave them. */
import { budgetWeights, inverseVarianceMean } from '../../math/oracle.js';
import { FLAT, STEEP, UNITS } from '../distance/compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

/** The keys. */
export const N = 6;
const D = 2;
const U = UNITS.float64;
const ONE_HOT = Float64Array.from({ length: N * N }, (_, at) => (at % (N + 1) === 0 ? 1 : 0));

/** A point of the unit circle. @param {number} degrees @returns {[number, number]} */
const onCircle = (degrees) => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];

/**
 * The four routes, and how far apart rounding may leave them.
 * @param {Engine} engine @param {{ T: number, q: number, k: readonly number[] }} state
 */
export function derive(engine, { T, q: degrees, k: keyDegrees }) {
  const q = Float64Array.from(onCircle(degrees));
  const k = Float64Array.from(keyDegrees.flatMap(onCircle));
  const alpha = 1 / (T * Math.sqrt(D));
  const dots = Float64Array.from({ length: N }, (_, j) => q[0] * k[2 * j] + q[1] * k[2 * j + 1]);
  // Reading six one-hot values, attention's output is its weights.
  const { output: softmax, stats } = engine.attention(q, k, ONE_HOT, {
    headDim: D,
    valueDim: N,
    temperature: T,
    want: { stats: true },
  });
  if (!stats) throw new Error('the engine returned no statistics');
  const rho = stats.kl[0];
  const entropy = stats.entropy[0];
  const { weights: gaussian, sigma2 } = engine.theory.gaussianWeights(q, k, null, {
    headDim: D,
    temperature: T,
  });
  const { weights: budget, beta } = budgetWeights(dots, rho);
  const inverse = inverseVarianceMean(
    dots.map((dot) => Math.exp(-alpha * dot)),
    (witness, coordinate) => (witness === coordinate ? 1 : 0),
  );
  const routes = [softmax, gaussian, budget, inverse];

  // A logit is at most B = 1/T here and carries u·B on either side. Going through ρ adds how far β
  // moves when ρ is rounded:
  // δp_j = p_j|z_j − ⟨z⟩|·δβ with δβ = δρ/(β·Var z).
  let mean = 0;
  let variance = 0;
  let measured = 0;
  let ratio = 0;
  let allowed = 0;
  for (let j = 0; j < N; j++) mean += softmax[j] * dots[j];
  for (let j = 0; j < N; j++) variance += softmax[j] * (dots[j] - mean) ** 2;
  const B = 1 / T;
  const rounding = U * (FLAT + STEEP * B);
  for (let j = 0; j < N; j++) {
    const direct = rounding * softmax[j];
    const moved = Math.abs(dots[j] - mean) * (rounding / (beta * variance));
    const allowance = direct + softmax[j] * Math.min(1, Number.isFinite(moved) ? moved : 0);
    const values = routes.map((route) => route[j]);
    const apart = Math.max(...values) - Math.min(...values);
    measured = Math.max(measured, apart);
    allowed = Math.max(allowed, allowance);
    ratio = Math.max(ratio, apart / allowance);
    if (Number.isNaN(apart)) ratio = measured = NaN;
  }
  return { q, k, sigma2, routes, rho, entropy, measured, allowed, ratio };
}
