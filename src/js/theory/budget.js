import { integer, number, read } from '../check.js';
import { refuse } from '../errors.js';
import { budgetReport, scaleReport, spentReport } from './reports.js';
import { compute, identity, vector } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/** @type {import('./run.js').Refused} */
const WIDE = ['z', 'too wide', 'finite distances, and an inverse temperature of normal size'];

/**
 * Statement 4: Theory.klBudget.
 * @type {Statement<'klBudget'>}
 */
export function klBudget(memory, z, rho) {
  const logits = vector(memory, 'z', z);
  const n = logits.length;
  if (!(number('rho', rho) >= 0)) refuse('RANGE', 'rho', rho, 'at least 0');
  const { weights, report } = compute(
    memory,
    { weights: n, report: budgetReport },
    (at, put) => memory.c.attn_budget_solve(at.weights, at.report, put(logits), n, rho),
    WIDE,
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
 * @type {Statement<'klFrontier'>}
 */
export function klFrontier(memory, z, options) {
  const { points = 65 } = read('options', options, ['points']);
  const logits = vector(memory, 'z', z);
  const n = logits.length;
  integer('points', points, 2, 1 << 20);
  return compute(
    memory,
    { rho: points, beta: points, expectedScore: points },
    ({ rho, beta, expectedScore }, put) => {
      const scratch = memory.pushArray('float64', n);
      return memory.c.attn_budget_frontier(
        rho,
        beta,
        expectedScore,
        put(logits),
        n,
        points,
        scratch,
      );
    },
    WIDE,
  );
}

/**
 * Statement 5: Theory.rhoEffective.
 * @type {Statement<'rhoEffective'>}
 */
export function rhoEffective(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const logits = vector(memory, 'z', z);
  const n = logits.length;
  number('temperature', temperature);
  const { weights, report } = compute(
    memory,
    { weights: n, report: spentReport },
    (at, put) => memory.c.attn_budget_spent(at.weights, at.report, put(logits), n, temperature),
    ['temperature', temperature, 'finite, > 0'],
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
 * @type {Statement<'scaleExperiment'>}
 */
export function scaleExperiment(memory, options) {
  const {
    headDim,
    samples = 1000,
    keys = 32,
    seed = 1,
  } = read('options', options, ['headDim', 'samples', 'keys', 'seed']);
  for (const [name, x] of Object.entries({ headDim, samples, keys })) integer(name, x, 1, 1 << 24);
  integer('seed', seed, 0, 2 ** 32 - 1);
  const { report } = compute(memory, { report: scaleReport }, (at) => {
    const scratch = memory.pushArray('float64', 2 * headDim + 2 * keys);
    return memory.c.attn_scale_experiment(at.report, headDim, samples, keys, seed, scratch);
  });
  return { expected: headDim, ...report };
}

/**
 * Theory.normal.
 * @type {Statement<'normal'>}
 */
export function normal(memory, length, options) {
  const { seed = 1 } = read('options', options, ['seed']);
  const count = integer('length', length, 0, 1 << 28);
  integer('seed', seed, 0, 2 ** 32 - 1);
  return compute(memory, { x: count }, ({ x }) => memory.c.attn_random_normal(x, count, seed)).x;
}
