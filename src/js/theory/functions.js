import * as budget from './budget.js';
import * as estimates from './estimates.js';
import * as gaussian from './gaussian.js';
import * as gibbs from './gibbs.js';
import * as lse from './lse.js';
import * as prior from './prior.js';
import * as sharing from './sharing.js';
import * as sharpness from './sharpness.js';

/**
 * The functions of all statements.
 * @satisfies {{ [F in keyof import('./types.d.ts').Theory]: import('./run.js').Statement<F> }}
 */
export const FUNCTIONS = {
  ...budget,
  ...estimates,
  ...gaussian,
  ...gibbs,
  ...lse,
  ...prior,
  ...sharing,
  ...sharpness,
};
