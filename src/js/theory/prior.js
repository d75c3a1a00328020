import { integer, number, read, rows } from '../check.js';
import { shaped } from '../engine/shapes.js';
import { refuse } from '../errors.js';
import { gateReport, hopfieldReport, priorReport } from './consequence-reports.js';
import { compute, distributionOf, identity, numbers, row, vector } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/**
 * Statement 21: Theory.sinkGate.
 * @type {Statement<'sinkGate'>}
 */
export function sinkGate(memory, z, options) {
  const { temperature = 1, sink } = read('options', options, ['temperature', 'sink']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const s = number('sink', sink);
  if (!Number.isFinite(s)) refuse('RANGE', 'sink', s, 'a finite number');
  const { weights, report } = compute(
    memory,
    { weights: n, report: gateReport },
    (at, put) => memory.c.attn_gate_measure(at.weights, at.report, put(logits), n, s, temperature),
    refused,
  );
  return { ...report, weights, identity: identity(report.identity, 'z') };
}

/**
 * Statement 22: Theory.biasPrior.
 * @type {Statement<'biasPrior'>}
 */
export function biasPrior(memory, z, options) {
  const {
    temperature = 1,
    bias,
    candidate,
  } = read('options', options, ['temperature', 'bias', 'candidate']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const biases = vector(memory, 'bias', bias, n, 'the number of logits');
  const other = distributionOf(memory, candidate, n);
  const { report, ...arrays } = compute(
    memory,
    { weights: n, prior: n, report: priorReport },
    (at, put) =>
      memory.c.attn_prior_measure(
        at.weights,
        at.prior,
        at.report,
        put(logits),
        put(biases),
        put(other),
        n,
        temperature,
      ),
    refused,
  );
  return {
    ...arrays,
    ...report,
    gap: temperature * report.kl,
    identity: identity(report.identity, 'z'),
    evidenceIdentity: identity(report.evidenceIdentity, 'z'),
  };
}

/**
 * Statement 23: Theory.hopfield.
 * @type {Statement<'hopfield'>}
 */
export function hopfield(memory, xi, k, options) {
  const { temperature = 1, steps = 1 } = read('options', options, ['temperature', 'steps']);
  const start = vector(memory, 'xi', xi);
  const dim = start.length;
  const keys = numbers(memory, 'k', k);
  const n = rows('k', keys, dim, 'the length of xi');
  shaped('k', k, { n, dim });
  number('temperature', temperature);
  integer('steps', steps, 1, 1e6);
  const { report, ...arrays } = compute(
    memory,
    { states: (steps + 1) * dim, energies: steps + 1, report: hopfieldReport },
    (at, put) =>
      memory.c.attn_hopfield_descend(
        at.states,
        at.energies,
        at.report,
        put(start),
        put(keys),
        n,
        dim,
        steps,
        temperature,
        memory.pushArray('float64', 4 * n),
      ),
    ['temperature', temperature, 'finite, > 0'],
  );
  const { violated, ...found } = report;
  return {
    ...arrays,
    ...found,
    identity: identity(report.identity, 'k'),
    holds: violated === 0,
  };
}
