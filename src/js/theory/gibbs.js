import { integer, list, read } from '../check.js';
import { refuse } from '../errors.js';
import { gibbsReport, identity as identityReport, limitsReport } from './reports.js';
import { compute, distributionOf, identity, row } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/**
 * Statement 7: Theory.gibbs.
 * @type {Statement<'gibbs'>}
 */
export function gibbs(memory, z, options) {
  const { temperature = 1, candidate } = read('options', options, ['temperature', 'candidate']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const other = distributionOf(memory, candidate, n);
  const { weights, report } = compute(
    memory,
    { weights: n, report: gibbsReport },
    (at, put) =>
      memory.c.attn_gibbs_measure(at.weights, at.report, put(logits), put(other), n, temperature),
    refused,
  );
  const { optimum, entropy, expectedScore, objective, candidateEntropy, kl } = report;
  return {
    weights,
    optimum,
    entropy,
    expectedScore,
    objective,
    candidateEntropy,
    kl,
    gap: temperature * kl,
    identity: identity(report.identity, 'z'),
  };
}

/**
 * Statement 7: Theory.simplexMerge.
 * @type {Statement<'simplexMerge'>}
 */
export function simplexMerge(memory, z, options) {
  const { temperature = 1, keep } = read('options', options, ['temperature', 'keep']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  // which sees holes
  const kept = Array.from(list('keep', keep), (x) => integer('keep', x, 0, n - 1));
  if (new Set(kept).size !== kept.length || kept.length >= n)
    refuse('RANGE', 'keep', `(${kept.slice(0, 20)})`, 'different keys, not all of them');
  const { report, ...merged } = compute(
    memory,
    { logits: kept.length + 1, weights: kept.length + 1, report: identityReport },
    (at, put) =>
      memory.c.attn_gibbs_merge(
        at.logits,
        at.weights,
        at.report,
        put(logits),
        put(Int32Array.from(kept)),
        kept.length,
        n,
        temperature,
        memory.pushArray('float64', 2 * n),
      ),
    refused,
  );
  return { ...merged, identity: identity(report, 'z') };
}

/**
 * Statement 9: Theory.limits.
 * @type {Statement<'limits'>}
 */
export function limits(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const { report, ...arrays } = compute(
    memory,
    { hard: n, uniform: n, weights: n, report: limitsReport },
    (at, put) =>
      memory.c.attn_limits_measure(
        at.hard,
        at.uniform,
        at.weights,
        at.report,
        put(logits),
        n,
        temperature,
      ),
    refused,
  );
  const { ties, gap, width, distance, distanceBound, kl, klBound, excess } = report;
  return {
    ...arrays,
    ties,
    gap,
    width,
    toHard: { distance, bound: distanceBound },
    toUniform: { kl, bound: klBound },
    excess,
  };
}
