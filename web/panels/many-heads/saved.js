/** The numbers of all heads, for files. */
import { mayRead } from '../../math/oracle.js';
import { table } from '../../page/files.js';

/** @typedef {import('./worker.js').Heads} Heads */

/** The statistics of each head, and of its rows. @param {Heads} heads */
export const statsOf = ({ rho, entropy, stats, lse }) => ({
  rho,
  entropy,
  rows: { ...stats, lse },
});

/** A line for each cell that is not masked. @param {Heads} heads */
export function weightsOf({ H, n, mask, weights }) {
  const rows = [];
  for (let h = 0; h < H; h++)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        if (mayRead(i, j, mask)) rows.push([h, i, j, weights[(h * n + i) * n + j]]);
  return table(['head', 'query', 'key', 'weight'], rows);
}
