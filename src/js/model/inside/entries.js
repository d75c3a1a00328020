/**
 * The entries of `model.intervene`, read and checked. Each has one key that says its kind.
 *
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./types.d.ts').Intervention} Intervention
 * @typedef {readonly [number, number]} Span the first and their number
 * @typedef {readonly number[] | null} Positions in order; null: all
 *
 * @typedef {{ kind: 'gain', layer: number, heads: Span, gain: number, positions: Positions }} Gain
 * @typedef {{ kind: 'mean', layer: number, heads: Span, positions: Positions }} Mean
 * @typedef {{ kind: 'knockOut', layer: number, heads: Span, queries: Positions, keys: Positions }}
 *   KnockOut
 * @typedef {{ kind: 'shape', layer: number, heads: Span, shape: string, positions: Positions }}
 *   Shape
 * @typedef {{ kind: 'rows', layer: number, heads: Span, positions: readonly number[], rows:
 *   Float32Array[] }} Rows of each head, one for each position: head by head
 * @typedef {{ kind: 'temperature', layers: Span, heads: Span, temperature: number }} Temperature
 * @typedef {{ kind: 'add', layer: number, point: number, columns: Span, vector: Float32Array, gain:
 *   number, positions: Positions }} Add
 * @typedef {{ kind: 'replace', layer: number, point: number, columns: Span, positions: readonly
 *   number[], data: Float32Array }} Replace
 * @typedef {{ kind: 'copy', layer: number, heads: Span, positions: readonly number[], numbers:
 *   Float32Array }} Copy of z at neighbouring positions, (positions, heads, headDim). It stands in
 *   the place of a mean that is measured. A pass fills the numbers
 * @typedef {Gain | Mean | Copy | KnockOut | Shape | Rows | Temperature | Add | Replace} Entry
 */
import { choice, integer, list, number, read } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { columnsOf } from './columns.js';
import { float, floats } from './floats.js';
import { ordered } from './options.js';
import { readPatch } from './patches.js';
import { POINTS } from './points.js';
import { readRows } from './rows.js';

/** Keys that say the kind, and the others of each kind. */
const KINDS = {
  gain: ['layer', 'head', 'positions'],
  knockOut: ['layer', 'head'],
  pattern: ['layer', 'head', 'positions'],
  temperature: ['layer', 'head'],
  add: ['layer', 'head', 'at', 'gain', 'positions'],
  patch: ['layer', 'head', 'from', 'positions'],
};
const NAMES = [...new Set([...Object.keys(KINDS), ...Object.values(KINDS).flat()])];
const SHAPES = ['uniform', 'previous', 'first'];

/**
 * @param {unknown} given
 * @param {ModelConfig} config
 * @returns {Entry[]}
 */
export const readEntries = (given, config) =>
  Array.from(list('interventions', given), (entry, at) =>
    readEntry(entry, `interventions[${at}]`, config),
  );

/** @param {Record<string, unknown>} o @param {string} name @returns {keyof typeof KINDS} */
function kindOf(o, name) {
  const kinds = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS));
  const given = kinds.filter((kind) => o[kind] !== undefined);
  const [kind] = given.length > 1 ? given.filter((each) => each !== 'gain') : given;
  if (!kind) refuse('ARG', name, 'without a kind', `one of ${kinds.join(' ')}`);
  for (const key of Object.keys(o))
    if (o[key] !== undefined && key !== kind && !KINDS[kind].includes(key))
      refuse('ARG', name, `given ${key} with ${kind}`, `only ${KINDS[kind].join(' ')} beside it`);
  return kind;
}

/**
 * @param {unknown} given
 * @param {string} name
 * @param {ModelConfig} config
 * @returns {Entry}
 */
