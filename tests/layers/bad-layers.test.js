/** Layers refuse weights, sizes and inputs that do not fit, and change nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import {
  ch,
  config,
  latentConfig,
  latentWeights,
  leaksNothing,
  numbers,
  refuses,
  memoryUse,
  weights,
  wrong,
} from '../support/layers/bad-layers.js';

for (const [kind, make, w, c] of [
  ['multiHead', (w, c) => ch.multiHead(w, c), weights, config],
  ['latent', (w, c) => ch.latent(w, c), latentWeights, latentConfig],
])
  test(`a ${kind} layer whose weights or sizes do not fit is refused, and keeps no memory`, () => {
    const before = memoryUse();
    for (const name of Object.keys(w)) {
      for (const [bad, code] of wrong)
        if (bad !== undefined || !/Norm/.test(name))
          refuses(`${name} ${String(bad?.constructor?.name)}`, code, `weights.${name}`, () =>
            make({ ...w, [name]: bad }, c),
          );
      refuses(`${name} too short`, 'SHAPE', `weights.${name}`, () =>
        make({ ...w, [name]: w[name].subarray(1) }, c),
      );
    }
    for (const name of Object.keys(c)) {
      for (const bad of [-1, 1.5, NaN])
        refuses(`${name} ${bad}`, 'RANGE SHAPE', '', () => make(w, { ...c, [name]: bad }));
      for (const bad of ['four', 8n, Symbol('four')])
        refuses(`${name} ${typeof bad}`, 'ARG', name, () => make(w, { ...c, [name]: bad }));
    }
    if (kind === 'multiHead')
      refuses(
        'a model size that heads do not divide',
        'SHAPE',
        'modelDim',
        () => make(w, { modelDim: 33, heads: 4 }),
        'a multiple of heads = 4',
      );
    refuses('no config', 'ARG RANGE', '', () => make(w));
    refuses('no weights', 'ARG', 'weights', () => make(undefined, c));
    refuses('an unknown weight', 'ARG', 'weights', () => make({ ...w, wq: w.o }, c));
    refuses('a table too wide', 'SHAPE', 'rope', () =>
      make(w, { ...c, rope: ch.ropeTable({ dim: 8, positions: 4 }) }),
    );
    refuses('a residual of another size', 'SHAPE', '', () =>
      make({ ...w, o: w.o.subarray(w.o.length / 6) }, { ...c, outputs: 5, residual: true }),
    );
    refuses('epsilon −1', 'RANGE', 'normEpsilon', () => make(w, { ...c, normEpsilon: -1 }));
    for (const huge of [{ heads: 2 ** 30 }, { modelDim: 2 ** 31 - 1 }])
      refuses(`${JSON.stringify(huge)}`, 'SHAPE LIMIT RANGE', '', () => make(w, { ...c, ...huge }));
    leaksNothing('a layer refused', () => make({ ...w, o: w.o.subarray(1) }, c));
    assert.deepEqual(memoryUse(), before);
  });

test('a head above the largest is refused with the layer, and a wrong weight by its size', () => {
  const { modelDim, heads, kvHeads, headDim, valueDim } = config;
  const max = 1024;
  const one = { modelDim: 1, heads: 1, outputs: 1 };
  const of = (q, v) => ({ q: numbers(q), k: numbers(q), v: numbers(v), o: numbers(v) });
  for (const [name, made] of [
    ['headDim', () => ch.multiHead(of(max + 1, 1), { ...one, headDim: max + 1, valueDim: 1 })],
    ['valueDim', () => ch.multiHead(of(1, max + 1), { ...one, headDim: 1, valueDim: max + 1 })],
  ])
    assert.throws(
      made,
      (error) =>
        error.code === 'LIMIT' &&
        error.message === `${name} is ${max + 1}; expected at most ${max}`,
    );
  const largest = ch.multiHead(of(max, max), { ...one, headDim: max });
  assert.equal(largest.forward(numbers(2)).output.length, 2);
  largest.dispose();
  for (const [name, size, words] of [
    ['qBias', heads * headDim, 'heads*headDim'],
    ['kBias', kvHeads * headDim, 'kvHeads*headDim'],
    ['vBias', kvHeads * valueDim, 'kvHeads*valueDim'],
    ['oBias', modelDim, 'outputs'],
    ['qNorm', headDim, 'headDim'],
    ['kNorm', headDim, 'headDim'],
  ])
    assert.throws(() => ch.multiHead({ ...weights, [name]: numbers(size + 1) }, config), {
      code: 'SHAPE',
      message: `weights.${name} is ${size + 1} long; expected ${size} = ${words}`,
    });
});

test('a latent layer beyond the largest head is refused', () => {
  refuses('a latent of 1024 and 2', 'LIMIT SHAPE RANGE', 'config', () =>
    ch.latent(
      { q: numbers(12), kvA: numbers(1026), kvB: numbers(7 * 2 * 1024), o: numbers(6) },
      { modelDim: 1, heads: 2, kvLatent: 1024, nopeDim: 4, ropeDim: 2, valueDim: 3, outputs: 1 },
    ),
  );
  refuses('q beside a compressed query', 'ARG', 'weights.q', () =>
    ch.latent({ ...latentWeights, q: numbers(72) }, latentConfig),
  );
});

for (const kind of ['multiHead', 'latent'])
  test(`a refused forward of a ${kind} layer changes nothing`, () => {
    const multi = kind === 'multiHead';
    const rope = ch.ropeTable({ dim: 2, positions: 8 });
    const layer = multi
      ? ch.multiHead(weights, { ...config, rope, residual: true })
      : ch.latent(latentWeights, { ...latentConfig, rope });
    const cache = multi
      ? ch.kvCache({ kvHeads: 2, headDim: 4, valueDim: 3, capacity: 5 })
      : layer.cache({ capacity: 5 });
    const x = numbers(18);
    const none = new Float32Array(0);
    layer.forward(x, { cache, causal: true });
    const contents = () => (multi ? cache.read().k : cache.read());
    const before = contents();
    const want = layer.forward(x, { causal: true }).output;
    const tensor = ch.tensor([18]);
    const bad = (name, code, word, options, ...input) => {
      refuses(name, code, word, () => layer.forward(input.length ? input[0] : x, options));
      assert.equal(cache.length, 3);
      sameArray(contents(), before, name);
      sameArray(layer.forward(x, { causal: true }).output, want, `${name}: the next call`);
    };
    for (const [given, code] of wrong)
      bad(`x ${String(given?.constructor?.name)}`, code, 'x', {}, given);
    bad('x of another width', 'SHAPE', 'x', {}, numbers(16));
    bad('a full cache', 'LIMIT', 'cache', { cache });
    bad('more positions than the table has', 'RANGE', 'x', {}, numbers(54));
    bad('a place outside the table', 'RANGE', 'positions', { positions: Int32Array.of(0, 1, 8) });
    bad('two sequences over one cache', 'SHAPE', 'batch', { cache, batch: 2 }, numbers(12));
    bad('another cache', 'ARG SHAPE', 'cache', {
      cache: multi
        ? ch.kvCache({ headDim: 4, capacity: 5 })
        : ch.kvCache({ headDim: 7, capacity: 9 }),
    });
    bad('no cache', 'ARG', 'cache', { cache: {} });
    bad('a temperature below 0', 'RANGE', 'temperature', { cache, temperature: -1 }, numbers(6));
    bad(
      'a mask of another shape',
      'SHAPE',
      'mask',
      { cache, mask: { data: new Uint8Array(9), shape: [3, 3] } },
      numbers(6),
    );
    bad('an unknown option', 'ARG', 'heads', { heads: 4 });
    bad('an unknown wish', 'ARG', 'want', { cache, want: { rho: true } }, numbers(6));
    bad('out of another size', 'SHAPE', 'out', { cache, out: new Float32Array(5) }, numbers(6));
    bad('out in the memory of x', 'ALIAS', 'out', { out: tensor }, tensor);
    assert.equal(layer.forward(new Float32Array(0)).output.length, 0);
    assert.equal(layer.forward(none, { cache }).output.length, 0);
    leaksNothing('forward', () => layer.forward(x, { cache }));
    cache.dispose();
    refuses('a cache disposed of', 'DISPOSED', 'cache', () => layer.forward(x, { cache }));
    layer.dispose();
    layer.dispose();
    refuses('a layer disposed of', 'DISPOSED', 'layer', () => layer.forward(x));
  });

test('making, running and disposing of layers leaves memory as it was', () => {
  const round = () => {
    const a = ch.multiHead(weights, config);
    const b = ch.latent(latentWeights, latentConfig);
    const c = ch.linear(numbers(12), { inputs: 3 });
    const d = b.cache({ capacity: 9 });
    a.forward(numbers(60), { want: { stats: true } });
    b.forward(numbers(30), { cache: d });
    for (const contents of [a, b, c, d]) contents.dispose();
  };
  round();
  const before = memoryUse();
  for (let times = 0; times < 50; times++) round();
  assert.deepEqual(memoryUse(), before);
});
