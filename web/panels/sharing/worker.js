/** In the lab: the change by sharing with its bounds, and latent keys. */
import { changeOf, group, latent, lose } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {import('./compute.js').Looks} Looks */

/** @type {{ seed: number, rows: ReturnType<typeof group> } | undefined} */
let last;

/**
 * The change of each query, with its bounds and as textbook loops have it.
 * @param {Engine} engine
 * @param {{ seed: number, part: number, T: number }} setting of the example
 * @param {Looks} [given] looks of the model, which have a T of their own
 */
export function share(engine, { seed, part, T }, given) {
  if (last?.seed !== seed) last = { seed, rows: group(seed) };
  const looks = given ?? { ...last.rows, T };
  const { measured, bounds, keys } = lose(engine, looks, part);
  const { q, k, d } = looks;
  const [m, n] = [q.length / d, k.length / d];
  let size = 0;
  const oracle = Float64Array.from({ length: m }, (_, i) => {
    const read = looks.causal ? n - m + i + 1 : n;
    const row = q.subarray(i * d, (i + 1) * d);
    const found = changeOf(row, k, keys, { n: read, d, T: looks.T });
    size = Math.max(size, found.size);
    return found.change;
  });
  return { measured, bounds, oracle, size, n, d };
}

export { latent };
