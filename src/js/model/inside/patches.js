/** Interventions that replace activations by those of another run. */
import { array, choice, integer, list } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { columnsOf } from './columns.js';
import { float } from './floats.js';
import { distinct, ordered } from './options.js';
import { POINTS, widthOf } from './points.js';
import { firstSeen, rowOf } from './rows.js';

/**
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./entries.js').Span} Span
 * @typedef {import('./points.js').Point} Point
 */

/**
 * @param {Record<string, unknown>} o
 * @param {string} name
 * @param {ModelConfig} config
 * @param {{ layer: number, heads: Span }} place
 * @returns {import('./entries.js').Replace | import('./entries.js').Rows}
 */
export function readPatch(o, name, config, { layer, heads }) {
  choice(`${name}.patch`, o.patch, ...Object.keys(POINTS), 'pattern');
  const what = /** @type {Point | 'pattern'} */ (o.patch);
  const from = readTrace(o.from, what, name, config);
  const layerAt = from.layers.indexOf(layer);
  if (layerAt < 0)
    refuse('RANGE', `${name}.from`, `of the layers ${from.layers.join(' ')}`, `layer ${layer} too`);
  if (o.positions === undefined && from.length === undefined)
    refuse('ARG', `${name}.from`, 'without tokens', 'a trace with tokens, or positions to patch');
  const positions =
    o.positions === undefined
      ? [...from.positions].sort((a, b) => a - b)
      : ordered(`${name}.positions`, o.positions, config.context);
  const rows = positions.map((position) => {
    const row = from.positions.indexOf(position);
    return row < 0
      ? refuse('RANGE', `${name}.positions`, position, 'positions that the trace has')
      : row;
  });
  const count = from.positions.length;
  if (what === 'pattern') {
    const first = firstSeen(config, layer);
    const all = Array.from({ length: heads[1] }, (_, h) =>
      positions.map((position, x) => {
        const at = ((layerAt * config.heads + heads[0] + h) * count + rows[x]) * from.width;
        const row = Array.from({ length: from.width }, (__, key) => from.data[at + key]);
        return rowOf(row, `${name}.from.pattern`, position, first(position));
      }),
    );
    return { kind: 'rows', layer, heads, positions, rows: all.flat() };
  }
  const columns = columnsOf(o.head, what, heads, name, config);
  const data = new Float32Array(positions.length * columns[1]);
  rows.forEach((row, x) => {
    const first = (layerAt * count + row) * from.width + columns[0];
    for (let c = 0; c < columns[1]; c++) {
      const at = first + c;
      data[x * columns[1] + c] = float(`${name}.from.${what}[${at}]`, from.data[at]);
    }
  });
  return { kind: 'replace', layer, point: POINTS[what], columns, positions, data };
}

/**
 * A trace, or an object with the same members, in which arrays may stand for typed arrays. Only
 * those that are needed are looked at.
 * @param {unknown} given
 * @param {Point | 'pattern'} what
 * @param {string} name
 * @param {ModelConfig} config
 */
function readTrace(given, what, name, config) {
  if (!given || typeof given !== 'object')
    refuse('ARG', `${name}.from`, describe(given), 'a trace of this model');
  const trace = /** @type {Record<string, unknown>} */ (given);
  const { tokens, [what]: recorded } = trace;
  if (recorded === undefined)
    refuse('ARG', `${name}.from`, `without ${what}`, `a trace with ${what}`);
  const layers = list(`${name}.from.layers`, trace.layers).map((layer, x) =>
    integer(`${name}.from.layers[${x}]`, layer, 0, config.layers - 1),
  );
  const positions = distinct(`${name}.from.positions`, trace.positions, config.context);
  const data = live(`${name}.from.${what}`, recorded, 'Float32Array');
  const pattern = what === 'pattern';
  const length =
    pattern || tokens !== undefined
      ? live(`${name}.from.tokens`, tokens, 'Int32Array').length
      : undefined;
  const width = pattern ? Number(length) : widthOf(config, what);
  const size = layers.length * positions.length * width * (pattern ? config.heads : 1);
  if (data.length !== size)
    refuse('SHAPE', `${name}.from.${what}`, `of ${data.length} numbers`, `${size}, of this model`);
  return { layers, positions, data, width, length };
}

/**
 * An array, or a live typed array of this kind.
 * @param {string} name
 * @param {unknown} given
 * @param {'Float32Array' | 'Int32Array'} kind
 */
const live = (name, given, kind) =>
  /** @type {ArrayLike<unknown>} */ (Array.isArray(given) ? given : array(name, given, kind));
