/**
 * The masks of attention that interventions need.
 *
 * A row of attention is fixed by its scores. Its query becomes 0, so that all scores are 0, and a
 * mask of T·log w adds the wanted weights w. Statistics and weights that are observed follow.
 *
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./entries.js').KnockOut | import('./entries.js').Shape |
 *   import('./entries.js').Rows} Masking
 *
 * @typedef {object} Masked a layer with a mask (heads, t, length)
 * @property {number} layer
 * @property {number} heads 1 where all have the same
 * @property {number} of the heads of the model
 * @property {(position: number) => number} first key that is seen
 * @property {Masking[]} entries
 */
import { firstSeen } from './rows.js';

/**
 * The layers that need a mask. Uniform attention needs it only to clear what others wrote before.
 * @param {ModelConfig} config
 * @param {readonly Entry[]} all
 * @returns {Masked[]}
 */
export function masking(config, all) {
  /** @type {Map<number, Masking[]>} */
  const layers = new Map();
  for (const entry of all) {
    if (entry.kind !== 'knockOut' && entry.kind !== 'rows' && entry.kind !== 'shape') continue;
    const own = layers.get(entry.layer);
    if (own) own.push(entry);
    else if (entry.kind !== 'shape' || entry.shape !== 'uniform') layers.set(entry.layer, [entry]);
  }
  return [...layers].map(([layer, entries]) => {
    const shared = entries.every(({ kind, heads }) => kind !== 'rows' && heads[1] === config.heads);
    const heads = shared ? 1 : config.heads;
    return { layer, heads, of: config.heads, first: firstSeen(config, layer), entries };
  });
}

/**
 * Writes the mask of a layer.
 * @param {Float32Array} numbers zeros from `start` on, (heads, t, length)
 * @param {number} start
 * @param {Masked} masked
 * @param {Float64Array} temperatures
 * @param {{ from: number, t: number, length: number }} pass
 */
export function writeMask(numbers, start, masked, temperatures, { from, t, length }) {
  const { layer, heads, of, first, entries } = masked;
  for (const entry of entries) {
    const end = heads === 1 ? 1 : entry.heads[0] + entry.heads[1];
    for (let head = heads === 1 ? 0 : entry.heads[0]; head < end; head++)
      for (let row = 0; row < t; row++) {
        const at = start + (head * t + row) * length;
        const mask = { numbers, at, end: at + length };
        const temperature = temperatures[layer * of + head];
        writeRow(mask, entry, head, from + row, first(from + row), temperature);
      }
  }
}

/**
 * Writes an entry to the mask of one row.
 * @param {{ numbers: Float32Array, at: number, end: number }} mask
 * @param {Masking} entry
 * @param {number} head
 * @param {number} position
 * @param {number} first key that is seen
 * @param {number} temperature
 */
function writeRow({ numbers, at, end }, entry, head, position, first, temperature) {
  if (entry.kind === 'knockOut') {
    if (entry.queries && !entry.queries.includes(position)) return;
    if (!entry.keys) numbers.fill(-Infinity, at, end);
    else for (const key of entry.keys) if (at + key < end) numbers[at + key] = -Infinity;
    return;
  }
  const index = entry.positions ? entry.positions.indexOf(position) : 0;
  if (index < 0) return;
  const uniform = entry.kind === 'shape' && entry.shape === 'uniform';
  numbers.fill(uniform ? 0 : -Infinity, at, end);
  if (uniform) return;
  if (entry.kind === 'shape')
    numbers[at + (entry.shape === 'first' ? first : Math.max(first, position - 1))] = 0;
  else {
    const row = entry.rows[(head - entry.heads[0]) * entry.positions.length + index];
    row.forEach((weight, key) => (numbers[at + key] = temperature * Math.log(weight)));
  }
}
