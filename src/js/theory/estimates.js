import { number, read, rows } from '../check.js';
import { refuse } from '../errors.js';
import { likelihoodReport, maxentReport } from './reports.js';
import { compute, identity, numbers, positive } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/**
 * Statement 2: Theory.maximumLikelihood.
 * @param {Memory} memory
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {unknown} options
 * @returns {unknown}
 */
export function maximumLikelihood(memory, q, k, v, options) {
  const { alpha: scale, beta = 1, at: place } = read('options', options, ['alpha', 'beta', 'at']);
  const query = numbers(memory, 'q', q);
  const dim = query.length;
  const keys = numbers(memory, 'k', k);
  const values = numbers(memory, 'v', v);
  const alpha = positive('alpha', scale === undefined ? 1 / Math.sqrt(dim) : scale);
  positive('beta', beta);
  const n = rows('k', keys, dim, 'the length of q');
  const valueDim = rows('v', values, n, 'the number of keys');
  const at = place === undefined ? null : numbers(memory, 'at', place, valueDim, 'valueDim');
  const { report, ...arrays } = compute(
    memory,
    'attn_likelihood',
    {
      weights: n,
      logPrecisions: n,
      precisions: n,
      estimate: valueDim,
      gradient: valueDim,
      step: valueDim,
    },
    [query, keys, values, at, n, dim, valueDim, alpha, beta],
    { report: likelihoodReport },
  );
  const { logPrecision, variance, secondDerivative, logLikelihood } = report;
  return {
    ...arrays,
    logPrecision,
    variance,
    secondDerivative,
    logLikelihood,
    identity: identity(report.identity, 'v'),
  };
}

/**
 * Statement 3: Theory.maximumEntropy.
 * @param {Memory} memory
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} options
 * @returns {unknown}
 */
export function maximumEntropy(memory, q, k, options) {
  const { multipliers, target } = read('options', options, ['multipliers', 'target']);
  const query = numbers(memory, 'q', q);
  const dim = query.length;
  const keys = numbers(memory, 'k', k);
  const n = rows('k', keys, dim, 'the length of q');
  if ((multipliers === undefined) === (target === undefined))
    refuse(
      'ARG',
      'options',
      multipliers === undefined ? 'without both' : 'given both',
      'either multipliers or a target',
    );
  const each =
    typeof multipliers === 'number' ? new Float64Array(n).fill(multipliers) : multipliers;
  const lambda =
    each === undefined ? null : numbers(memory, 'multipliers', each, n, 'the number of keys');
  const { weights, features } = compute(memory, 'attn_maxent_weigh', { weights: n, features: n }, [
    query,
    keys,
    lambda,
    n,
    dim,
  ]);
  if (lambda) return { weights, features };
  const solved = compute(
    memory,
    'attn_maxent_solve',
    { weights: n },
    [features, n, number('target', target)],
    {
      report: maxentReport,
      refused: ['target', target, 'between the smallest and the largest product of q and a key'],
    },
  );
  const { multiplier, entropy, iterations } = solved.report;
  return {
    weights: solved.weights,
    features,
    multiplier,
    entropy,
    iterations,
    identity: identity(solved.report.identity, 'target'),
  };
}
