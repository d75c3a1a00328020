import { integer, number, read, rows, sized } from '../check.js';
import { identity as identityReport, lipschitzReport, lseReport } from './reports.js';
import { shaped } from '../engine/shapes.js';
import { countArguments } from '../names.js';
import { compute, finite, identity, numbers, row, vector } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/**
 * Log-sum-exp with its gradient, perhaps after the logits change by h.
 * @param {import('./run.js').Memory} memory
 * @param {Float32Array | Float64Array} logits
 * @param {Float32Array | Float64Array | null} h
 * @param {number} temperature
 * @param {import('./run.js').Refused} refused
 */
const measure = (memory, logits, h, temperature, refused) =>
  compute(
    memory,
    { gradient: logits.length, report: lseReport },
    (at, put) =>
      memory.c.attn_lse_measure(
        at.gradient,
        at.report,
        put(logits),
        put(h),
        logits.length,
        temperature,
        memory.pushArray('float64', 2 * logits.length),
      ),
    refused,
  );

/**
 * Statement 8: Theory.logSumExp.
 * @type {Statement<'logSumExp'>}
 */
export function logSumExp(memory, z, options) {
  const { temperature = 1, change } = read('options', options, ['temperature', 'change']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const h =
    change === undefined ? null : vector(memory, 'change', change, n, 'the number of logits');
  const { gradient, report } = measure(memory, logits, h, temperature, refused);
  return {
    value: report.value,
    changed: report.changed,
    gradient,
    identity: identity(report.identity, h ? 'change' : 'z'),
  };
}

/**
 * Statement 8: Theory.softmaxJacobian.
 * @type {Statement<'softmaxJacobian'>}
 */
export function softmaxJacobian(memory, z, options) {
  const { temperature = 1 } = read('options', options, ['temperature']);
  const { logits, n, refused } = row(memory, 'z', z, temperature);
  const { gradient: weights } = measure(memory, logits, null, temperature, refused);
  // the caller may write into `weights`
  const own = weights.slice();
  return countArguments({
    weights,
    apply(x) {
      const direction = vector(memory, 'x', x, n, 'the number of logits');
      return compute(memory, { out: n }, ({ out }, put) =>
        memory.c.attn_jacobian_apply(out, put(own), put(direction), n, temperature),
      ).out;
    },
    spectrum() {
      const { eigenvalues, report } = compute(
        memory,
        { eigenvalues: n, report: identityReport },
        (at, put) => {
          const doubles = memory.c.attn_spectrum_scratch_doubles(n) >>> 0;
          const scratch = memory.pushArray('float64', doubles);
          return memory.c.attn_jacobian_spectrum(
            at.eigenvalues,
            at.report,
            put(own),
            n,
            temperature,
            scratch,
          );
        },
      );
      return { eigenvalues, identity: identity(report, 'z') };
    },
    top: () =>
      memory.scope(() => memory.c.attn_jacobian_top(memory.put(own, 'float64'), n, temperature)),
  });
}

/**
 * Statement 8: Theory.lipschitz.
 * @type {Statement<'lipschitz'>}
 */
export function lipschitz(memory, a, b, options) {
  const { keys = a?.length, temperature = 1 } = read('options', options, ['keys', 'temperature']);
  const logits = numbers(memory, 'a', a);
  number('temperature', temperature);
  const n = integer('keys', keys, 1);
  const pairs = rows('a', logits, n, 'keys');
  const others = sized('b', numbers(memory, 'b', b), logits.length, 'the length of a');
  shaped('a', a, { pairs, keys: n });
  shaped('b', b, { pairs, keys: n });
  finite(
    'b',
    Float64Array.from(others, (x, j) => x - logits[j]),
    'finite differences from a',
  );
  const { report, ...arrays } = compute(
    memory,
    { ratios: pairs, cocoercivity: pairs, report: lipschitzReport },
    (at, put) =>
      memory.c.attn_lipschitz_measure(
        at.ratios,
        at.cocoercivity,
        at.report,
        put(logits),
        put(others),
        pairs,
        n,
        temperature,
        memory.pushArray('float64', 4 * n),
      ),
    ['temperature', temperature, 'finite, > 0'],
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
