/** Reads the argument `scaling` of a rotary table, which changes its frequencies. */
import { choice, number, read } from '../check.js';
import { describe, refuse } from '../errors.js';

/** @typedef {import('./rotary-table.js').Scaling} Scaling */

/**
 * A finite number above a limit.
 * @param {string} name
 * @param {unknown} x
 * @param {number} min exclusive
 */
export const above = (name, x, min) =>
  number(name, x) > min && Number(x) < Infinity
    ? Number(x)
    : refuse('RANGE', name, Number(x), `finite, above ${min}`);

/** Far beyond any model's. It keeps the factor of cos and sin finite. */
const MAX_MSCALE = 1e6;

/** The options of each kind of scaling. @type {Record<string, string[]>} */
const SCALINGS = {
  none: [],
  linear: ['factor'],
  ntk: ['factor'],
  dynamic: ['factor', 'length', 'original'],
  llama3: ['factor', 'original', 'lowFreqFactor', 'highFreqFactor'],
  yarn: [
    ...['factor', 'original', 'betaFast', 'betaSlow', 'truncate'],
    ...['attentionFactor', 'mscale', 'mscaleAllDim'],
  ],
};
const TYPES = Object.keys(SCALINGS);
const OF_SCALING = [...new Set(['type', ...Object.values(SCALINGS).flat()])];

/**
 * Scaling as an argument: its type, and only the options of that type.
 * @param {unknown} given
 * @param {number} dim
 * @returns {Scaling}
 */
export function readScaling(given, dim) {
  if (given === undefined) return { type: 'none' };
  const o = read('scaling', /** @type {Record<string, unknown>} */ (given), OF_SCALING);
  const type = /** @type {Scaling['type']} */ (o.type);
  if (!TYPES.includes(type))
    refuse('ARG', 'scaling.type', describe(type), TYPES.map(describe).join(' or '));
  for (const [name, x] of Object.entries(o))
    if (x !== undefined && name !== 'type' && !SCALINGS[type].includes(name))
      refuse('ARG', `scaling.${name}`, describe(x), `none with type "${type}"`);
  /** @param {string} name @param {number} [otherwise] @param {number} [min] */
  const value = (name, otherwise, min = 0) =>
    above(`scaling.${name}`, o[name] === undefined ? otherwise : o[name], min);
  const factor = type === 'none' ? 1 : value('factor');
  if ((type === 'ntk' || type === 'dynamic') && dim < 4) refuse('RANGE', 'dim', dim, 'at least 4');
  if (type === 'dynamic')
    return { type, factor, length: value('length'), original: value('original') };
  if (type === 'llama3') {
    const lowFreqFactor = value('lowFreqFactor', 1);
    const highFreqFactor = value('highFreqFactor', 4, lowFreqFactor);
    return { type, factor, lowFreqFactor, highFreqFactor, original: value('original') };
  }
  if (type === 'yarn') {
    const betaSlow = value('betaSlow', 1);
    const betaFast = value('betaFast', 32, betaSlow);
    const original = value('original');
    const truncate = choice('scaling.truncate', o.truncate, true, false) === 0;
    return { type, factor, betaFast, betaSlow, original, truncate, ...readAttention(o) };
  }
  return /** @type {Scaling} */ ({ type, factor });
}

/**
 * The options of YaRN that multiply cos and sin.
 * @param {Record<string, unknown>} options
 */
function readAttention({ attentionFactor, mscale, mscaleAllDim }) {
  if (mscale === undefined && mscaleAllDim === undefined)
    return attentionFactor === undefined
      ? {}
      : { attentionFactor: above('scaling.attentionFactor', attentionFactor, 0) };
  if (attentionFactor !== undefined)
    refuse(
      'ARG',
      'scaling.attentionFactor',
      describe(attentionFactor),
      'none beside mscale and mscaleAllDim',
    );
  // One of them by itself is ambiguous: transformers takes 1, DeepSeek's own code takes its value.
  const [first, second] = Object.entries({ mscale, mscaleAllDim }).map(([name, x]) => {
    const scale = number(`scaling.${name}`, x);
    return scale >= 0 && scale <= MAX_MSCALE
      ? scale
      : refuse('RANGE', `scaling.${name}`, scale, `from 0 to ${MAX_MSCALE}`);
  });
  return { mscale: first, mscaleAllDim: second };
}
