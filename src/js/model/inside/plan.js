/**
 * The work of interventions in one pass: edits of arrays, and masks of attention.
 *
 * A row of attention is fixed by its scores. Its query becomes 0, so that all scores are 0, and a
 * mask of T·log w adds the wanted weights w. Statistics and weights that are observed follow.
 *
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./entries.js').Positions} Positions
 * @typedef {import('./entries.js').Span} Span
 * @typedef {import('./entries.js').KnockOut | import('./entries.js').Shape |
 *   import('./entries.js').Rows} Masking
 *
 * @typedef {Omit<import('./edits.js').Edit, 'data'> & { numbers?: Float32Array | undefined }}
 *   PlannedEdit
 * @typedef {{ layer: number, heads: number, numbers: Float32Array }} PlannedMask (heads, t, length)
 */
import {
  ATTN_AT_Q,
  ATTN_AT_Z,
  ATTN_EDIT_ADD,
  ATTN_EDIT_REPLACE,
  ATTN_EDIT_SCALE,
} from '../../engine/constants.js';
import { firstSeen } from './rows.js';

/**
 * The rows of a pass that have these positions, as runs, with the place of each among them.
 * @param {Positions} positions
 * @param {number} from
 * @param {number} t
 * @returns {{ rows: Span, at: number }[]}
 */
function runsOf(positions, from, t) {
  if (!positions) return [{ rows: [0, t], at: 0 }];
  /** @type {{ rows: [number, number], at: number }[]} */
  const runs = [];
  positions.forEach((position, at) => {
    const row = position - from;
    if (row < 0 || row >= t) return;
    const last = runs.at(-1);
    if (last && last.rows[0] + last.rows[1] === row) last.rows[1]++;
    else runs.push({ rows: [row, 1], at });
  });
  return runs;
}

/** Channels of some heads. @param {Span} heads @param {number} headDim @returns {Span} */
const channels = ([first, count], headDim) => [first * headDim, count * headDim];

/**
 * The edits of all entries, in their order.
 * @param {readonly Entry[]} entries
 * @param {ReadonlyMap<number, Float32Array> | undefined} means
 * @param {ModelConfig} config
 * @param {number} from
 * @param {number} t
 */
export const editsOf = (entries, means, config, from, t) =>
  entries.flatMap((entry) => {
    if (entry.kind === 'temperature' || entry.kind === 'knockOut') return [];
    const runs = runsOf(entry.positions, from, t);
    return runs.flatMap(({ rows, at }) => editOf(entry, means, config, rows, at));
  });

/**
 * @param {Exclude<Entry, { kind: 'temperature' | 'knockOut' }>} entry
 * @param {ReadonlyMap<number, Float32Array> | undefined} means
 * @param {ModelConfig} config
 * @param {Span} rows of the pass
 * @param {number} at place of the first among the entry's positions
 * @returns {PlannedEdit[]}
 */
function editOf(entry, means, { heads, headDim }, rows, at) {
  const { layer } = entry;
  switch (entry.kind) {
    case 'gain': {
      const columns = channels(entry.heads, headDim);
      const { gain } = entry;
      return [{ layer, point: ATTN_AT_Z, kind: ATTN_EDIT_SCALE, rows, columns, gain }];
    }
    case 'mean':
      return Array.from({ length: entry.heads[1] }, (_, h) => {
        const head = entry.heads[0] + h;
        const columns = channels([head, 1], headDim);
        const numbers = means?.get(layer * heads + head);
        return { layer, point: ATTN_AT_Z, kind: ATTN_EDIT_REPLACE, rows, columns, numbers };
      });
    case 'shape':
    case 'rows': {
      if (entry.kind === 'shape' && entry.shape !== 'uniform') return [];
      const columns = channels(entry.heads, headDim);
      return [{ layer, point: ATTN_AT_Q, kind: ATTN_EDIT_SCALE, rows, columns, gain: 0 }];
    }
    case 'add': {
      const { point, columns, vector: numbers, gain } = entry;
      return [{ layer, point, kind: ATTN_EDIT_ADD, rows, columns, numbers, gain }];
    }
    default: {
      const { point, columns, data } = entry;
      const stride = columns[1];
      const numbers = data.subarray(at * stride, (at + rows[1]) * stride);
      return [{ layer, point, kind: ATTN_EDIT_REPLACE, rows, columns, numbers, stride }];
    }
  }
}

/**
 * One mask for each layer that has an entry.
 * @param {readonly Masking[]} entries
 * @param {ModelConfig} config
 * @param {Float64Array} temperatures
 * @param {{ from: number, t: number, length: number }} pass
 * @returns {PlannedMask[]}
 */
export function masksOf(entries, config, temperatures, { from, t, length }) {
  const layers = [...new Set(entries.map(({ layer }) => layer))];
  return layers.map((layer) => {
    const own = entries.filter((entry) => entry.layer === layer);
    const shared = own.every(({ kind, heads }) => kind !== 'rows' && heads[1] === config.heads);
    const heads = shared ? 1 : config.heads;
    const numbers = new Float32Array(heads * t * length);
    const first = firstSeen(config, layer);
    for (const entry of own) {
      const end = shared ? 1 : entry.heads[0] + entry.heads[1];
      for (let head = shared ? 0 : entry.heads[0]; head < end; head++)
        for (let row = 0; row < t; row++) {
          const at = (head * t + row) * length;
          const mask = numbers.subarray(at, at + length);
          const temperature = temperatures[layer * config.heads + head];
          writeRow(mask, entry, head, from + row, first(from + row), temperature);
        }
    }
    return { layer, heads, numbers };
  });
}

/**
 * Writes an entry to the mask of one row.
 * @param {Float32Array} mask (length)
 * @param {Masking} entry
 * @param {number} head
 * @param {number} position
 * @param {number} first key that is seen
 * @param {number} temperature
 */
function writeRow(mask, entry, head, position, first, temperature) {
  if (entry.kind === 'knockOut') {
    if (entry.queries && !entry.queries.includes(position)) return;
    if (!entry.keys) mask.fill(-Infinity);
    else for (const key of entry.keys) if (key < mask.length) mask[key] = -Infinity;
    return;
  }
  const at = entry.positions ? entry.positions.indexOf(position) : 0;
  if (at < 0) return;
  const uniform = entry.kind === 'shape' && entry.shape === 'uniform';
  mask.fill(uniform ? 0 : -Infinity);
  if (uniform) return;
  if (entry.kind === 'shape')
    mask[entry.shape === 'first' ? first : Math.max(first, position - 1)] = 0;
  else {
    const row = entry.rows[(head - entry.heads[0]) * entry.positions.length + at];
    row.forEach((weight, key) => (mask[key] = temperature * Math.log(weight)));
  }
}
