/** The temperatures of a model's heads, by layer and head. */
import { integer, number } from '../../check.js';
import { refuse } from '../../errors.js';

/** @typedef {import('../types.d.ts').ModelConfig} ModelConfig */

/** Where a head is. @param {ModelConfig} config @param {number} layer @param {number} head */
export const indexOfHead = ({ layers, heads }, layer, head) =>
  integer('layer', layer, 0, layers - 1) * heads + integer('head', head, 0, heads - 1);

/**
 * A copy with another temperature for some heads.
 * @param {Float64Array} temperatures
 * @param {ModelConfig} config
 * @param {number} temperature
 * @param {number} [layer] default all
 * @param {number} [head] default all of the layer
 */
export function changed(temperatures, config, temperature, layer, head) {
  const { layers, heads } = config;
  if (!(number('temperature', temperature) >= 0))
    refuse('RANGE', 'temperature', temperature, 'a number of at least 0');
  if (layer !== undefined) integer('layer', layer, 0, layers - 1);
  else if (head !== undefined)
    refuse('ARG', 'head', 'given without a layer', 'both, or neither for all heads');
  if (head !== undefined) integer('head', head, 0, heads - 1);
  const first = (layer ?? 0) * heads + (head ?? 0);
  const count = head !== undefined ? 1 : layer !== undefined ? heads : layers * heads;
  return temperatures.slice().fill(temperature, first, first + count);
}
