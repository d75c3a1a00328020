import { number, read, rows } from '../check.js';
import { shaped } from '../engine/shapes.js';
import { refuse } from '../errors.js';
import { likelihoodReport, maxentReport } from './reports.js';
import { compute, identity, numbers, positive, vector } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/**
 * Statement 2: Theory.maximumLikelihood.
 * @type {Statement<'maximumLikelihood'>}
 */
export function maximumLikelihood(memory, q, k, v, options) {
  const { alpha: scale, beta = 1, at: place } = read('options', options, ['alpha', 'beta', 'at']);
  const query = vector(memory, 'q', q);
  const dim = query.length;
  const keys = numbers(memory, 'k', k);
  const values = numbers(memory, 'v', v);
  const alpha = positive('alpha', scale === undefined ? 1 / Math.sqrt(dim) : scale);
  positive('beta', beta);
  const n = rows('k', keys, dim, 'the length of q');
  const valueDim = rows('v', values, n, 'the number of keys');
  const at = place === undefined ? null : vector(memory, 'at', place, valueDim, 'valueDim');
  shaped('k', k, { n, dim });
  shaped('v', v, { n, valueDim });
  const { report, ...arrays } = compute(
    memory,
    {
      weights: n,
      logPrecisions: n,
      precisions: n,
      estimate: valueDim,
      gradient: valueDim,
      step: valueDim,
      report: likelihoodReport,
    },
    (to, put) =>
      memory.c.attn_likelihood(
        to.weights,
        to.logPrecisions,
        to.precisions,
        to.estimate,
        to.gradient,
        to.step,
        to.report,
        put(query),
        put(keys),
        put(values),
        put(at),
        n,
        dim,
        valueDim,
        alpha,
        beta,
      ),
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
 * @type {Statement<'maximumEntropy'>}
 */
export function maximumEntropy(memory, q, k, options) {
  const { multipliers, target } = read('options', options, ['multipliers', 'target']);
  const query = vector(memory, 'q', q);
  const dim = query.length;
  const keys = numbers(memory, 'k', k);
  const n = rows('k', keys, dim, 'the length of q');
  shaped('k', k, { n, dim });
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
    each === undefined ? null : vector(memory, 'multipliers', each, n, 'the number of keys');
  const { weights, features } = compute(memory, { weights: n, features: n }, (at, put) =>
    memory.c.attn_maxent_weigh(at.weights, at.features, put(query), put(keys), put(lambda), n, dim),
  );
  // with multipliers there is no target, and nothing to solve
  if (lambda) return /** @type {any} */ ({ weights, features });
  const expected = number('target', target);
  const solved = compute(
    memory,
    { weights: n, report: maxentReport },
    (at, put) => memory.c.attn_maxent_solve(at.weights, at.report, put(features), n, expected),
    ['target', target, 'between the smallest and the largest product of q and a key'],
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