function readEntry(given, name, config) {
  if (given === undefined) refuse('ARG', name, describe(given), 'an object');
  const o = read(name, /** @type {Record<string, unknown>} */ (given), NAMES);
  const kind = kindOf(o, name);
  if (kind === 'temperature') return readTemperature(o, name, config);
  const layer = integer(`${name}.layer`, o.layer, 0, config.layers - 1);
  const heads = headsOf(o.head, name, config);
  switch (kind) {
    case 'gain':
      return readGain(o, name, config, { layer, heads });
    case 'knockOut':
      return { kind, layer, heads, ...readEdges(o.knockOut, `${name}.knockOut`, config) };
    case 'pattern':
      if (typeof o.pattern !== 'string')
        return readRows(o.pattern, o.positions, name, config, { layer, heads });
      choice(`${name}.pattern`, o.pattern, ...SHAPES);
      return {
        kind: 'shape',
        layer,
        heads,
        shape: o.pattern,
        positions: positionsOf(o, name, config),
      };
    case 'add':
      return readAdd(o, name, config, { layer, heads });
    default:
      return readPatch(o, name, config, { layer, heads });
  }
}

/** @param {unknown} head default all @param {string} name @param {ModelConfig} config */
const headsOf = (head, name, { heads }) =>
  /** @type {Span} */ (
    head === undefined ? [0, heads] : [integer(`${name}.head`, head, 0, heads - 1), 1]
  );

/**
 * @param {{ positions?: unknown }} o
 * @param {string} name
 * @param {ModelConfig} config
 * @returns {Positions}
 */
const positionsOf = ({ positions }, name, { context }) =>
  positions === undefined ? null : ordered(`${name}.positions`, positions, context);

/**
 * @param {Record<string, unknown>} o
 * @param {string} name
 * @param {ModelConfig} config
 * @param {{ layer: number, heads: Span }} place
 * @returns {Gain | Mean}
 */
function readGain(o, name, config, place) {
  const positions = positionsOf(o, name, config);
  if (o.gain === 'mean') return { kind: 'mean', ...place, positions };
  if (typeof o.gain === 'string')
    refuse('ARG', `${name}.gain`, describe(o.gain), "a number or 'mean'");
  return { kind: 'gain', ...place, gain: float(`${name}.gain`, o.gain), positions };
}

/** @param {unknown} given @param {string} name @param {ModelConfig} config */
function readEdges(given, name, { context }) {
  const { queries, keys } = read(name, /** @type {{ queries: unknown, keys: unknown }} */ (given), [
    'queries',
    'keys',
  ]);
  const of = (/** @type {string} */ key, /** @type {unknown} */ x) =>
    x === undefined ? null : ordered(`${name}.${key}`, x, context);
  return { queries: of('queries', queries), keys: of('keys', keys) };
}

/**
 * @param {Record<string, unknown>} o
 * @param {string} name
 * @param {ModelConfig} config
 * @returns {Temperature}
 */
function readTemperature(o, name, config) {
  const temperature = number(`${name}.temperature`, o.temperature);
  if (!(temperature >= 0))
    refuse('RANGE', `${name}.temperature`, temperature, 'a number of at least 0');
  if (o.layer === undefined && o.head !== undefined)
    refuse('ARG', `${name}.head`, 'given without a layer', 'both, or neither for all heads');
  /** @type {Span} */
  const layers =
    o.layer === undefined
      ? [0, config.layers]
      : [integer(`${name}.layer`, o.layer, 0, config.layers - 1), 1];
  return { kind: 'temperature', layers, heads: headsOf(o.head, name, config), temperature };
}

/**
 * @param {Record<string, unknown>} o
 * @param {string} name
 * @param {ModelConfig} config
 * @param {{ layer: number, heads: Span }} place
 * @returns {Add}
 */
function readAdd(o, name, config, { layer, heads }) {
  const { at = 'resid_pre', gain = 1 } = o;
  choice(`${name}.at`, at, ...Object.keys(POINTS));
  const point = /** @type {import('./points.js').Point} */ (at);
  const columns = columnsOf(o.head, point, heads, name, config);
  const vector = floats(`${name}.add`, o.add);
  if (vector.length !== columns[1])
    refuse('SHAPE', `${name}.add`, `of ${vector.length} numbers`, `${columns[1]} of them`);
  const factor = float(`${name}.gain`, gain);
  vector.forEach((x, c) => float(`${name}.add[${c}] times ${name}.gain`, factor * x));
  return {
    kind: 'add',
    layer,
    point: POINTS[point],
    columns,
    vector,
    gain: factor,
    positions: positionsOf(o, name, config),
  };
}
