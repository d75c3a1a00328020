import { integer, number, read } from '../check.js';
import { ATTN_E_LIMIT } from '../engine/constants.js';
import { refuse } from '../errors.js';
import {
  criticalReport,
  dispersionReport,
  drawsReport,
  normsReport,
  susceptibilityReport,
} from './consequence-reports.js';
import { compute, finite, identity, row, vector } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/**
 * Statement 17: Theory.susceptibility.
 * @type {Statement<'susceptibility'>}
 */
export function susceptibility(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const { report } = compute(
    memory,
    { report: susceptibilityReport },
    (at, put) => memory.c.attn_susceptibility_measure(at.report, put(logits), n, temperature),
    refused,
  );
  return { ...report, identity: identity(report.identity, 'z') };
}

/**
 * Statement 18: Theory.everyNorm.
 * @type {Statement<'everyNorm'>}
 */
export function everyNorm(memory, z, options) {
  const {
    temperature = 1,
    change,
    exponents = Float64Array.of(1, 2, Infinity),
  } = read('options', options, ['temperature', 'change', 'exponents']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const h = vector(memory, 'change', change, n, 'the number of logits');
  finite(
    'change',
    h.map((x, j) => x + logits[j]),
    'finite sums with z',
  );
  const powers = memory.floats('exponents', exponents);
  if (!powers.length) refuse('SHAPE', 'exponents', 'empty', 'at least one number');
  const bad = powers.findIndex((x) => !(x >= 1));
  if (bad >= 0) refuse('RANGE', 'exponents', `${powers[bad]} at ${bad}`, 'at least 1, or Infinity');
  const { ratios, report } = compute(
    memory,
    { ratios: powers.length, report: normsReport },
    (at, put) =>
      memory.c.attn_norms_measure(
        at.ratios,
        at.report,
        put(logits),
        put(h),
        put(powers),
        n,
        powers.length,
        temperature,
        memory.pushArray('float64', 3 * n),
      ),
    refused,
  );
  const { maxRatio, bound, allowedRatio, local } = report;
  return {
    ratios,
    maxRatio,
    local,
    bound,
    allowed: allowedRatio,
    identity: identity(report.identity, 'z'),
    holds: maxRatio <= bound + allowedRatio,
  };
}

/**
 * Statement 19: Theory.dispersion.
 * @type {Statement<'dispersion'>}
 */
export function dispersion(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const { report } = compute(
    memory,
    { report: dispersionReport },
    (at, put) => memory.c.attn_dispersion_measure(at.report, put(logits), n, temperature),
    refused,
  );
  const { max, bound, meanBound, allowed } = report;
  return {
    ...report,
    identity: identity(report.identity, 'z'),
    holds: max <= meanBound * (1 + allowed) && meanBound <= bound * (1 + allowed),
  };
}

/**
 * Statement 20: Theory.criticalTemperature.
 * @type {Statement<'criticalTemperature'>}
 */
export function criticalTemperature(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const { report } = compute(
    memory,
    { report: criticalReport },
    (at, put) => {
      const scratch = memory.pushArray('float64', n);
      return memory.c.attn_critical_measure(at.report, put(logits), n, temperature, scratch);
    },
    refused,
  );
  const { max, lower, upper, allowed } = report;
  return {
    ...report,
    holds: lower <= max * (1 + allowed) && max <= upper * (1 + allowed),
  };
}

/**
 * Statement 24: Theory.drawsToReject.
 * @type {Statement<'drawsToReject'>}
 */
export function drawsToReject(memory, z, options) {
  const {
    temperature = 1,
    epsilon = 0.05,
    samples = 1000,
    seed = 1,
  } = read('options', options, ['temperature', 'epsilon', 'samples', 'seed']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const error = number('epsilon', epsilon);
  if (!(error > 0 && error < 1)) refuse('RANGE', 'epsilon', error, 'between 0 and 1');
  integer('samples', samples, 1);
  integer('seed', seed, 0, 2 ** 32 - 1);
  return compute(
    memory,
    { report: drawsReport },
    (at, put) => {
      const scratch = memory.pushArray('float64', 3 * n);
      const status = memory.c.attn_draws_experiment(
        at.report,
        put(logits),
        n,
        temperature,
        epsilon,
        samples,
        seed,
        scratch,
      );
      if (status === ATTN_E_LIMIT)
        refuse('LIMIT', 'samples', samples, 'at most 2^25 draws; near uniform each needs many');
      return status;
    },
    refused,
  ).report;
}
