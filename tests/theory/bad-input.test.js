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

test('arrays of other types, not finite, empty or of another length are refused', () => {
  const dead = ch.tensor([3], 'float64');
  dead.dispose();
  for (const [name, { arrays, typed }] of Object.entries(calls))
    for (const [key, good] of Object.entries(arrays)) {
      const spoil = (what, codes, x) =>
        refuses(`${name} ${key} ${what}`, codes, key, () => call(name, { [key]: x }));
      for (const [what, x] of [
        ['an array', [1, 2, 3]],
        ['an Int32Array', Int32Array.of(1, 2, 3)],
        ['null', null],
        ['a string', '123'],
        ['a DataView', new DataView(new ArrayBuffer(8))],
      ])
        if (!(name === 'gaussianWeights' && key === 'v' && x === null)) spoil(what, 'ARG', x);
      for (const x of [0, 0n, NaN, false, ''])
        if (!(key === 'multipliers' && typeof x === 'number')) spoil(`${typeof x} ${x}`, 'ARG', x);
      for (const x of [NaN, Infinity, -Infinity])
        spoil(
          x,
          'RANGE',
          good.map((y, j) => (j === good.length - 1 ? x : y)),
        );
      if (!typed) spoil('empty', 'SHAPE', good.slice(0, 0));
      // a longer q is an error of k, a longer a of b; for others the length itself is wrong
      if (
        !['z', 'q', 'a'].includes(key) &&
        !(name === 'maximumLikelihood' && key === 'v') &&
        !(name === 'sharedKeyBounds' && key === 'k')
      )
        spoil('longer', 'SHAPE', Float64Array.from([...good, 1]));
      spoil('disposed', 'DISPOSED', dead);
      const detached = good.slice();
      structuredClone(detached, { transfer: [detached.buffer] });
      spoil('detached', 'DETACHED', detached);
    }
  refuses('a query that does not fit the keys', 'SHAPE', 'k', () =>
    t.maximumLikelihood(Float64Array.of(1, 2, 3, 4), k, v),
  );
  refuses('values that do not fit the keys', 'SHAPE', 'v', () =>
    t.maximumLikelihood(q, k, Float64Array.of(1, 2, 3, 4)),
  );
  refuses('pairs that do not fit the keys', 'SHAPE', 'a', () => t.lipschitz(z, z, { keys: 2 }));
});

test('numbers that are none, or outside their range, are refused', () => {
  for (const [name, { options }] of Object.entries(calls))
    for (const key of Object.keys(options)) {
      const spoil = (codes, x) =>
        refuses(`${name} ${key} = ${String(x)}`, codes, key, () => call(name, { [key]: x }));
      for (const x of ['1', null, 1n, {}, () => 1]) spoil('ARG', x);
      if (key === 'keep') continue;
      for (const x of [0, -1, NaN, Infinity, -Infinity]) spoil('RANGE', x);
      if (['points', 'keys', 'headDim', 'valueDim', 'columns'].includes(key))
        for (const x of [1.5, 2 ** 31, 2 ** 53]) spoil('RANGE', x);
    }
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
  refuses('a negative candidate', 'RANGE', 'candidate', () =>
    t.gibbs(z, { candidate: Float64Array.of(1, -1, 1) }),
  );
  for (const x of [1e308, 1.7e308])
    refuses(`a candidate whose sum is infinite, ${x}`, 'RANGE', 'candidate', () =>
      t.gibbs(z, { candidate: Float64Array.of(x, x, x) }),
    );
  const extremes = Float64Array.of(1.7e308, -1.7e308, 0);
  refuses('logits that differ by more than there is', 'RANGE', 'z', () =>
    t.klBudget(extremes, 0.3),
  );
  refuses('logits so far apart that β is no normal number', 'RANGE', 'z', () =>
    t.klBudget(Float64Array.of(8e307, 0, -8e307), 1e-40),
  );
  refuses('logits that differ by more than there is, on the frontier', 'RANGE', 'z', () =>
    t.klFrontier(extremes),
  );
  refuses('pairs that differ by more than there is', 'RANGE', 'b', () =>
    t.lipschitz(
      extremes,
      extremes.map((x) => -x),
    ),
  );
  refuses('no candidate at all', 'RANGE', 'candidate', () =>
    t.gibbs(z, { candidate: new Float64Array(3) }),
  );
  for (const keep of [new Array(1), Object.assign(new Array(2), { 1: 1 })])
    refuses(`a hole in keep`, 'ARG', 'keep', () => t.simplexMerge(z, { keep }));
  for (const keep of [[0, 0], [0, 1, 2], [3], [-1], [0.5]])
    refuses(`keep ${keep}`, 'RANGE', 'keep', () => t.simplexMerge(z, { keep }));
  for (const [key, good] of Object.entries({ headDim: 4, samples: 2, keys: 2, seed: 1 })) {
    assert.ok(good);
    for (const x of [-1, 1.5, NaN, 2 ** 40])
      refuses(`scaleExperiment ${key} = ${x}`, 'RANGE', key, () =>
        t.scaleExperiment({ headDim: 4, samples: 2, keys: 2, [key]: x }),
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
  const of = (...x) => Float64Array.of(...x);
  refuses('a sum beyond the doubles', 'RANGE', 'change', () =>
    t.logSumExp(of(1e308, 0), { change: of(1e308, 0) }),
  );
  refuses('a rise beyond the doubles', 'RANGE', 'change', () =>
    t.logSumExp(of(0, -1), { change: of(-1.7e308, 1.7e308) }),
  );
  refuses('a divergence beyond the doubles', 'RANGE', 'change', () =>
    t.logSumExp(of(0, -1), { temperature: 1e-3, change: of(-1e308, 0) }),
  );
  refuses('logits over T beyond the doubles', 'RANGE', 'z', () =>
    t.rhoEffective(of(1e308, 0), { temperature: 1e-3 }),
  );
  refuses('the gap of a candidate beyond the doubles', 'RANGE', 'z', () =>
    t.gibbs(of(1e308, -1e308), { candidate: of(1, 1) }),
  );
  leaksNothing('a sum beyond the doubles', () =>
    t.logSumExp(of(1e308, 0), { change: of(1e308, 0) }),
  );
  leaksNothing('a shape too large', () => t.cost({ m: 1, n: 1, headDim: 1025 }));
  for (const length of [-1, 1.5, NaN, 2 ** 40])
    refuses(`normal ${length}`, 'RANGE', 'length', () => t.normal(length));
  refuses('a long Jacobian vector', 'SHAPE', 'x', () =>
    t.softmaxJacobian(z).apply(Float64Array.of(1)),
  );
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
  leaksNothing('a bad candidate', () => t.gibbs(z, { candidate: new Float64Array(2) }));
  leaksNothing('a bad temperature', () => t.limits(z, { temperature: 0 }));
  leaksNothing('a bad target', () => t.maximumEntropy(q, k, { target: 1e9 }));
  for (const method of ['apply', 'spectrum', 'top'])
    assert.equal(typeof t.softmaxJacobian(z)[method], 'function');
});
