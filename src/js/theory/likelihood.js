import { read, rows } from '../check.js';
import { compute, identity, numbers, positive } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** Statement 2: Theory.maximumLikelihood. @param {Memory} memory @param {any} q @param {any} k @param {any} v @param {any} options @returns {any} */
export function maximumLikelihood(memory, q, k, v, options) {
  const dim = numbers(memory, 'q', q).length;
  const { alpha = 1 / Math.sqrt(dim), beta = 1, at: place } = read('options', options, 'alpha beta at');
  positive('alpha', alpha);
  positive('beta', beta);
  const n = rows('k', numbers(memory, 'k', k), dim, 'the length of q'), valueDim = rows('v', numbers(memory, 'v', v), n, 'the number of keys');
  const at = place === undefined ? null : numbers(memory, 'at', place, valueDim, 'valueDim');
  const { report, ...arrays } = compute(memory, 'likelihood',
    { weights: n, logPrecisions: n, precisions: n, estimate: valueDim, gradient: valueDim, step: valueDim, report: 8 },
    [q, k, v, at, n, dim, valueDim, alpha, beta].map((x) => x?.data ?? x));
  const [logPrecision, variance, secondDerivative, logLikelihood] = report;
  return { ...arrays, logPrecision, variance, secondDerivative, logLikelihood, identity: identity(report) };
}
