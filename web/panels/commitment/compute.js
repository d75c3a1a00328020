/** The frontier of a budget, challengers below it, and the point that softmax takes on it. */
import { shares, uniforms } from '../../math/example.js';
import { bestUseOf, spending } from '../../math/roads.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof challengers>} Crowd */

const U = 2 ** -53;
const FLAT = 16;
const STEEP = 8;
const COUNT = 2000;
const POINTS = 129;

/** @param {ArrayLike<number>} p @param {ArrayLike<number>} z */
const score = (p, z) => Array.from(p).reduce((sum, x, j) => sum + x * z[j], 0);

/** @param {Float64Array} z */
const largest = (z) => z.reduce((top, x) => Math.max(top, Math.abs(x)), 0);

/**
 * Random ways to share out 1. Some are even, some take sides, and a third of them come close to the
 * best of their kind.
 * @param {Float64Array} z
 */
export function challengers(z) {
  const next = uniforms(11);
  const n = z.length;
  const spread = Math.max(...z) - Math.min(...z) || 1;
  return Array.from({ length: COUNT }, (_, i) => {
    // a power of exponential variates: the larger, the fewer keys get nearly all
    const power = 0.3 + 5 * next() ** 2;
    const p = z.map(() => (-Math.log(next())) ** power);
    if (i % 3 === 0) {
      // an exponential of the scores, spoiled a little
      const steep = (12 * next()) / spread;
      for (let j = 0; j < n; j++)
        p[j] = Math.exp(steep * (z[j] - z[0])) * (1 + 0.7 * (next() - 0.5));
    }
    const weights = shares(p);
    return { weights, rho: spending(weights), score: score(weights, z) };
  });
}

/**
 * The frontier as a line, for a row of scores. It leaves 0 upright, as a root does, so its first
 * step has more points.
 * @param {Engine} engine @param {Float64Array} z
 */
export function frontier({ theory }, z) {
  const { rho, expectedScore } = theory.klFrontier(z, { points: POINTS });
  const points = Array.from(rho, (x, at) => ({ rho: x, score: expectedScore[at] }));
  const steep = Array.from({ length: 15 }, (_, i) => {
    const budget = points[1].rho * ((i + 1) / 16) ** 2;
    return { rho: budget, score: theory.klBudget(z, budget).expectedScore };
  });
  return [points[0], ...steep, ...points.slice(1)];
}

/**
 * How far the boldest challenger is above the frontier at its own budget; below 0, none is.
 * @param {Engine} engine @param {Float64Array} z @param {Crowd} crowd
 */
export function excess(engine, z, crowd) {
  let highest = -Infinity;
  let above = 0;
  const allowed = 32 * U * largest(z) * z.length;
  const { rhoMax } = engine.theory.klBudget(z, 0);
  for (const each of crowd) {
    const best = engine.theory.klBudget(z, Math.min(each.rho, rhoMax)).expectedScore;
    highest = Math.max(highest, each.score - best);
    if (!(each.score - best <= allowed)) above++;
  }
  return { highest, above, allowed, count: crowd.length };
}

/**
 * The part of the largest budget that softmax spends on these scores at a temperature.
 * @param {Engine} engine @param {Float64Array} z @param {number} T
 */
export function shareOf(engine, z, T) {
  const { stats } = engine.attention(Float64Array.of(1), z, new Float64Array(z.length), {
    headDim: 1,
    valueDim: 1,
    temperature: T,
    want: { stats: true },
  });
  const { rhoMax } = engine.theory.klBudget(z, 0);
  const share = stats && rhoMax > 0 ? stats.kl[0] / rhoMax : 0;
  return Number(Math.min(1, share).toFixed(9));
}

/**
 * The best use of a budget, by the library, by attention itself, and by the route without an
 * exponential.
 * @param {Engine} engine @param {Float64Array} z @param {number} share of the largest budget
 */
export function spend(engine, z, share) {
  const { theory } = engine;
  const { rhoMax } = theory.klBudget(z, 0);
  const budget = share * rhoMax;
  const found = theory.klBudget(z, budget);
  const T = found.temperature;
  const n = z.length;
  // attention with this temperature: its fused statistics tell what it spends
  const { stats, lse } = engine.attention(Float64Array.of(1), z, new Float64Array(n), {
    headDim: 1,
    valueDim: 1,
    temperature: T,
    want: { stats: true, lse: true },
  });
  if (!stats || !lse) throw new Error('the engine returned no statistics');
  const B = T > 0 ? largest(z) / T : 0;
  const rounding = U * (FLAT + STEEP * B);
  const other = bestUseOf(z, found.rho);
  const forms = [stats.kl[0], Math.log(n) - stats.entropy[0], spending(found.weights)];
  if (T > 0) forms.push(stats.expectedScore[0] / T - lse[0] + Math.log(n));
  // at the ends of the frontier there is no price, or none that is finite
  const inside = T > 2 ** -10 && T < 2 ** 30;
  return {
    n,
    budget,
    rhoMax,
    T,
    weights: found.weights,
    rho: found.rho,
    score: found.expectedScore,
    lse: lse[0],
    entropy: stats.entropy[0],
    inside,
    agree: { measured: Math.max(...forms) - Math.min(...forms), allowed: rounding },
    route: {
      measured: Math.max(
        Math.abs(spending(other.weights) - found.rho),
        Math.abs(score(other.weights, z) - found.expectedScore) / T,
      ),
      allowed: rounding,
    },
    slope: slope(engine, z, found.rho, T, rhoMax),
  };
}

/**
 * The frontier bends down, so its slope at a point lies between those of the chords that end and
 * begin there. How far T is outside of them.
 * @param {Engine} engine @param {Float64Array} z @param {number} rho @param {number} T
 * @param {number} rhoMax
 */
function slope({ theory }, z, rho, T, rhoMax) {
  const step = Math.min(1e-3, rho / 2, (rhoMax - rho) / 2);
  const at = (/** @type {number} */ budget) => theory.klBudget(z, budget).expectedScore;
  const behind = (at(rho) - at(rho - step)) / step;
  const ahead = (at(rho + step) - at(rho)) / step;
  return {
    ahead,
    behind,
    measured: Math.max(0, ahead - T, T - behind),
    allowed: (64 * U * largest(z)) / step,
  };
}
