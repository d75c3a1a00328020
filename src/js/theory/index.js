/**
 * The statements behind attention (theory.h), bound to one engine. Loaded by init beside the
 * kernels.
 */
import { klBudget, klFrontier, normal, rhoEffective, scaleExperiment } from './budget.js';
import { maximumEntropy, maximumLikelihood } from './estimates.js';
import { gaussianWeights, kernelEquivalence } from './gaussian.js';
import { gibbs, limits, lipschitz, logSumExp, simplexMerge, softmaxJacobian } from './gibbs.js';
import { cost, operatorNorm, sharedKeyBounds } from './sharing.js';

/** In the order of the statements. */
const STATEMENTS = {
  maximumLikelihood,
  maximumEntropy,
  klBudget,
  klFrontier,
  rhoEffective,
  gaussianWeights,
  kernelEquivalence,
  gibbs,
  simplexMerge,
  logSumExp,
  softmaxJacobian,
  lipschitz,
  limits,
  sharedKeyBounds,
  operatorNorm,
  scaleExperiment,
  normal,
  cost,
};

/** @param {import('../engine/memory.js').Memory} memory @returns {import('./types.d.ts').Theory} */
export const theory = (memory) =>
  /** @type {any} */ (
    Object.freeze(
      Object.fromEntries(
        Object.entries(STATEMENTS).map(([name, f]) => [
          name,
          (/** @type {any[]} */ ...values) => /** @type {any} */ (f)(memory, ...values),
        ]),
      ),
    )
  );
