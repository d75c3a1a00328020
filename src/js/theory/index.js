/**
 * The statements behind attention (theory.h). They have a wasm module and a memory of their own, so
 * inputs are copied and attention is loaded without them.
 */
import { compile } from '../engine/load.js';
import { Memory } from '../engine/memory.js';
import { ClearheadError } from '../errors.js';
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
};

/**
 * @param {Record<string, Function>} functions
 * @param {Memory[]} first the arguments they are bound to
 */
const bound = (functions, ...first) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, f]) => [
      name,
      (/** @type {any[]} */ ...values) => f(...first, ...values),
    ]),
  );

/**
 * The statements, in the memory of an instance of theory.wasm.
 * @param {Memory} memory
 * @param {Memory} kernels of the engine that the statements are about
 * @returns {import('./types.d.ts').Theory}
 */
export const theory = (memory, kernels) =>
  /** @type {any} */ (
    Object.freeze({
      ...bound(STATEMENTS, memory),
      ...bound({ kernelEquivalence }, memory, kernels),
      ...bound({ cost }, kernels),
    })
  );

/**
 * Loads theory.wasm, checks that it computes, and returns the statements.
 * @param {Memory} kernels
 * @param {import('../types.d.ts').InitOptions['theoryWasm']} source default: the file beside this
 */
export async function load(kernels, source) {
  const given = await source;
  const module = await (given === undefined
    ? compile(new URL('./theory.wasm', import.meta.url), 'theory.wasm')
    : compile(given, 'theoryWasm'));
  try {
    const memory = new Memory((await WebAssembly.instantiate(module, {})).exports);
    // σ² = T·√dim
    if (memory.c.attn_gaussian_sigma2(1, 2) !== 2) throw new Error('self-test');
    return theory(memory, kernels);
  } catch (/** @type {any} */ cause) {
    if (cause instanceof RangeError) throw new ClearheadError('OOM', 'no memory left', { cause });
    throw new ClearheadError('FORMAT', 'theory.wasm is not of this version', { cause });
  }
}
