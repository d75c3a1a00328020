/** Each statement as a call of its inputs and options, for calls that are refused. */
import { engines } from '../engines.js';
import { bench } from '../faults.js';

export const { ch } = engines[0];
export const { refuses, leaksNothing, memoryUse } = bench(ch);
export const t = await ch.theory;
export const z = Float64Array.of(1, 2, 3);
export const q = Float64Array.of(1, -1);
export const k = Float64Array.of(1, 2, 3, 4, 5, 6);
export const v = Float64Array.of(1, 2, 3);

/**
 * Each statement as a call of its inputs and options, with the names of its arrays (the first
 * `positional` are arguments, the others options). The `typed` ones compute in the type of q and
 * take arrays of no rows.
 */
export const calls = {
  maximumLikelihood: {
    arrays: { q, k, v, at: Float64Array.of(1) },
    positional: 3,
    options: { alpha: 1, beta: 1 },
  },
  maximumEntropy: { arrays: { q, k, multipliers: z }, positional: 2, options: {} },
  klFrontier: { arrays: { z }, positional: 1, options: { points: 3 } },
  rhoEffective: { arrays: { z }, positional: 1, options: { temperature: 1 } },
  gibbs: { arrays: { z, candidate: z }, positional: 1, options: { temperature: 1 } },
  simplexMerge: { arrays: { z }, positional: 1, options: { temperature: 1, keep: [0] } },
  logSumExp: { arrays: { z, change: z }, positional: 1, options: { temperature: 1 } },
  softmaxJacobian: { arrays: { z }, positional: 1, options: { temperature: 1 } },
  lipschitz: { arrays: { a: z, b: z }, positional: 2, options: { temperature: 1, keys: 3 } },
  gaussianWeights: {
    arrays: { q, k, v },
    positional: 3,
    options: { headDim: 2, valueDim: 1, temperature: 1 },
    typed: true,
  },
  kernelEquivalence: {
    arrays: { q, k, v },
    positional: 3,
    options: { headDim: 2, valueDim: 1, temperature: 1 },
    typed: true,
  },
  limits: { arrays: { z }, positional: 1, options: { temperature: 1 } },
  sharedKeyBounds: {
    arrays: { q, k, sharedK: k, v, sharedV: v },
    positional: 4,
    options: { temperature: 1, headDim: 2 },
  },
  operatorNorm: { arrays: { a: k }, positional: 1, options: { columns: 2 } },
  susceptibility: { arrays: { z }, positional: 1, options: { temperature: 1 } },
  everyNorm: { arrays: { z, change: z }, positional: 1, options: { temperature: 1 } },
  dispersion: { arrays: { z }, positional: 1, options: { temperature: 1 } },
  criticalTemperature: { arrays: { z }, positional: 1, options: { temperature: 1 } },
  sinkGate: { arrays: { z }, positional: 1, options: { temperature: 1, sink: 1 } },
  biasPrior: { arrays: { z, bias: z, candidate: z }, positional: 1, options: { temperature: 1 } },
  hopfield: { arrays: { xi: q, k }, positional: 2, options: { temperature: 1, steps: 2 } },
  drawsToReject: {
    arrays: { z },
    positional: 1,
    options: { temperature: 1, epsilon: 0.1, samples: 3 },
  },
};

export function call(name, change = {}) {
  const { arrays, positional, options } = calls[name];
  const all = Object.entries({ ...arrays, ...options, ...change });
  const is = (x) => Object.keys(arrays).indexOf(x);
  const first = all.filter(([key]) => is(key) >= 0 && is(key) < positional);
  return t[name](
    ...first.map(([, x]) => x),
    Object.fromEntries(all.filter((entry) => !first.includes(entry))),
  );
}
