import { attention } from '../attention/attention.js';
import { integer, number, read, rows, sized, yes } from '../check.js';
import { refuse } from '../errors.js';
import { STATUS } from '../engine/status.js';
import { F32, typeOf } from '../engine/memory.js';
import { finite } from './run.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').DType} DType
 */

/**
 * The shape of the inputs, and statement 6's results.
 * @param {Memory} memory
 * @param {any} q
 * @param {any} k
 * @param {any} v
 * @param {any} options
 * @returns {[DType, [number, number, number, number, number], any]}
 */
function smooth(memory, q, k, v, options) {
  const {
    headDim,
    valueDim = headDim,
    temperature = 1,
    restoreKeyNorm,
  } = read('options', options, 'headDim valueDim temperature restoreKeyNorm');
  const type = typeOf(memory.floats('q', q));
  const valued = v !== undefined && v !== null;
  integer('headDim', headDim, 1);
  integer('valueDim', valueDim, 1);
  number('temperature', temperature);
  const restore = yes('restoreKeyNorm', restoreKeyNorm);
  const m = rows('q', q, headDim, 'headDim');
  const n = rows('k', memory.floats('k', k, type), headDim, 'headDim');
  /** @type {[number, number, number, number, number]} */
  const shape = [m, n, headDim, valueDim, temperature];
  if (valued) sized('v', memory.floats('v', v, type), n * valueDim, 'n*valueDim');
  finite('q', q);
  finite('k', k);
  if (valued) finite('v', v);
  return memory.scope(() => {
    const weights = memory.pushArray(type, m * n);
    const output = valued ? memory.pushArray(type, m * valueDim) : 0;
    const { attn_gaussian_f32, attn_gaussian_f64 } = memory.c;
    const gaussian = type === F32 ? attn_gaussian_f32 : attn_gaussian_f64;
    const status = gaussian(
      weights,
      output,
      memory.put(q, type),
      memory.put(k, type),
      valued ? memory.put(v, type) : 0,
      ...shape,
      restore,
    );
    if (status) refuse(STATUS[status], 'temperature', temperature, 'finite, > 0');
    const sigma2 = memory.c.attn_gaussian_sigma2(headDim, temperature);
    return [
      type,
      shape,
      {
        weights: memory.copy(type, weights, m * n),
        output: valued ? memory.copy(type, output, m * valueDim) : undefined,
        sigma2,
        bandwidth: Math.sqrt(sigma2),
      },
    ];
  });
}

/**
 * Statement 6: Theory.gaussianWeights.
 * @param {[Memory, any, any, any, any]} given
 * @returns {any}
 */
export const gaussianWeights = (...given) => smooth(...given)[2];

/**
 * Statement 6: Theory.kernelEquivalence.
 * @param {Memory} memory
 * @param {any} q
 * @param {any} k
 * @param {any} v
 * @param {any} options
 */
export function kernelEquivalence(memory, q, k, v, options) {
  const [type, shape, gaussian] = smooth(memory, q, k, v, options);
  const [, , headDim, valueDim, temperature] = shape;
  const softmax = /** @type {any} */ (
    attention(memory, q, k, v, { headDim, valueDim, temperature, want: { weights: true } })
  );
  return memory.scope(() => {
    const report = memory.pushArray('float64', 10);
    const put = (/** @type {any} */ x) => memory.put(x, type);
    memory.c.attn_gaussian_compare(
      report,
      put(softmax.weights),
      put(gaussian.weights),
      put(softmax.output),
      put(gaussian.output),
      put(q),
      put(k),
      put(v),
      ...shape,
      +(type === 'float64'),
    );
    const [weights, output] = [0, 5].map((x) => {
      const [max, frobenius, allowed, allowedFrobenius, ratio] = memory
        .view('float64', report, 10)
        .subarray(x);
      return { max, frobenius, allowed, allowedFrobenius, ratio };
    });
    return {
      sigma2: gaussian.sigma2,
      weights,
      output,
      holds: weights.ratio <= 1 && output.ratio <= 1,
    };
  });
}
