import { array, integer, list, number, read, rows, sized } from '../check.js';
import { refuse } from '../errors.js';
import {
  gibbsReport,
  identity as identityReport,
  limitsReport,
  lipschitzReport,
  lseReport,
} from './reports.js';
import { compute, finite, identity, numbers } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/**
 * A row of logits, with the options that most statements have.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @param {string[]} [names] of further options
 * @param {string} [name] of z
 */
function row(memory, z, options, names = [], name = 'z') {
  const { temperature = 1, ...rest } = read('options', options, ['temperature', ...names]);
  const logits = numbers(memory, name, z);
  const refused = /** @type {[string, any, string]} */ ([
    'temperature',
    number('temperature', temperature),
    'finite, > 0',
  ]);
  return { ...rest, temperature, logits, n: logits.length, refused };
}

/**
 * Statement 7: Theory.gibbs.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function gibbs(memory, z, options) {
  const { logits, n, temperature, candidate, refused } = row(memory, z, options, ['candidate']);
  const other =
    candidate === undefined
      ? null
      : numbers(memory, 'candidate', candidate, n, 'the number of logits');
  let sum = +!other;
  for (const x of other ?? []) sum += x < 0 ? NaN : x;
  if (!(sum > 0 && sum < Infinity))
    refuse(
      'RANGE',
      'candidate',
      'no distribution',
      'weights of at least 0, their sum finite and > 0',
    );
  const { weights, report } = compute(
    memory,
    'attn_gibbs_measure',
    { weights: n },
    [logits, other, n, temperature],
    { report: gibbsReport, refused },
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
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function simplexMerge(memory, z, options) {
  const { logits, n, temperature, keep, refused } = row(memory, z, options, ['keep']);
  // which sees holes
  const kept = Array.from(list('keep', keep), (x) => integer('keep', x, 0, n - 1));
  if (new Set(kept).size !== kept.length || kept.length >= n)
    refuse('RANGE', 'keep', `(${kept.slice(0, 20)})`, 'different keys, not all of them');
  const { report, ...merged } = compute(
    memory,
    'attn_gibbs_merge',
    { logits: kept.length + 1, weights: kept.length + 1 },
    [logits, array('keep', Int32Array.from(kept), 'Int32Array'), kept.length, n, temperature],
    { report: identityReport, scratch: 2 * n, refused },
  );
  return { ...merged, identity: identity(report, 'z') };
}

/**
 * Statement 9: Theory.limits.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function limits(memory, z, options) {
  const { logits, n, temperature, refused } = row(memory, z, options);
  const { report, ...arrays } = compute(
    memory,
    'attn_limits_measure',
    { hard: n, uniform: n, weights: n },
    [logits, n, temperature],
    { report: limitsReport, refused },
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

/**
 * Statement 8: Theory.logSumExp.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function logSumExp(memory, z, options) {
  const { logits, n, temperature, change, refused } = row(memory, z, options, ['change']);
  const h =
    change === undefined ? null : numbers(memory, 'change', change, n, 'the number of logits');
  const { gradient, report } = compute(
    memory,
    'attn_lse_measure',
    { gradient: n },
    [logits, h, n, temperature],
    { report: lseReport, scratch: 2 * n, refused },
  );
  return {
    value: report.value,
    changed: report.changed,
    gradient,
    identity: identity(report.identity, h ? 'change' : 'z'),
  };
}

/**
 * Statement 8: Theory.softmaxJacobian.
 * @param {Memory} memory
 * @param {unknown} z
 * @param {unknown} options
 * @returns {unknown}
 */
export function softmaxJacobian(memory, z, options) {
  const { logits, n, temperature, refused } = row(memory, z, options);
  const { gradient: weights } = compute(
    memory,
    'attn_lse_measure',
    { gradient: n },
    [logits, null, n, temperature],
    { report: lseReport, scratch: 2 * n, refused },
  );
  // the caller may write into `weights`
  const own = weights.slice();
  return {
    weights,
    apply: (/** @type {any} */ x) =>
      compute(memory, 'attn_jacobian_apply', { out: n }, [
        own,
        numbers(memory, 'x', x, n, 'the number of logits'),
        n,
        temperature,
      ]).out,
    spectrum() {
      const scratch = memory.c.attn_spectrum_scratch_doubles(n) >>> 0;
      const { eigenvalues, report } = compute(
        memory,
        'attn_jacobian_spectrum',
        { eigenvalues: n },
        [own, n, temperature],
        { report: identityReport, scratch },
      );
      return { eigenvalues, identity: identity(report, 'z') };
    },
    top: () =>
      memory.scope(() => memory.c.attn_jacobian_top(memory.put(own, 'float64'), n, temperature)),
  };
}

/**
 * Statement 8: Theory.lipschitz.
 * @param {Memory} memory
 * @param {ArrayLike<number>} a
 * @param {unknown} b
 * @param {unknown} options
 * @returns {unknown}
 */
export function lipschitz(memory, a, b, options) {
  const { keys = a?.length, ...rest } = read('options', options, ['keys', 'temperature']);
  const { logits, temperature, refused } = row(memory, a, rest, [], 'a');
  const n = integer('keys', keys, 1);
  const pairs = rows('a', logits, n, 'keys');
  const others = sized('b', numbers(memory, 'b', b), logits.length, 'the length of a');
  finite(
    'b',
    Float64Array.from(others, (x, j) => x - logits[j]),
    'finite differences from a',
  );
  const { report, ...arrays } = compute(
    memory,
    'attn_lipschitz_measure',
    { ratios: pairs, cocoercivity: pairs },
    [logits, others, pairs, n, temperature],
    { report: lipschitzReport, scratch: 4 * n, refused },
  );
  const { maxRatio, sharpRatio, noteRatio, allowedRatio, minCocoercivity, margin } = report;
  const { sharpCocoercivity, noteCocoercivity } = report;
  return {
    ...arrays,
    maxRatio,
    bounds: { sharp: sharpRatio, note: noteRatio, allowed: allowedRatio },
    minCocoercivity,
    cocoercivityBounds: { sharp: sharpCocoercivity, note: noteCocoercivity },
    holds: maxRatio <= sharpRatio + allowedRatio && margin >= 0,
  };
}
