/** All heads as maps in one scale of colours, the words of its legend, and the rows of one head. */
import { mayRead } from '../../math/oracle.js';
import { weightScale } from '../../plot/colour-scale.js';
import { lengthsFor, weighted } from './values.js';

/** @typedef {import('./worker.js').Heads} Heads */

/** @param {Heads} heads @param {Parameters<typeof weightScale>[0]} kind of the scale */
export function mapsOf(heads, kind) {
  const { H, n, mask, stats } = heads;
  const hidden = Uint8Array.from(
    { length: n * n },
    (_, at) => +!mayRead(Math.floor(at / n), at % n, mask),
  );
  const masked = (/** @type {number} */ i, /** @type {number} */ j) => hidden[i * n + j] === 1;
  const parts = Array.from({ length: H }, (_, h) => {
    const weights = heads.weights.subarray(h * n * n, (h + 1) * n * n);
    const counts = stats.n.subarray(h * n, (h + 1) * n);
    if (kind !== 'value') return { weights, cols: n, counts };
    const lengths = lengthsFor(heads, h);
    return { weights: weighted(weights, lengths), cols: n, counts, of: { weights, lengths } };
  });
  const scale = weightScale(kind, parts);
  return { maps: parts.map((part) => ({ ...part, rows: n, masked, scale })), hidden, scale };
}

/**
 * The other things that the maps show, besides their colours.
 * @param {Heads} heads @param {Uint8Array} hidden cells @param {number} pool cells along a pixel
 */
export function legendWords({ rho, weights, T }, hidden, pool) {
  let zeros = 0;
  for (let at = 0; at < weights.length; at++)
    if (weights[at] === 0 && !hidden[at % hidden.length]) zeros++;
  const small = T === 0 ? 'weights of keys that are not the best' : 'weights too small for float32';
  return [
    hidden.includes(1) ? 'Hatched: masked, weight exactly 0.' : '',
    zeros ? ` Not hatched, painted as 0: ${zeros} ${small}.` : '',
    rho.some(Number.isNaN) ? ' Green: NaN.' : '',
    pool > 1 ? ` Of each ${pool} × ${pool} cells the largest is shown.` : '',
  ].join('');
}

/** The statistics of each query of a head. @param {Heads} heads @param {number} h */
export const rowsOf = ({ n, stats, lse, sums, outputs }, h) =>
  Array.from({ length: n }, (_, r) => h * n + r).map((at) => ({
    n: stats.n[at],
    entropy: stats.entropy[at],
    kl: stats.kl[at],
    lse: lse[at],
    sum: sums[at],
    output: outputs[at],
  }));

/**
 * Where nobody has pointed yet: two thirds down, at the key that query reads most.
 * @param {Heads} heads @param {number} wanted a head
 */
export function restingCell({ H, n, stats }, wanted) {
  const i = Math.floor(0.66 * n);
  const h = Math.min(wanted, H - 1);
  return { h, i, j: Math.max(0, stats.argmax[h * n + i]) };
}
