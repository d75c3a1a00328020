/** Interventions that replace rows of attention by given ones. */
import { elements, integer, number } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { distinct } from './options.js';

/**
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./entries.js').Span} Span
 */

/** The sum of a row may differ from 1 by this much: rows are normalised. */
const TOLERANCE = 1e-3;

/** The first key that a layer sees. @param {ModelConfig} config @param {number} layer */
export const firstSeen = ({ localLayers, slidingWindow }, layer) =>
  localLayers[layer] && slidingWindow
    ? (/** @type {number} */ position) => Math.max(0, position - slidingWindow + 1)
    : () => 0;

/**
 * Checks a row of weights.
 * @param {unknown} given
 * @param {string} name
 * @param {number} position
 * @param {number} first key that is seen
 * @returns {Float32Array} of its position and those before
 */
export function rowOf(given, name, position, first) {
  const weights = elements(name, given, 'an array of weights');
  if (weights.length < position + 1)
    refuse('SHAPE', name, `of ${weights.length} weights`, `at least ${position + 1}`);
  let sum = 0;
  weights.forEach((x, key) => {
    const weight = number(`${name}[${key}]`, x);
    if (!(weight >= 0 && weight <= 1 + TOLERANCE))
      refuse('RANGE', `${name}[${key}]`, weight, 'a weight from 0 to 1');
    if (weight > 0 && (key > position || key < first))
      refuse('RANGE', `${name}[${key}]`, weight, `0, which position ${position} does not see`);
    sum += weight;
  });
  if (Math.abs(sum - 1) > TOLERANCE) refuse('RANGE', `the sum of ${name}`, sum, '1');
  return Float32Array.from(/** @type {number[]} */ (weights.slice(0, position + 1)));
}

/**
 * @param {unknown} given a row for each position, in their order
 * @param {unknown} positions default 0, 1, …
 * @param {string} name
 * @param {ModelConfig} config
 * @param {{ layer: number, heads: Span }} place
 * @returns {import('./entries.js').Rows}
 */
export function readRows(given, positions, name, config, { layer, heads }) {
  if (!Array.isArray(given))
    refuse('ARG', `${name}.pattern`, describe(given), 'uniform, previous, first, or rows');
  integer(`the rows of ${name}.pattern`, given.length, 1, config.context);
  const at =
    positions === undefined
      ? [...given.keys()]
      : distinct(`${name}.positions`, positions, config.context);
  if (at.length !== given.length)
    refuse('SHAPE', `${name}.pattern`, `of ${given.length} rows`, `${at.length}, as positions`);
  const first = firstSeen(config, layer);
  const read = at.map((position, x) => ({
    position,
    row: rowOf(given[x], `${name}.pattern[${x}]`, position, first(position)),
  }));
  read.sort((a, b) => a.position - b.position);
  const rows = read.map(({ row }) => row);
  const every = Array.from({ length: heads[1] }, () => rows).flat();
  return { kind: 'rows', layer, heads, positions: read.map((each) => each.position), rows: every };
}
