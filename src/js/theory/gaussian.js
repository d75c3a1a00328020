import { attention } from '../attention/attention.js';
import { integer, number, read, rows, sized, yes } from '../check.js';
import { refuse } from '../errors.js';
import { F32, typeOf } from '../engine/tensor.js';
import { shaped } from '../engine/shapes.js';
import { STATUS } from '../engine/status.js';
import { gaussianReport } from './reports.js';
import { finite } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */
/** @typedef {import('./run.js').Memory} Memory */

/**
 * The inputs as plain arrays, their shape, and the results of statement 6.
 * @param {Memory} memory
 * @param {unknown} queries
 * @param {unknown} keys
 * @param {unknown} values
 * @param {import('./types.d.ts').GaussianOptions} options
 */
function smooth(memory, queries, keys, values, options) {
  const {
    headDim,
    valueDim = headDim,
    temperature = 1,
    restoreKeyNorm,
  } = read('options', options, ['headDim', 'valueDim', 'temperature', 'restoreKeyNorm']);
  const q = memory.floats('q', queries);
  const type = typeOf(q);
  integer('headDim', headDim, 1);
  integer('valueDim', valueDim, 1);
  number('temperature', temperature);
  const restore = yes('restoreKeyNorm', restoreKeyNorm);
  const m = rows('q', q, headDim, 'headDim');
  const k = memory.floats('k', keys, type);
  const n = rows('k', k, headDim, 'headDim');
  const v = values === undefined || values === null ? null : memory.floats('v', values, type);
  if (v) sized('v', v, n * valueDim, 'n*valueDim');
  shaped('q', queries, { m, headDim });
  shaped('k', keys, { n, headDim });
  shaped('v', values, { n, valueDim });
  finite('q', q);
  finite('k', k);
  if (v) finite('v', v);
  return memory.scope(() => {
    const weights = memory.pushArray(type, m * n);
    const output = v ? memory.pushArray(type, m * valueDim) : 0;
    const { attn_gaussian_f32, attn_gaussian_f64 } = memory.c;
    const gaussian = type === F32 ? attn_gaussian_f32 : attn_gaussian_f64;
    const status = gaussian(
      weights,
      output,
      memory.put(q, type),
      memory.put(k, type),
      v ? memory.put(v, type) : 0,
      m,
      n,
      headDim,
      valueDim,
      temperature,
      restore,
    );
    if (status) refuse(STATUS[status], 'temperature', temperature, 'finite, > 0');
    const sigma2 = memory.c.attn_gaussian_sigma2(headDim, temperature);
    return {
      inputs: [q, k, v],
      type,
      shape: { m, n, headDim, valueDim, temperature },
      result: {
        weights: memory.copy(type, weights, m * n),
        output: v ? memory.copy(type, output, m * valueDim) : undefined,
        sigma2,
        bandwidth: Math.sqrt(sigma2),
      },
    };
  });
}

/**
 * Statement 6: Theory.gaussianWeights.
 * @type {Statement<'gaussianWeights'>}
 */
export const gaussianWeights = (memory, queries, keys, values, options) =>
  smooth(memory, queries, keys, values, options).result;

/**
 * Statement 6: Theory.kernelEquivalence.
 * @type {Statement<'kernelEquivalence'>}
 */
export function kernelEquivalence(memory, queries, keys, values, options) {
  const { inputs, type, shape, result: gaussian } = smooth(memory, queries, keys, values, options);
  const { m, n, headDim, valueDim, temperature } = shape;
  const [q, k, v] = /** @type {import('../engine/tensor.js').Floats[]} */ (inputs);
  const softmax = /** @type {any} */ (
    attention(memory.kernels, q, k, v, { headDim, valueDim, temperature, want: { weights: true } })
  );
  return memory.scope(() => {
    const report = memory.pushArray('float64', gaussianReport.doubles);
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
      m,
      n,
      headDim,
      valueDim,
      temperature,
      +(type === 'float64'),
    );
    const doubles = memory.view('float64', report, gaussianReport.doubles);
    const { weights, output } = gaussianReport.read(doubles);
    return {
      sigma2: gaussian.sigma2,
      weights,
      output,
      holds: weights.ratio <= 1 && output.ratio <= 1,
    };
  });
}
