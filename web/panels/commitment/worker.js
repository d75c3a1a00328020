/** In the lab: a crowd of challengers, and the frontier they stay below. */
import { challengers, excess, frontier } from './compute.js';

/**
 * @param {import('../../page/engine.js').Engine} engine
 * @param {Float64Array} z
 */
export function compete(engine, z) {
  const crowd = challengers(z);
  const result = excess(engine, z, crowd);
  const flat = new Float64Array(crowd.length * z.length);
  crowd.forEach(({ weights }, i) => flat.set(weights, i * z.length));
  return {
    frontier: frontier(engine, z),
    result,
    weights: flat,
    rho: Float64Array.from(crowd, (each) => each.rho),
    score: Float64Array.from(crowd, (each) => each.score),
  };
}
