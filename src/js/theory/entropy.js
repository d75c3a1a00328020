import { number, read, rows } from '../check.js';
import { refuse } from '../errors.js';
import { compute, identity, numbers } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** Statement 3: Theory.maximumEntropy. @param {Memory} memory @param {any} q @param {any} k @param {any} options @returns {any} */
export function maximumEntropy(memory, q, k, options) {
  const { multipliers, target } = read('options', options, 'multipliers target');
  const query = numbers(memory, 'q', q), dim = query.length, keys = numbers(memory, 'k', k), n = rows('k', keys, dim, 'the length of q');
  if ((multipliers === undefined) === (target === undefined))
    refuse('ARG', 'options', multipliers === undefined ? 'without both' : 'given both', 'either multipliers or a target');
  const each = typeof multipliers === 'number' ? new Float64Array(n).fill(multipliers) : multipliers;
  const lambda = each === undefined ? null : numbers(memory, 'multipliers', each, n, 'the number of keys');
  const { weights, features } = compute(memory, 'maxent_weigh', { weights: n, features: n }, [query, keys, lambda, n, dim]);
  if (lambda) return { weights, features };
  const solved = compute(memory, 'maxent_solve', { weights: n, report: 7 }, [features, n, number('target', target)],
    { refused: ['target', target, 'between the least and the largest ⟨q, k⟩'] });
  const [multiplier, entropy, iterations] = solved.report;
  return { weights: solved.weights, features, multiplier, entropy, iterations, identity: identity(solved.report, 'target') };
}
