/** Bad input for the statements: each refusal is typed, names the argument and changes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { init } from '../../src/js/index.js';
import {
  call,
  calls,
  ch,
  k,
  leaksNothing,
  q,
  refuses,
  memoryUse,
  t,
  v,
  z,
} from '../support/theory/calls.js';

/** Each statement refuses each of the bad arrays that `spoiled` lists for one of its arrays. */
function refusesArrays(spoiled) {
  for (const [name, { arrays, typed }] of Object.entries(calls))
    for (const [key, good] of Object.entries(arrays))
      for (const [what, codes, x] of spoiled({ name, key, good, typed }))
        refuses(`${name} ${key} ${what}`, codes, key, () => call(name, { [key]: x }));
}

test('things that are no arrays, and arrays of other types, are refused', () =>
  refusesArrays(({ name, key }) =>
    [
      ['an array', [1, 2, 3]],
      ['an Int32Array', Int32Array.of(1, 2, 3)],
      ['null', null],
      ['a string', '123'],
      ['a DataView', new DataView(new ArrayBuffer(8))],
      ...[0, 0n, NaN, false, ''].map((x) => [`${typeof x} ${x}`, x]),
    ]
      .filter(([, x]) => !(name === 'gaussianWeights' && key === 'v' && x === null))
      .filter(([, x]) => !(key === 'multipliers' && typeof x === 'number'))
      .map(([what, x]) => [what, 'ARG', x]),
  ));

test('arrays with a last number that is not finite are refused', () =>
  refusesArrays(({ good }) =>
    [NaN, Infinity, -Infinity].map((x) => {
      const spoiled = good.slice();
      spoiled[good.length - 1] = x;
      return [x, 'RANGE', spoiled];
    }),
  ));

test('empty arrays are refused where a statement needs a row', () =>
  refusesArrays(({ typed, good }) => (typed ? [] : [['empty', 'SHAPE', good.slice(0, 0)]])));

test('longer arrays are refused', () => {
  // a longer q is an error of k, a longer a of b; for others the length itself is wrong
  const isMeasure = ({ name, key }) =>
    ['z', 'q', 'a', 'xi'].includes(key) ||
    (name === 'maximumLikelihood' && key === 'v') ||
    (name === 'sharedKeyBounds' && key === 'k');
  refusesArrays((array) =>
    isMeasure(array) ? [] : [['longer', 'SHAPE', Float64Array.from([...array.good, 1])]],
  );
});

test('tensors that were disposed of and arrays that were detached are refused', () => {
  const dead = ch.tensor([3], 'float64');
  dead.dispose();
  refusesArrays(({ good }) => {
    const detached = good.slice();
    structuredClone(detached, { transfer: [detached.buffer] });
    return [
      ['disposed', 'DISPOSED', dead],
      ['detached', 'DETACHED', detached],
    ];
  });
});

test('arrays that do not fit each other are refused', () => {
  refuses('a query that does not fit the keys', 'SHAPE', 'k', () =>
    t.maximumLikelihood(Float64Array.of(1, 2, 3, 4), k, v),
  );
  refuses('values that do not fit the keys', 'SHAPE', 'v', () =>
    t.maximumLikelihood(q, k, Float64Array.of(1, 2, 3, 4)),
  );
  refuses('pairs that do not fit the keys', 'SHAPE', 'a', () => t.lipschitz(z, z, { keys: 2 }));
  refuses('a long Jacobian vector', 'SHAPE', 'x', () =>
    t.softmaxJacobian(z).apply(Float64Array.of(1)),
  );
});

test('options that are no numbers, or outside their range, are refused', () => {
  for (const [name, { options }] of Object.entries(calls))
    for (const key of Object.keys(options)) {
      const spoil = (codes, x) =>
        refuses(`${name} ${key} = ${String(x)}`, codes, key, () => call(name, { [key]: x }));
      for (const x of ['1', null, 1n, {}, () => 1]) spoil('ARG', x);
      if (key === 'keep') continue;
      // a sink may be any finite number
      const outside = key === 'sink' ? [] : [0, -1];
      for (const x of [...outside, NaN, Infinity, -Infinity]) spoil('RANGE', x);
      if (['points', 'keys', 'headDim', 'valueDim', 'columns', 'steps', 'samples'].includes(key))
        for (const x of [1.5, 2 ** 31, 2 ** 53]) spoil('RANGE', x);
    }
});

