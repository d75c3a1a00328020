import { integer, read, rows, sized } from '../check.js';
import { row } from './gibbs.js';
import { compute, finite, identity, numbers } from './run.js';

/** @typedef {import('./run.js').Memory} Memory */

/** Statement 8: Theory.logSumExp. @param {Memory} memory @param {any} z @param {any} options @returns {any} */
export function logSumExp(memory, z, options) {
  const { logits, n, temperature, change, refused } = row(memory, z, options, 'change');
  const h = change === undefined ? null : numbers(memory, 'change', change, n, 'the number of logits');
  const { gradient, report } = compute(memory, 'lse_measure', { gradient: n, report: 6 }, [logits, h, n, temperature], { scratch: 2 * n, refused });
  return { value: report[0], changed: report[1], gradient, identity: identity(report, h ? 'change' : 'z') };
}

/** Statement 8: Theory.softmaxJacobian. @param {Memory} memory @param {any} z @param {any} options @returns {any} */
export function softmaxJacobian(memory, z, options) {
  const { logits, n, temperature, refused } = row(memory, z, options);
  const { gradient: weights } = compute(memory, 'lse_measure', { gradient: n, report: 6 }, [logits, null, n, temperature], { scratch: 2 * n, refused });
  // the caller may write into `weights`
  const own = weights.slice();
  return {
    weights,
    apply: (/** @type {any} */ x) => compute(memory, 'jacobian_apply', { out: n }, [own, numbers(memory, 'x', x, n, 'the number of logits'), n, temperature]).out,
    spectrum() {
      const scratch = memory.call('spectrum_scratch_doubles', n) >>> 0;
      const { eigenvalues, report } = compute(memory, 'jacobian_spectrum', { eigenvalues: n, report: 4 }, [own, n, temperature], { scratch });
      return { eigenvalues, identity: identity(report, 'z') };
    },
    top: () => memory.scope(() => memory.call('jacobian_top', memory.put(own, 'float64'), n, temperature)),
  };
}

/** Statement 8: Theory.lipschitz. @param {Memory} memory @param {any} a @param {any} b @param {any} options @returns {any} */
export function lipschitz(memory, a, b, options) {
  const { keys = a?.length, ...rest } = read('options', options, 'keys temperature');
  const { logits, temperature, refused } = row(memory, a, rest, '', 'a'), n = integer('keys', keys, 1);
  const pairs = rows('a', logits, n, 'keys'), others = sized('b', numbers(memory, 'b', b), logits.length, 'the length of a');
  finite('b', Float64Array.from(others, (x, j) => x - logits[j]), 'finite differences from a');
  const { report, ...arrays } = compute(memory, 'lipschitz_measure', { ratios: pairs, cocoercivity: pairs, report: 8 },
    [logits, others, pairs, n, temperature], { scratch: 4 * n, refused });
  const [maxRatio, sharp, bound, allowed, minCocoercivity, sharpCocoercivity, noteCocoercivity, margin] = report;
  return { ...arrays, maxRatio, bounds: { sharp, note: bound, allowed }, minCocoercivity,
    cocoercivityBounds: { sharp: sharpCocoercivity, note: noteCocoercivity }, holds: maxRatio <= sharp + allowed && margin >= 0 };
}
