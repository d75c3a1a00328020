/** The numbers of all heads, for files. */
import { mayRead } from '../../math/oracle.js';
import { table } from '../../page/files.js';
import { lengthsFor } from './values.js';

/** @typedef {import('./worker.js').Heads} Heads */

/** The statistics of each head, and of its rows. @param {Heads} heads */
export const statsOf = ({ rho, entropy, moved, stats, lse, lengths, sums, outputs, checksum }) => ({
  rho,
  entropy,
  movedBySharing: moved,
  rows: { ...stats, lse, weightsTimesLengths: sums, lengthOfOutput: outputs },
  lengthOfValue: lengths,
  checksum,
});

/** A line for each cell that is not masked. @param {Heads} heads */
export function weightsOf(heads) {
  const { H, n, mask, weights } = heads;
  const rows = [];
  for (let h = 0; h < H; h++) {
    const lengths = lengthsFor(heads, h);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const weight = weights[(h * n + i) * n + j];
        if (mayRead(i, j, mask)) rows.push([h, i, j, weight, lengths[j], weight * lengths[j]]);
      }
  }
  return table(['head', 'query', 'key', 'weight', 'length of the value', 'weight × length'], rows);
}
