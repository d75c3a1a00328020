/** The shape of a tensor is compared with the sizes that a statement finds in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';

const { ch } = engines[0];
const t = await ch.theory;
const headDim = 4;
const sizes = { headDim, valueDim: 3 };
const [q, k, v] = [
  [5, 4],
  [6, 4],
  [6, 3],
];

/** The shapes of the arrays of a call, and the call. */
const statements = {
  maximumLikelihood: [
    { q: [4], k, v: [6, 4], at: [4] },
    (x) => t.maximumLikelihood(x.q, x.k, x.v, { at: x.at }),
  ],
  maximumEntropy: [
    { q: [4], k, multipliers: [6] },
    (x) => t.maximumEntropy(x.q, x.k, { multipliers: x.multipliers }),
  ],
  klBudget: [{ z: [6] }, (x) => t.klBudget(x.z, 0.1)],
  klFrontier: [{ z: [6] }, (x) => t.klFrontier(x.z, { points: 3 })],
  rhoEffective: [{ z: [6] }, (x) => t.rhoEffective(x.z)],
  gaussianWeights: [{ q, k, v }, (x) => t.gaussianWeights(x.q, x.k, x.v, sizes)],
  kernelEquivalence: [{ q, k, v }, (x) => t.kernelEquivalence(x.q, x.k, x.v, sizes)],
  gibbs: [{ z: [6], candidate: [6] }, (x) => t.gibbs(x.z, { candidate: x.candidate })],
  simplexMerge: [{ z: [6] }, (x) => t.simplexMerge(x.z, { keep: [0] })],
  logSumExp: [{ z: [6], change: [6] }, (x) => t.logSumExp(x.z, { change: x.change })],
  softmaxJacobian: [{ z: [6], x: [6] }, (x) => ({ y: t.softmaxJacobian(x.z).apply(x.x) })],
  lipschitz: [{ a: [6, 4], b: [6, 4] }, (x) => t.lipschitz(x.a, x.b, { keys: 4 })],
  limits: [{ z: [6] }, (x) => t.limits(x.z)],
  sharedKeyBounds: [
    { q, k, sharedK: k, v, sharedV: v },
    (x) => t.sharedKeyBounds(x.q, x.k, x.sharedK, x.v, { headDim, sharedV: x.sharedV }),
  ],
  susceptibility: [{ z: [6] }, (x) => t.susceptibility(x.z)],
  everyNorm: [{ z: [6], change: [6] }, (x) => t.everyNorm(x.z, { change: x.change })],
  dispersion: [{ z: [6] }, (x) => t.dispersion(x.z)],
  criticalTemperature: [{ z: [6] }, (x) => t.criticalTemperature(x.z)],
  sinkGate: [{ z: [6] }, (x) => t.sinkGate(x.z, { sink: 1 })],
  biasPrior: [
    { z: [6], bias: [6], candidate: [6] },
    (x) => t.biasPrior(x.z, { bias: x.bias, candidate: x.candidate }),
  ],
  hopfield: [{ xi: [4], k }, (x) => t.hopfield(x.xi, x.k)],
  drawsToReject: [{ z: [6] }, (x) => t.drawsToReject(x.z, { samples: 3 })],
  operatorNorm: [{ a: k }, (x) => t.operatorNorm(x.a, { columns: 4 })],
};

function tensor(shape, data) {
  const x = ch.tensor(shape, 'float64');
  x.data.set(data);
  return x;
}

for (const [name, [shapes, call]] of Object.entries(statements)) {
  const r = random(name.length);
  const arrays = Object.fromEntries(
    Object.entries(shapes).map(([key, shape]) => [
      key,
      Float64Array.from({ length: shape.reduce((a, b) => a * b) }, () => r.uniform() + 0.1),
    ]),
  );
  const expected = call(arrays);

  for (const [key, shape] of Object.entries(shapes)) {
    const length = arrays[key].length;
    const ask = (given) => call({ ...arrays, [key]: tensor(given, arrays[key]) });

    test(`${name} takes ${key} as a tensor that is flat or has its axes`, () => {
      for (const given of [[length], shape, [1, ...shape], [...shape, 1]])
        sameBits(ask(given), expected, `${name} ${key} of (${given})`);
    });

    test(`${name} refuses ${key} as a tensor with other axes`, () => {
      const other = shape.length === 1 ? [2, length / 2] : shape.toReversed();
      assert.throws(() => ask(other), {
        name: 'ClearheadError',
        code: 'SHAPE',
        message: new RegExp(`^${key} is of shape \\(${other}\\); expected \\(\\w+ \\d+`),
      });
    });
  }
}
