/**
 * The statements as `clearhead check` runs them: two sides of each, computed apart, and the
 * difference that rounding allows. To add one, write its comparisons in a file of `statements/` and
 * list them here.
 */
import { ClearheadError } from '../js/index.js';
import { refused } from './lab.js';
import { STATEMENTS } from './statement-list.js';
import { advantage } from './statements/advantage.js';
import { budget, spent } from './statements/budget.js';
import { cost } from './statements/cost.js';
import { differential } from './statements/differential.js';
import { draws } from './statements/draws.js';
import { entropy } from './statements/entropy.js';
import { experiment } from './statements/experiment.js';
import { gibbs, limits } from './statements/gibbs.js';
import { hopfield } from './statements/hopfield.js';
import { attention, grouped, kernelEquivalence } from './statements/kernels.js';
import { independentHeads } from './statements/independent-heads.js';
import { latentKeys } from './statements/latent-keys.js';
import { likelihood } from './statements/likelihood.js';
import { norms } from './statements/norms.js';
import { prior, sink } from './statements/prior.js';
import { sharing } from './statements/sharing.js';
import { critical, dispersion } from './statements/sharpness.js';
import { susceptibility } from './statements/susceptibility.js';

/** @typedef {import('./lab.js').Lab} Lab @typedef {import('./lab.js').Part} Part */
/**
 * The comparisons of the statement of this number. It is violated if one of them is. `shows` is the
 * comparison that stands for it; by default the one nearest to its limit.
 * @typedef {{ number: number, run: (lab: Lab) => Part[], shows?: number }} Comparison
 */

/** @type {Comparison[]} */
const COMPARISONS = [
  attention,
  likelihood,
  entropy,
  budget,
  spent,
  kernelEquivalence,
  gibbs,
  differential,
  limits,
  independentHeads,
  grouped,
  sharing,
  experiment,
  latentKeys,
  cost,
  advantage,
  susceptibility,
  norms,
  dispersion,
  critical,
  sink,
  prior,
  hopfield,
  draws,
];

/**
 * A violation comes first, then the comparison nearest to the limit that rounding sets.
 * @param {Part} part
 */
const severity = ({ verdict, kind, ratio }) =>
  verdict === 'violated'
    ? Infinity
    : kind === 'identity'
      ? 2 + ratio
      : verdict === 'bound'
        ? ratio
        : -1;

/**
 * One statement. If the library refuses to compute it, it is violated.
 * @param {Lab} lab
 * @param {Comparison} comparison
 */
function partsOf(lab, { run }) {
  try {
    return run(lab);
  } catch (error) {
    if (error instanceof ClearheadError) return [refused(error.message)];
    throw error;
  }
}

/** Runs them all, in the order of the list. @param {Lab} lab */
export function examine(lab) {
  return STATEMENTS.map(({ number, name, words, formula, source }) => {
    const comparison = COMPARISONS.find((x) => x.number === number);
    if (!comparison) throw new Error(`statement ${number} has no comparison`);
    const parts = partsOf(lab, comparison);
    const nearest = parts.reduce((a, b) => (severity(b) > severity(a) ? b : a));
    const holds = nearest.verdict !== 'violated';
    const { shows } = comparison;
    const worst = holds && shows !== undefined ? parts[shows] : nearest;
    return { number, name, words, formula, source, holds, worst, parts };
  });
}
