import { integer, number, read } from '../check.js';
import { refuse } from '../errors.js';
import { budgetReport, scaleReport, spentReport } from './reports.js';
import { compute, identity, numbers } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** @type {{ refused: import('./run.js').Refused }} */
const WIDE = {
  refused: ['z', 'too wide', 'finite distances, and an inverse temperature of normal size'],
};

/**
 * Statement 4: Theory.klBudget.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {number} rho
 * @returns {unknown}
 */
export function klBudget(memory, z, rho) {
  const logits = numbers(memory, 'z', z);
  const n = logits.length;
  if (!(number('rho', rho) >= 0)) refuse('RANGE', 'rho', rho, 'at least 0');
  const { weights, report } = compute(
    memory,
    'attn_budget_solve',
    { weights: n },
    [logits, n, rho],
    { report: budgetReport, ...WIDE },
  );
  const { beta, rhoMax, rho: spent, expectedScore, variance, iterations } = report;
  return {
    beta,
    temperature: 1 / beta,
    weights,
    rho: spent,
    rhoMax,
    expectedScore,
    variance,
    iterations,
    identity: identity(report.identity, 'z'),
  };
}

/**
 * Statement 4: Theory.klFrontier.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function klFrontier(memory, z, options) {
  const { points = 65 } = read('options', options, ['points']);
  const logits = numbers(memory, 'z', z);
  const n = logits.length;
  integer('points', points, 2, 1 << 20);
  return compute(
    memory,
    'attn_budget_frontier',
    { rho: points, beta: points, expectedScore: points },
    [logits, n, points],
    { scratch: n, ...WIDE },
  );
}

/**
 * Statement 5: Theory.rhoEffective.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function rhoEffective(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const logits = numbers(memory, 'z', z);
  const n = logits.length;
  const { weights, report } = compute(
    memory,
    'attn_budget_spent',
    { weights: n },
    [logits, n, number('temperature', temperature)],
    { report: spentReport, refused: ['temperature', temperature, 'finite, > 0'] },
  );
  const { rho, entropy, effectiveKeys, expectedScore, lse } = report;
  return {
    rho,
    entropy,
    effectiveKeys,
    expectedScore,
    lse,
    weights,
    identity: identity(report.identity, 'z'),
  };
}

/**
 * Statement 13: Theory.scaleExperiment.
 * @param {Memory} memory
 * @param {unknown} options
 * @returns {unknown}
 */
export function scaleExperiment(memory, options) {
  const {
    headDim,
    samples = 1000,
    keys = 32,
    seed = 1,
  } = read('options', options, ['headDim', 'samples', 'keys', 'seed']);
  const sizes = Object.entries({ headDim, samples, keys }).map(([name, x]) =>
    integer(name, x, 1, 1 << 24),
  );
  const { report } = compute(
    memory,
    'attn_scale_experiment',
    {},
    [...sizes, integer('seed', seed, 0, 2 ** 32 - 1)],
    { report: scaleReport, scratch: 2 * headDim + 2 * keys },
  );
  return { expected: headDim, ...report };
}

/**
 * Theory.normal.
 * @param {Memory} memory
 * @param {unknown} length
 * @param {unknown} options
 * @returns {Float64Array}
 */
export function normal(memory, length, options) {
  const { seed = 1 } = read('options', options, ['seed']);
  const count = integer('length', length, 0, 1 << 28);
  return compute(memory, 'attn_random_normal', { x: count }, [
    count,
    integer('seed', seed, 0, 2 ** 32 - 1),
  ]).x;
}
