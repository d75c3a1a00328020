/** The options of a trace. */
import { elements, integer, list, read } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { RECORDS } from './points.js';

/**
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./points.js').RecordName} RecordName
 */

/** @param {ModelConfig} config */
const everyLayer = ({ layers }) => Array.from({ length: layers }, (_, layer) => layer);

/**
 * The names that are recorded, and the layers.
 * @param {unknown} given `{ record, layers }`
 * @param {ModelConfig} config
 * @param {string} name
 */
export function readRecord(given, config, name) {
  const o = read(name, /** @type {{ record: unknown, layers: unknown }} */ (given), [
    'record',
    'layers',
  ]);
  return recordOf(o.record, o.layers, config);
}

/**
 * @param {unknown} record
 * @param {unknown} layers default all
 * @param {ModelConfig} config
 */
export function recordOf(record, layers, config) {
  const names = list('record', record);
  if (!names.length) refuse('SHAPE', 'record', describe(record), `some of ${RECORDS.join(' ')}`);
  const wrong = names.findIndex((name) => !RECORDS.includes(/** @type {RecordName} */ (name)));
  if (wrong >= 0)
    refuse('ARG', `record[${wrong}]`, describe(names[wrong]), RECORDS.map(describe).join(' or '));
  return {
    names: /** @type {RecordName[]} */ ([...new Set(names)]),
    layers: layers === undefined ? everyLayer(config) : ordered('layers', layers, config.layers),
  };
}

/**
 * Integers below `end`, each once, in order.
 * @param {string} name
 * @param {unknown} given
 * @param {number} end
 */
export const ordered = (name, given, end) =>
  [...new Set(integers(name, given, end))].sort((a, b) => a - b);

/**
 * The same in the order that is given, which other numbers share. Refuses one that comes twice.
 * @param {string} name
 * @param {unknown} given
 * @param {number} end
 */
export function distinct(name, given, end) {
  const numbers = integers(name, given, end);
  const seen = new Set();
  numbers.forEach((x, at) => {
    if (seen.size === seen.add(x).size) refuse('RANGE', `${name}[${at}]`, x, 'each position once');
  });
  return numbers;
}

/** @param {string} name @param {unknown} given @param {number} end */
function integers(name, given, end) {
  const items = elements(name, given, 'an array');
  if (!items.length) refuse('SHAPE', name, 'empty', 'at least one');
  return items.map((item, at) => integer(`${name}[${at}]`, item, 0, end - 1));
}
