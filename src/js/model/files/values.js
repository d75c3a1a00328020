import { describe, refuse } from '../../errors.js';

/**
 * Values that a configuration is made of. A file may hold anything in their place, so they are
 * checked as a whole afterwards, in config.js.
 *
 * @callback Get the value of a key, or another where the file has none
 * @param {string} key
 * @param {unknown} [otherwise]
 * @returns {any}
 */

/** How many layers a model may have. */
export const MAX_LAYERS = 1024;

/**
 * Every `period`-th layer sees everything, those between see the window.
 * @param {unknown} layers
 * @param {number} period
 * @returns {boolean[]}
 */
export function everyNth(layers, period) {
  const valid =
    typeof layers === 'number' && Number.isInteger(layers) && layers > 0 && layers <= MAX_LAYERS;
  return Array.from({ length: valid ? layers : 0 }, (_, layer) => (layer + 1) % period !== 0);
}

/**
 * The quotient of two values, NaN where they are not numbers.
 * @param {unknown} a
 * @param {unknown} b
 */
export const ratio = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a / b : NaN);

/**
 * The value of a key, where there is such a key.
 * @param {Get} get
 * @param {string | null} key
 * @param {unknown} otherwise
 */
export const optional = (get, key, otherwise) => (key === null ? otherwise : get(key, otherwise));

/**
 * The factor of an embedding.
 * @param {boolean} scaled
 * @param {unknown} modelDim
 */
export const embeddingScale = (scaled, modelDim) =>
  scaled ? Math.fround(Math.sqrt(ratio(modelDim, 1))) : 1;

/** @param {string} name @param {unknown} period @param {string} expected @returns {number} */
export const checkedPeriod = (name, period, expected) =>
  typeof period === 'number' && Number.isInteger(period) && period > 0
    ? period
    : refuse('FORMAT', name, describe(period), expected);

/** The names of each activation; the first is the usual one. */
const ACTIVATIONS = {
  silu: ['silu', 'swish'],
  gelu_tanh: ['gelu_pytorch_tanh', 'gelu_tanh'],
};

/**
 * Refuses another activation than that of the architecture.
 * @param {string} name
 * @param {unknown} given
 * @param {keyof typeof ACTIVATIONS} kind
 */
export function checkActivation(name, given, kind) {
  const names = ACTIVATIONS[kind];
  if (!names.includes(/** @type {string} */ (given ?? names[0])))
    refuse('FORMAT', name, describe(given), names[0]);
}