test('temperatures, budgets, targets and lengths outside their range are refused', () => {
  refuses('a subnormal temperature', 'RANGE', 'temperature', () =>
    t.gibbs(z, { temperature: 5e-324 }),
  );
  for (const rho of [-1, NaN, -Infinity])
    refuses(`a budget of ${rho}`, 'RANGE', 'rho', () => t.klBudget(z, rho));
  for (const rho of [undefined, null, '1'])
    refuses(`a budget ${rho}`, 'ARG', 'rho', () => t.klBudget(z, rho));
  for (const target of [NaN, Infinity, 1e9, -1e9])
    refuses(`a target ${target}`, 'RANGE', 'target', () => t.maximumEntropy(q, k, { target }));
  refuses('neither multipliers nor a target', 'ARG', 'options', () => t.maximumEntropy(q, k, {}));
  refuses('both', 'ARG', 'options', () => t.maximumEntropy(q, k, { multipliers: 1, target: 1 }));
  for (const length of [-1, 1.5, NaN, 2 ** 40])
    refuses(`normal ${length}`, 'RANGE', 'length', () => t.normal(length));
});

test('candidates that are no distribution are refused', () => {
  for (const [what, ...candidate] of [
    ['negative', 1, -1, 1],
    ['of an infinite sum', 1e308, 1e308, 1e308],
    ['of a larger infinite sum', 1.7e308, 1.7e308, 1.7e308],
    ['of zeros', 0, 0, 0],
  ])
    refuses(`a candidate ${what}`, 'RANGE', 'candidate', () =>
      t.gibbs(z, { candidate: Float64Array.from(candidate) }),
    );
});

test('numbers that a double cannot hold on the way are refused', () => {
  const of = (...x) => Float64Array.of(...x);
  const extremes = of(1.7e308, -1.7e308, 0);
  const opposite = extremes.map((x) => -x);
  for (const [what, name, f] of [
    ['logits that differ by more', 'z', () => t.klBudget(extremes, 0.3)],
    ['logits whose β is subnormal', 'z', () => t.klBudget(of(8e307, 0, -8e307), 1e-40)],
    ['logits that differ by more, on the frontier', 'z', () => t.klFrontier(extremes)],
    ['logits over T', 'z', () => t.rhoEffective(of(1e308, 0), { temperature: 1e-3 })],
    ['a gap', 'z', () => t.gibbs(of(1e308, -1e308), { candidate: of(1, 1) })],
    ['pairs that differ by more', 'b', () => t.lipschitz(extremes, opposite)],
    ['a sum', 'change', () => t.logSumExp(of(1e308, 0), { change: of(1e308, 0) })],
    ['a rise', 'change', () => t.logSumExp(of(0, -1), { change: of(-1.7e308, 1.7e308) })],
    [
      'a divergence',
      'change',
      () => t.logSumExp(of(0, -1), { temperature: 1e-3, change: of(-1e308, 0) }),
    ],
    ['a change', 'change', () => t.everyNorm(of(1e308, 0), { change: of(1e308, 0) })],
    ['logits over T', 'z', () => t.susceptibility(of(1e308, 0), { temperature: 1e-3 })],
    ['a gap over T', 'z', () => t.dispersion(of(1e308, -1e308))],
    ['log-odds', 'z', () => t.sinkGate(of(1e308), { sink: -1e308 })],
    ['logits against biases', 'z', () => t.biasPrior(extremes, { bias: opposite })],
    ['an energy', 'k', () => t.hopfield(of(1e200), of(1e200, 1))],
  ])
    refuses(`${what} beyond the doubles`, 'RANGE', name, f);
});

test('lists of rows to keep with a hole, twice a row, all rows or a wrong one are refused', () => {
  for (const keep of [new Array(1), Object.assign(new Array(2), { 1: 1 })])
    refuses(`a hole in keep`, 'ARG', 'keep', () => t.simplexMerge(z, { keep }));
  for (const keep of [[0, 0], [0, 1, 2], [3], [-1], [0.5]])
    refuses(`keep ${keep}`, 'RANGE', 'keep', () => t.simplexMerge(z, { keep }));
});

