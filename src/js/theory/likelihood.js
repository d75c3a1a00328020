import { read, rows } from '../check.js';
import { compute, identity, numbers, positive } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** Statement 2: Theory.maximumLikelihood. @param {Memory} memory @param {any} q @param {any} k @param {any} v @param {any} options @returns {any} */
export function maximumLikelihood(memory, q, k, v, options) {
  const { alpha: scale, beta = 1, at: place } = read('options', options, 'alpha beta at');
  const query = numbers(memory, 'q', q), dim = query.length, keys = numbers(memory, 'k', k), values = numbers(memory, 'v', v);
  const alpha = positive('alpha', scale === undefined ? 1 / Math.sqrt(dim) : scale);
  positive('beta', beta);
  const n = rows('k', keys, dim, 'the length of q'), valueDim = rows('v', values, n, 'the number of keys');
  const at = place === undefined ? null : numbers(memory, 'at', place, valueDim, 'valueDim');
  const { report, ...arrays } = compute(memory, 'likelihood',
    { weights: n, logPrecisions: n, precisions: n, estimate: valueDim, gradient: valueDim, step: valueDim, report: 8 },
    [query, keys, values, at, n, dim, valueDim, alpha, beta]);
  const [logPrecision, variance, secondDerivative, logLikelihood] = report;
  return { ...arrays, logPrecision, variance, secondDerivative, logLikelihood, identity: identity(report, 'v') };
}
