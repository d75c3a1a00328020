/** The machine in words, for eyes and for the live region. */
import { html } from '../../plot/dom.js';
import { ordinal, percent, short } from '../../plot/format.js';
import { nameOf } from './fitting.js';

/** @typedef {import('../../plot/heatmap.js').MapData} MapData */

const counted = (/** @type {number} */ count, /** @type {string} */ word) =>
  `${count} ${word}${count === 1 ? '' : 's'}`;

/** @param {number} G */
export const setsOf = (G) => `${counted(G, 'set')} of keys`;

/** @param {number} share heads that have one set of keys */
export const sharedBy = (share) =>
  share === 1 ? 'each head has its own' : `${share} heads share each`;

/** The heads and their keys in a sentence. @param {import('./worker.js').Heads} heads */
export const sharingInWords = ({ H, G }) =>
  `${counted(H, 'head')}, ${setsOf(G)}: ${H > 1 && G === 1 ? 'all share it' : sharedBy(H / G)}.`;

/** The meaning of the numbers under the squares. @param {import('./worker.js').Heads} heads */
export function movedInWords({ H, G, moved }) {
  if (H === G) return 'Without sharing no weight moves to other keys.';
  const known = moved.filter((part) => !Number.isNaN(part));
  if (!known.length) return 'Every row reads a NaN, so no share can be compared.';
  const mean = known.reduce((sum, part) => sum + part, 0) / known.length;
  return (
    'The number under a square compares it with a head that has keys of its own. Sharing moves ' +
    `that part of its look to other keys, ${percent(mean)} on average. Each head keeps its own ` +
    'query, so its square need not change much.'
  );
}

/** All other settings, for readers who want to understand. */
export function inWords(/** @type {import('./worker.js').Heads} */ { H, G, n, d, T, mask }) {
  const beside = mask.reach
    ? ` and ${mask.reach} ${mask.causal ? 'before' : 'to each side'}`
    : ' only';
  const window = mask.reach < n - 1 ? `; a query may read its own position${beside}` : '';
  return (
    ` This is ${nameOf(H, G)}, with ${counted(n, 'position')}, d = ${d}, ` +
    `T = ${short(T)}${mask.causal ? ', causal' : ''}${window}.`
  );
}

/** The meaning of cells that are weights times lengths of values. */
export const aboutProducts = () =>
  html(
    'p',
    { class: 'figure-note', hidden: true },
    'A weight counts for little where its value is short. Each cell is the weight times the ' +
      'length of the value: how far this key moves the output.',
    html(
      'span',
      { 'data-depth': 'understand' },
      ' The bars beside the map are the lengths of the outputs, ‖o‖, within the sums of their ' +
        'rows, Σ p·‖v‖. The rest of a bar cancels, as values point apart.',
    ),
  );

/**
 * How to hold a cell and let it go, for a hand with a pointer or without.
 * @param {boolean} locked
 */
export function hint(locked) {
  if (matchMedia('(hover: none)').matches)
    return locked ? 'locked, another tap releases' : 'a second tap locks';
  return locked ? 'locked, Esc releases' : 'click locks';
}

/**
 * A cell in words, for eyes and for the live region.
 * @param {MapData} data
 * @param {number} i
 * @param {number} j
 */
export function describe(data, i, j) {
  const { cols, weights, counts, masked, of } = data;
  const p = weights[i * cols + j];
  if (masked(i, j)) return `Query ${i} may not read key ${j}: masked, weight exactly 0.`;
  if (!Number.isFinite(p))
    return `Query ${i}, key ${j}: ${short(p)}. This row reads a key that holds NaN.`;
  const place = placeOf(data, i, j);
  if (of) {
    const product = `weight ${short(of.weights[i * cols + j])} × length ${short(of.lengths[j])}`;
    return `Query ${i}, key ${j}: ${product} = ${short(p)}, ${place}.`;
  }
  if (counts[i] === 1) return `Query ${i}, key ${j}: weight ${short(p)}; it may read no other.`;
  const times = short(p * counts[i]);
  const share = times === '1' ? 'an even share' : `${times} times an even share`;
  return `Query ${i}, key ${j}: weight ${short(p)}, ${place}, ${share}.`;
}

/** The place of a cell among those of its row, the largest first. Equal ones have one place. */
function placeOf(
  /** @type {MapData} */ { cols, weights, masked },
  /** @type {number} */ i,
  /** @type {number} */ j,
) {
  const row = Array.from({ length: cols }, (_, c) => c)
    .filter((c) => !masked(i, c))
    .map((c) => weights[i * cols + c]);
  const own = weights[i * cols + j];
  const equal = row.filter((p) => p === own).length;
  if (equal > 1 && equal === row.length) return `all ${equal} equal`;
  const place = `${ordinal(row.filter((p) => p > own).length + 1)} of ${row.length}`;
  return equal > 1
    ? `${place}, as ${equal === 2 ? 'is one other' : `are ${equal - 1} others`}`
    : place;
}
