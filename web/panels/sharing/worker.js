/** In the lab: the change by sharing with its bounds, and latent keys. */
import { changeOf, group, latent, lose } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {import('./compute.js').Looks} Looks */

const U = 2 ** -53;

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
  const oracle = new Float64Array(m);
  const allowed = new Float64Array(m);
  for (let i = 0; i < m; i++) {
    const read = looks.causal ? n - m + i + 1 : n;
    const row = q.subarray(i * d, (i + 1) * d);
    const { change, size } = changeOf(row, k, keys, { n: read, d, T: looks.T });
    oracle[i] = change;
    allowed[i] = 4 * U * (read + 8 + 2 * (d + 4) * size);
  }
  return { measured, bounds, oracle, allowed };
}

export { latent };
