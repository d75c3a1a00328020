import { integer, read } from '../check.js';
import { compute } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** Statement 13: Theory.scaleExperiment. @param {Memory} memory @param {any} options @returns {any} */
export function scaleExperiment(memory, options) {
  const { headDim, samples = 1000, keys = 32, seed = 1 } = read('options', options, 'headDim samples keys seed');
  const sizes = Object.entries({ headDim, samples, keys }).map(([name, x]) => integer(name, x, 1, 1 << 24));
  const { report } = compute(memory, 'scale_experiment', { report: 7 }, [...sizes, integer('seed', seed, 0, 2 ** 32 - 1)], { scratch: 2 * headDim + 2 * keys });
  const [variance, standardError, scaledVariance, budget, gradient, scaledBudget, scaledGradient] = report;
  return { expected: headDim, variance, standardError, scaledVariance, unscaled: { budget, gradient }, scaled: { budget: scaledBudget, gradient: scaledGradient } };
}

/** Theory.normal. @param {Memory} memory @param {any} length @param {any} options @returns {Float64Array} */
export function normal(memory, length, options) {
  const { seed = 1 } = read('options', options, 'seed'), count = integer('length', length, 0, 1 << 28);
  return compute(memory, 'random_normal', { x: count }, [count, integer('seed', seed, 0, 2 ** 32 - 1)]).x;
}