test('sizes of an experiment or a cost outside their range, or no numbers, are refused', () => {
  for (const key of ['headDim', 'samples', 'keys', 'seed']) {
    const shape = { headDim: 4, samples: 2, keys: 2 };
    for (const x of [-1, 1.5, NaN, 2 ** 40])
      refuses(`scaleExperiment ${key} = ${x}`, 'RANGE', key, () =>
        t.scaleExperiment({ ...shape, [key]: x }),
      );
    refuses(`scaleExperiment ${key} '1'`, 'ARG', key, () =>
      t.scaleExperiment({ headDim: 4, [key]: '1' }),
    );
  }
  for (const key of ['m', 'n', 'headDim', 'valueDim']) {
    const shape = { m: 4, n: 4, headDim: 4, valueDim: 4 };
    for (const x of [-1, -0, 1.5, NaN, Infinity, 2 ** 31])
      refuses(`cost ${key} = ${x}`, 'RANGE', key, () => t.cost({ ...shape, [key]: x }));
    for (const x of ['1', null, 1n])
      refuses(`cost ${key} ${typeof x}`, 'ARG', key, () => t.cost({ ...shape, [key]: x }));
    refuses(`cost ${key} too large`, 'LIMIT', 'shape', () => t.cost({ ...shape, [key]: 2 ** 30 }));
  }
});

test('options that do not exist, and none where some are needed, are refused', () => {
  for (const name of Object.keys(calls))
    refuses(`${name} tau`, 'ARG', 'tau', () => call(name, { tau: 1 }));
  refuses('no size', 'ARG', 'headDim', () => t.sharedKeyBounds(q, k, k, v));
  refuses('no keep', 'ARG', 'keep', () => t.simplexMerge(z));
  refuses('no columns', 'ARG', 'columns', () => t.operatorNorm(k));
  refuses('no head size', 'ARG', 'headDim', () => t.scaleExperiment());
  refuses('no queries', 'ARG', 'm', () => t.cost());
  refuses('an option that does not exist', 'ARG', 'heads', () =>
    t.cost({ m: 1, n: 1, headDim: 1, heads: 2 }),
  );
});

test('tensors of any engine and float32 arrays count as their numbers', async () => {
  const other = await init({ variant: 'simd' });
  const before = memoryUse();
  for (const name of Object.keys(calls)) {
    const { arrays, typed } = calls[name];
    const want = call(name);
    const tensors = [];
    const wrap = (f) =>
      call(name, Object.fromEntries(Object.entries(arrays).map(([key, x]) => [key, f(x)])));
    const tensor =
      (dtype, engine = ch) =>
      (x) => {
        const a = engine.tensor([x.length], dtype);
        a.data.set(x);
        tensors.push(a);
        return a;
      };
    const narrow = (x) => Float32Array.from(x);
    sameBits(wrap(tensor('float64')), want, name);
    sameBits(wrap(tensor('float64', other)), want, name);
    sameBits(wrap(tensor('float32')), typed ? wrap(narrow) : want, name);
    if (!typed) sameBits(wrap(narrow), want, name);
    for (const a of tensors) a.dispose();
  }
  assert.deepEqual(memoryUse(), before);
});

test('a refused call keeps no memory', () => {
  leaksNothing('a sum beyond the doubles', () =>
    t.logSumExp(Float64Array.of(1e308, 0), { change: Float64Array.of(1e308, 0) }),
  );
  leaksNothing('a shape too large', () => t.cost({ m: 1, n: 1, headDim: 1025 }));
  leaksNothing('a bad candidate', () => t.gibbs(z, { candidate: new Float64Array(2) }));
  leaksNothing('a bad temperature', () => t.limits(z, { temperature: 0 }));
  leaksNothing('a bad target', () => t.maximumEntropy(q, k, { target: 1e9 }));
});

test('a Jacobian has its methods', () => {
  for (const method of ['apply', 'spectrum', 'top'])
    assert.equal(typeof t.softmaxJacobian(z)[method], 'function');
});
