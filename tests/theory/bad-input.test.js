/**
 * Bad input for the statements: each refusal is typed, names the argument and changes nothing.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { bench } from '../support/faults.js';
import { init } from '../../src/js/index.js';

const { ch } = engines[0];
const { refuses, leaksNothing, room } = bench(ch);
const t = await ch.theory;
const z = Float64Array.of(1, 2, 3);
const q = Float64Array.of(1, -1);
const k = Float64Array.of(1, 2, 3, 4, 5, 6);
const v = Float64Array.of(1, 2, 3);

/**
 * Each statement as a call of its inputs and options, with the names of its arrays (the first
 * `positional` are arguments, the others options). The `typed` ones compute in the type of q and
 * take arrays of no rows.
 */
const calls = {
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
};

function call(name, change = {}) {
  const { arrays, positional, options } = calls[name];
  const all = Object.entries({ ...arrays, ...options, ...change });
  const is = (x) => Object.keys(arrays).indexOf(x);
  const first = all.filter(([key]) => is(key) >= 0 && is(key) < positional);
  return t[name](
    ...first.map(([, x]) => x),
    Object.fromEntries(all.filter((entry) => !first.includes(entry))),
  );
}

test('arrays that are none, hold no finite numbers, are empty or of another length', () => {
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

test('numbers that are none, or outside their range', () => {
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

test('options that do not exist, and no options where some are needed', () => {
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
  const before = room();
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
  assert.deepEqual(room(), before);
  leaksNothing('a bad candidate', () => t.gibbs(z, { candidate: new Float64Array(2) }));
  leaksNothing('a bad temperature', () => t.limits(z, { temperature: 0 }));
  leaksNothing('a bad target', () => t.maximumEntropy(q, k, { target: 1e9 }));
  for (const method of ['apply', 'spectrum', 'top'])
    assert.equal(typeof t.softmaxJacobian(z)[method], 'function');
});

test('a tensor is read before memory grows for the results', async () => {
  const fresh = await init({ variant: 'simd' });
  const tensor = fresh.tensor([300000], 'float64');
  tensor.data.set(t.normal(300000));
  sameBits((await fresh.theory).limits(tensor), t.limits(tensor.data.slice()));
});

/** A copy of the library without one of its files, or with another in its place. */
async function copyWith(file, change) {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-without-'));
  cpSync(new URL('../../src/js', import.meta.url), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const path = join(folder, 'theory', file);
  if (change) writeFileSync(path, change(readFileSync(path)));
  else rmSync(path);
  const { init } = await import(pathToFileURL(join(folder, 'index.js')).href);
  return {
    init,
    mend: () => cpSync(fileOf(file), path),
    end: () => rmSync(folder, { recursive: true }),
  };
}
const fileOf = (name) => new URL(`../../src/js/theory/${name}`, import.meta.url);

for (const [what, code, file, change] of [
  ['code', 'NET', 'index.js'],
  ['kernels', 'NET', 'theory.wasm'],
  ['kernels cut off', 'INTEGRITY', 'theory.wasm', (bytes) => bytes.subarray(0, 1000)],
  ['kernels in place of which a page came', 'FORMAT', 'theory.wasm', () => '<html>'],
])
  test(`without the statements' ${what} attention works, and they name it`, async () => {
    const copy = await copyWith(file, change);
    try {
      for (const threads of [1, 2]) {
        const engine = await copy.init({ threads });
        await assert.rejects(
          engine.theory,
          (error) => error.code === code && error.message.includes(file),
        );
        engine.dispose();
      }
    } finally {
      copy.end();
    }
  });

test('statements that did not load are asked for again', async () => {
  const copy = await copyWith('theory.wasm');
  try {
    const engine = await copy.init();
    await assert.rejects(engine.theory, { code: 'NET' });
    copy.mend();
    const theory = await engine.theory;
    assert.equal(engine.theory, engine.theory);
    assert.equal(theory.klBudget(z, 0).beta, 0);
  } finally {
    copy.end();
  }
});

test('theoryWasm takes what wasm takes, and refuses the kernels of attention', async () => {
  const bytes = readFileSync(fileOf('theory.wasm'));
  for (const theoryWasm of [
    bytes,
    Promise.resolve(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
    fileOf('theory.wasm'),
    new WebAssembly.Module(bytes),
  ])
    assert.equal((await (await init({ theoryWasm })).theory).klBudget(z, 0).beta, 0);
  for (const [theoryWasm, code] of [
    [5, 'ARG'],
    [null, 'ARG'],
    [new URL('../../src/js/engine/attn.simd.wasm', import.meta.url), 'FORMAT'],
    [bytes.subarray(8), 'FORMAT'],
    [fileOf('nowhere.wasm'), 'NET'],
  ])
    await assert.rejects((await init({ theoryWasm })).theory, (error) => {
      assert.equal(error.code, code);
      assert.match(error.message, /theory\.?wasm/i);
      return true;
    });
});
