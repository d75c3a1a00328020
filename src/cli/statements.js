/**
 * The statements as `clearhead check` runs them: two sides of each, computed apart, and what
 * rounding allows between them. Numbers, names and formulas are those of theory.h. To add one,
 * write it in a file of `statements/` and list it here.
 */
import { ClearheadError } from '../js/index.js';
import { exact } from './lab.js';
import { budget, spent } from './statements/budget.js';
import { cost } from './statements/cost.js';
import { differential } from './statements/differential.js';
import { entropy } from './statements/entropy.js';
import { experiment } from './statements/experiment.js';
import { gibbs, limits } from './statements/gibbs.js';
import { attention, grouped, kernelEquivalence } from './statements/kernels.js';
import { independentHeads, latentKeys } from './statements/layers.js';
import { likelihood } from './statements/likelihood.js';
import { sharing } from './statements/sharing.js';

/** @typedef {import('./lab.js').Lab} Lab @typedef {import('./lab.js').Part} Part */
/**
 * One that is violated in any of its comparisons is violated. `shows` is the comparison that stands
 * for it, if not the one nearest to its limit.
 * @typedef {{ number: number, name: string, formula: string, run: (lab: Lab) => Part[], shows?:
 *   number }} Statement
 */

const STATEMENTS = [
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
];

/**
 * What a statement is shown by: what is violated, else the comparison that comes nearest to what
 * rounding allows.
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

/** Runs them all. One that the library refuses to compute is violated too. @param {Lab} lab */
export function examine(lab) {
  return STATEMENTS.map(({ number, name, formula, run, shows }) => {
    let parts;
    try {
      parts = run(lab);
    } catch (error) {
      if (!(error instanceof ClearheadError)) throw error;
      parts = [exact(error.message, false)];
    }
    const nearest = parts.reduce((a, b) => (severity(b) > severity(a) ? b : a));
    const holds = nearest.verdict !== 'violated';
    return {
      number,
      name,
      formula,
      holds,
      worst: holds && shows !== undefined ? parts[shows] : nearest,
      parts,
    };
  });
}
