/** In the lab: the change by sharing with its bounds, and latent keys. */
import { changeOf, D, group, latent, lose, N } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

/** @type {{ seed: number, rows: ReturnType<typeof group> } | undefined} */
let last;

/** @param {Engine} engine @param {{ seed: number, part: number, T: number }} setting */
export function share(engine, { seed, part, T }) {
  if (last?.seed !== seed) last = { seed, rows: group(seed) };
  const { rows } = last;
  const { measured, bounds, holds, operatorNorm, keys } = lose(engine, rows, { part, T });
  const oracle = Float64Array.from({ length: N }, (_, i) =>
    changeOf(rows.q.subarray(i * D, (i + 1) * D), rows.k, keys, { n: N, d: D, T }),
  );
  return { measured, bounds, holds, operatorNorm, oracle };
}

export { latent };
