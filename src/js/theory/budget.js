import { integer, number, read } from '../check.js';
import { refuse } from '../errors.js';
import { compute, identity, numbers } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** @type {{ refused: [string, string, string] }} */
const WIDE = { refused: ['z', 'too wide', 'a finite distance of the least from the largest'] };

/** Statement 4: Theory.klBudget. @param {Memory} memory @param {any} z @param {any} rho @returns {any} */
export function klBudget(memory, z, rho) {
  const logits = numbers(memory, 'z', z), n = logits.length;
  if (!(number('rho', rho) >= 0)) refuse('RANGE', 'rho', rho, '≥ 0');
  const { weights, report } = compute(memory, 'budget_solve', { weights: n, report: 10 }, [logits, n, rho], WIDE);
  const [beta, rhoMax, spent, expectedScore, variance, iterations] = report;
  return { beta, temperature: 1 / beta, weights, rho: spent, rhoMax, expectedScore, variance, iterations, identity: identity(report, 'z') };
}

/** Statement 4: Theory.klFrontier. @param {Memory} memory @param {any} z @param {any} options @returns {any} */
export function klFrontier(memory, z, options) {
  const { points = 65 } = read('options', options, 'points'), logits = numbers(memory, 'z', z), n = logits.length;
  integer('points', points, 2, 1 << 20);
  return compute(memory, 'budget_frontier', { rho: points, beta: points, expectedScore: points }, [logits, n, points], { scratch: n, ...WIDE });
}

/** Statement 5: Theory.rhoEffective. @param {Memory} memory @param {any} z @param {any} options @returns {any} */
export function rhoEffective(memory, z, options) {
  const { temperature = 1 } = read('options', options, 'temperature'), logits = numbers(memory, 'z', z), n = logits.length;
  const { weights, report } = compute(memory, 'budget_spent', { weights: n, report: 9 }, [logits, n, number('temperature', temperature)],
    { refused: ['temperature', temperature, 'finite, > 0'] });
  const [rho, entropy, effectiveKeys, expectedScore, lse] = report;
  return { rho, entropy, effectiveKeys, expectedScore, lse, weights, identity: identity(report, 'z') };
}
