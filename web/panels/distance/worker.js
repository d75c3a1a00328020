/** In the lab: both sides in both precisions, and all eight settings. */
import { bare, compare, oracleSides, truths } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {import('./compute.js').Setting} Setting */

/** @param {Engine} engine @param {Setting} setting */
export function sides(engine, setting) {
  const of = (/** @type {'float64' | 'float32'} */ precision) => {
    const found = compare(engine, setting, precision);
    const { softmaxOff, gaussianOff } = oracleSides(found, setting);
    return { ...found, softmaxOff, gaussianOff, bare: bare(found, setting, precision) };
  };
  return {
    setting,
    float64: of('float64'),
    float32: of('float32'),
    truths: truths(engine, setting),
  };
}

/** The run of the note, at its sizes. @param {Engine} engine @param {number} seed */
export function note(engine, seed) {
  const setting = { seed, T: 1, unitQueries: true, unitKeys: true, restore: false };
  return /** @type {const} */ (['float64', 'float32']).map((precision) => {
    const {
      sigma2,
      engineSays: { weights, output },
    } = compare(engine, setting, precision);
    return {
      precision,
      values: [sigma2, weights.max, weights.frobenius, output.max, output.frobenius],
    };
  });
}
