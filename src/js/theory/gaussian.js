import { attention } from '../attention.js';
import { choice, integer, number, read, rows, sized } from '../check.js';
import { STATUS, refuse } from '../errors.js';
import { typeOf } from '../memory.js';
import { finite } from './run.js';

/** @typedef {import('../memory.js').Memory} Memory */

/** @param {Memory} memory @param {any} q @param {any} k @param {any} v @param {any} options */
function inputs(memory, q, k, v, options) {
  const { headDim, valueDim = headDim, temperature = 1, restoreKeyNorm } = read('options', options, 'headDim valueDim temperature restoreKeyNorm');
  const type = typeOf(memory.floats('q', q));
  integer('headDim', headDim, 1);
  integer('valueDim', valueDim, 1);
  number('temperature', temperature);
  const restore = choice('restoreKeyNorm', restoreKeyNorm, false, true);
  const m = rows('q', q, headDim, 'headDim'), n = rows('k', memory.floats('k', k, type), headDim, 'headDim');
  const valued = v !== undefined && v !== null;
  if (valued) sized('v', memory.floats('v', v, type), n * valueDim, 'n*valueDim');
  Object.entries({ q, k, ...(valued && { v }) }).forEach(([name, x]) => finite(name, x));
  return { valued, type, m, n, headDim, valueDim, temperature, restore };
}

/** Statement 6: Theory.gaussianWeights. @param {Memory} memory @param {any} q @param {any} k @param {any} v @param {any} options @returns {any} */
export function gaussianWeights(memory, q, k, v, options) {
  const { valued, type, m, n, headDim, valueDim, temperature, restore } = inputs(memory, q, k, v, options);
  return memory.scope(() => {
    const weights = memory.room(type, m * n), output = memory.room(type, m * valueDim);
    const status = memory.callTyped('gaussian', type, weights, valued ? output : 0,
      ...[q, k, v].map((x) => x ? memory.put(x, type) : 0), m, n, headDim, valueDim, temperature, restore);
    if (status) refuse(STATUS[status], 'temperature', temperature, 'finite, > 0');
    const sigma2 = memory.call('gaussian_sigma2', headDim, temperature);
    return {
      weights: memory.copy(type, weights, m * n),
      output: valued ? memory.copy(type, output, m * valueDim) : undefined,
      sigma2,
      bandwidth: Math.sqrt(sigma2),
    };
  });
}

/** Statement 6: Theory.kernelEquivalence. @param {Memory} memory @param {any} q @param {any} k @param {any} v @param {any} options */
export function kernelEquivalence(memory, q, k, v, options) {
  const { type, m, n, headDim, valueDim, temperature } = inputs(memory, q, k, v, options);
  const gaussian = gaussianWeights(memory, q, k, v, options);
  const softmax = /** @type {any} */ (attention(memory, q, k, v, { headDim, valueDim, temperature, want: { weights: true } }));
  return memory.scope(() => {
    const report = memory.room('float64', 10);
    const at = [softmax.weights, gaussian.weights, softmax.output, gaussian.output, q, k, v].map((x) => memory.put(x, type));
    memory.call('gaussian_compare', report, ...at, m, n, headDim, valueDim, temperature, +(type === 'float64'));
    const [weights, output] = [0, 5].map((x) => {
      const [max, frobenius, allowed, allowedFrobenius, ratio] = memory.view('float64', report, 10).subarray(x);
      return { max, frobenius, allowed, allowedFrobenius, ratio };
    });
    return { sigma2: gaussian.sigma2, weights, output, holds: weights.ratio <= 1 && output.ratio <= 1 };
  });
}
