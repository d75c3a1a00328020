/**
 * The edits of interventions.
 *
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./entries.js').Positions} Positions
 * @typedef {import('./entries.js').Span} Span
 * @typedef {import('./edits.js').PlannedEdit} PlannedEdit
 * @typedef {import('./interventions.js').Means} Means
 */
import {
  ATTN_AT_Q,
  ATTN_AT_Z,
  ATTN_EDIT_ADD,
  ATTN_EDIT_RECORD,
  ATTN_EDIT_REPLACE,
  ATTN_EDIT_SCALE,
} from '../../engine/constants.js';

/**
 * Positions as runs, with the place of each among them.
 * @param {Positions} positions
 * @returns {{ rows: Span | undefined, at: number }[]}
 */
function runsOf(positions) {
  if (!positions) return [{ rows: undefined, at: 0 }];
  /** @type {{ rows: [number, number], at: number }[]} */
  const runs = [];
  positions.forEach((position, at) => {
    const last = runs.at(-1);
    if (last && last.rows[0] + last.rows[1] === position) last.rows[1]++;
    else runs.push({ rows: [position, 1], at });
  });
  return runs;
}

/** Channels of some heads. @param {Span} heads @param {number} headDim @returns {Span} */
const channels = ([first, count], headDim) => [first * headDim, count * headDim];

/**
 * The edits of all entries, in their order.
 * @param {readonly Entry[]} entries
 * @param {Means | undefined} means
 * @param {ModelConfig} config
 */
export const editsOf = (entries, means, config) =>
  entries.flatMap((entry) => {
    if (entry.kind === 'temperature' || entry.kind === 'knockOut') return [];
    return runsOf(entry.positions).flatMap(({ rows, at }) =>
      editOf(entry, means, config, rows, at),
    );
  });

/**
 * @param {Exclude<Entry, { kind: 'temperature' | 'knockOut' }>} entry
 * @param {Means | undefined} means
 * @param {ModelConfig} config
 * @param {Span | undefined} rows positions; undefined: all
 * @param {number} at place of the first among the entry's positions
 * @returns {PlannedEdit[]}
 */
function editOf(entry, means, { headDim }, rows, at) {
  const { layer } = entry;
  switch (entry.kind) {
    case 'gain': {
      const columns = channels(entry.heads, headDim);
      const { gain } = entry;
      return [{ layer, point: ATTN_AT_Z, kind: ATTN_EDIT_SCALE, rows, columns, gain }];
    }
    case 'mean': {
      const columns = channels(entry.heads, headDim);
      const numbers = means?.get(entry);
      return [{ layer, point: ATTN_AT_Z, kind: ATTN_EDIT_REPLACE, rows, columns, numbers }];
    }
    case 'copy': {
      const columns = channels(entry.heads, headDim);
      const { numbers } = entry;
      const stride = columns[1];
      return [{ layer, point: ATTN_AT_Z, kind: ATTN_EDIT_RECORD, rows, columns, numbers, stride }];
    }
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
      const numbers = data.subarray(at * stride, rows && (at + rows[1]) * stride);
      return [{ layer, point, kind: ATTN_EDIT_REPLACE, rows, columns, numbers, stride }];
    }
  }
}
