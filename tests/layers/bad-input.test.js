/**
 * Operations and layers given what cannot be: a typed error that names the argument, and everything
 * as it was before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { init } from '../../src/js/index.js';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { bench } from '../support/faults.js';
import { random } from '../support/random.js';

const { ch } = engines[0];
const { refuses, leaksNothing, room } = bench(ch);
const other = await init({ layers: true, variant: 'simd' });
const r = random(3);
const numbers = (length) => Float32Array.from({ length }, () => r.normal());
const detached = new Float32Array(12);
structuredClone(detached, { transfer: [detached.buffer] });
const gone = ch.tensor([12]);
gone.dispose();
/** Values that are no float32 input, each with the code of its error. */
const wrong = [
  [undefined, 'ARG'],
  [null, 'ARG'],
  [5, 'ARG'],
  ['abc', 'ARG'],
  [[1, 2, 3], 'ARG'],
  [new Float64Array(12), 'ARG'],
  [new Int32Array(12), 'ARG'],
  [detached, 'DETACHED'],
  // the last: a view of wasm memory, detached once that has grown
  [gone, 'DISPOSED'],
  [other.tensor([12]), 'DISPOSED'],
  [ch.tensor([12], 'float64'), 'ARG'],
  [ch.tensor([12]).data, 'ARG DETACHED'],
];
const x = numbers(12);
const w = numbers(4);

test('a table whose getters take a weight away is read before weights are looked at', () => {
  const weights = () => ({ q: numbers(16), k: numbers(16), v: numbers(16), o: numbers(16) });
  const { cos, sin, dim } = ch.ropeTable({ dim: 4, positions: 8 });
  const taking = (q) => ({
    get cos() {
      structuredClone(q, { transfer: [q.buffer] });
      return cos;
    },
    sin,
    dim,
  });
  const w = weights();
  refuses('a table that detaches a weight', 'DETACHED', 'weights.q', () =>
    ch.multiHead(w, { modelDim: 4, heads: 1, rope: taking(w.q) }),
  );
  const latent = { q: numbers(32), kvA: numbers(24), kvB: numbers(12), o: numbers(8) };
  refuses('a table that detaches a weight of a latent layer', 'DETACHED', 'weights.q', () =>
    ch.latent(latent, {
      modelDim: 4,
      heads: 1,
      kvLatent: 2,
      nopeDim: 4,
      ropeDim: 4,
      valueDim: 2,
      rope: taking(latent.q),
    }),
  );
});

test('every array argument of every operation', () => {
  const table = ch.ropeTable({ dim: 4, positions: 8 });
  for (const [bad, code] of wrong) {
    const name = String(bad?.constructor?.name);
    refuses(`${name} to matmul`, code, 'a', () => ch.matmul(bad, x, { k: 4 }));
    refuses(`${name} to matmul`, code, 'b', () => ch.matmul(x, bad, { k: 4 }));
    refuses(`${name} to linear`, code, 'weights', () => ch.linear(bad, { inputs: 4 }));
    refuses(`${name} to rmsNorm`, code, 'x', () => ch.rmsNorm(bad, w));
    refuses(`${name} to silu`, code, 'x', () => ch.silu(bad));
    refuses(`${name} to gelu`, code, 'x', () => ch.gelu(bad));
    refuses(`${name} to rope`, code, 'x', () => ch.rope(bad, table, { headDim: 4 }));
    refuses(`${name} to rope`, code, 'table.cos', () =>
      ch.rope(x, { ...table, cos: bad }, { headDim: 4 }),
    );
    for (const f of ['swiglu', 'geglu']) {
      refuses(`${name} to ${f}`, code, 'gate', () => ch[f](bad, x));
      refuses(`${name} to ${f}`, code, 'up', () => ch[f](x, bad));
    }
    if (bad === undefined) continue; // the rest may be absent
    refuses(`${name} to linear`, code, 'bias', () => ch.linear(x, { inputs: 4, bias: bad }));
    refuses(`${name} to layerNorm`, `${code} RANGE`, '', () => ch.layerNorm(x, bad, w));
    refuses(`${name} to layerNorm`, code, 'bias', () => ch.layerNorm(x, w, bad));
    refuses(`${name} to layerNorm`, code, 'mean', () => ch.layerNorm(x, w, w, { mean: bad }));
    for (const f of [
      (o) => ch.silu(x, o),
      (o) => ch.rmsNorm(x, w, o),
      (o) => ch.matmul(x, x, { k: 4, ...o }),
      (o) => ch.rope(x, table, { headDim: 4, ...o }),
    ])
      refuses(`${name} to out`, code, 'out', () => f({ out: bad }));
  }
});

test('sizes and numbers that do not fit', () => {
  const table = ch.ropeTable({ dim: 4, positions: 8 });
  for (const [code, word, call] of [
    ['ARG', 'k', () => ch.matmul(x, x, {})],
    ['RANGE', 'k', () => ch.matmul(x, x, { k: 0 })],
    ['RANGE', 'k', () => ch.matmul(x, x, { k: 1.5 })],
    ['SHAPE', 'a', () => ch.matmul(x, x, { k: 5 })],
    ['SHAPE', 'b', () => ch.matmul(x, w.subarray(0, 3), { k: 4 })],
    ['ARG', 'transposeB', () => ch.matmul(x, x, { k: 4, transposeB: 1 })],
    ['ARG', 'options', () => ch.matmul(x, x, { k: 4, m: 3 })],
    ['SHAPE', 'out', () => ch.matmul(x, x, { k: 4, out: new Float32Array(8) })],
    ['RANGE', 'outputs', () => ch.linear(new Float32Array(0), { inputs: 4 })],
    ['SHAPE', 'bias', () => ch.linear(x, { inputs: 4, bias: w })],
    ['SHAPE', 'weights', () => ch.linear(x, { inputs: 5 })],
    ['SHAPE', 'x', () => ch.rmsNorm(x, numbers(5))],
    ['SHAPE', 'scale', () => ch.rmsNorm(x, w, { size: 3 })],
    ['RANGE', 'epsilon', () => ch.rmsNorm(x, w, { epsilon: -1 })],
    ['RANGE', 'epsilon', () => ch.rmsNorm(x, w, { epsilon: NaN })],
    ['ARG', 'size', () => ch.rmsNorm(x)],
    ['SHAPE', 'mean', () => ch.layerNorm(x, w, w, { mean: w })],
    ['SHAPE', 'up', () => ch.swiglu(x, w)],
    ['ARG', 'approximate', () => ch.gelu(x, { approximate: 'sigmoid' })],
    ['RANGE', 'dim', () => ch.ropeTable({ dim: 3, positions: 1 })],
    ['RANGE', 'base', () => ch.ropeTable({ dim: 4, positions: 1, base: 1 })],
    ['RANGE', 'base', () => ch.ropeTable({ dim: 4, positions: 1, base: Infinity })],
    [
      'ARG',
      'scaling.type',
      () => ch.ropeTable({ dim: 4, positions: 1, scaling: { type: 'cubic' } }),
    ],
    [
      'ARG',
      'scaling.factor',
      () => ch.ropeTable({ dim: 4, positions: 1, scaling: { type: 'linear' } }),
    ],
    [
      'RANGE',
      'scaling.factor',
      () => ch.ropeTable({ dim: 4, positions: 1, scaling: { type: 'ntk', factor: 0 } }),
    ],
    [
      'RANGE',
      'dim',
      () => ch.ropeTable({ dim: 2, positions: 1, scaling: { type: 'ntk', factor: 2 } }),
    ],
    ['ARG', 'scaling.type', () => ch.ropeTable({ dim: 4, positions: 1, scaling: { factor: 4 } })],
    ['ARG', 'scaling.type', () => ch.ropeTable({ dim: 4, positions: 1, scaling: {} })],
    [
      'ARG',
      'scaling.factor',
      () => ch.ropeTable({ dim: 4, positions: 1, scaling: { type: 'none', factor: 4 } }),
    ],
    [
      'ARG',
      'scaling.mscale',
      () =>
        ch.ropeTable({ dim: 4, positions: 1, scaling: { type: 'linear', factor: 4, mscale: 9 } }),
    ],
    [
      'ARG',
      'scaling.length',
      () =>
        ch.ropeTable({
          dim: 4,
          positions: 1,
          scaling: { type: 'yarn', factor: 4, original: 9, length: 9 },
        }),
    ],
    ...[
      ['ARG', 'scaling.mscaleAllDim', { mscale: 0.707 }],
      ['ARG', 'scaling.mscale', { mscaleAllDim: 1 }],
      ['RANGE', 'scaling.mscale', { mscale: -1, mscaleAllDim: 1 }],
      ['RANGE', 'scaling.mscaleAllDim', { mscale: 1, mscaleAllDim: NaN }],
      ['RANGE', 'scaling.mscale', { mscale: 1e308, mscaleAllDim: 1 }],
      ['ARG', 'scaling.attentionFactor', { attentionFactor: 2, mscale: 1, mscaleAllDim: 1 }],
      ['RANGE', 'scaling.attentionFactor', { attentionFactor: 0 }],
      ['ARG', 'scaling.betaFast', { betaFast: null }],
    ].map(([code, word, more]) => [
      code,
      word,
      () =>
        ch.ropeTable({
          dim: 4,
          positions: 1,
          scaling: { type: 'yarn', factor: 4, original: 9, ...more },
        }),
    ]),
    [
      'ARG',
      'scaling.original',
      () => ch.ropeTable({ dim: 4, positions: 1, scaling: { type: 'yarn', factor: 2 } }),
    ],
    [
      'RANGE',
      'scaling.highFreqFactor',
      () =>
        ch.ropeTable({
          dim: 4,
          positions: 1,
          scaling: { type: 'llama3', factor: 2, original: 9, lowFreqFactor: 4, highFreqFactor: 4 },
        }),
    ],
    ['LIMIT OOM', '', () => ch.ropeTable({ dim: 2 ** 20, positions: 2 ** 20 })],
    ['SHAPE', 'table.dim', () => ch.rope(x, table, { headDim: 3 })],
    ['SHAPE', 'table.sin', () => ch.rope(x, { ...table, sin: w }, { headDim: 4 })],
    ['RANGE', 'offset', () => ch.rope(x, table, { headDim: 4, offset: 6 })],
    [
      'RANGE',
      'positions',
      () => ch.rope(x, table, { headDim: 4, positions: Int32Array.of(0, 8, 0) }),
    ],
    ['ARG', 'table', () => ch.rope(x, null, { headDim: 4 })],
    [
      'RANGE',
      'positions',
      () => ch.rope(x, table, { headDim: 4, positions: Int32Array.of(0, -1, 0) }),
    ],
    ['SHAPE', 'positions', () => ch.rope(x, table, { headDim: 4, positions: Int32Array.of(0) })],
    ['ARG', 'positions', () => ch.rope(x, table, { headDim: 4, positions: [0, 1, 2] })],
    [
      'ARG',
      'offset',
      () => ch.rope(x, table, { headDim: 4, offset: 1, positions: new Int32Array(3) }),
    ],
  ])
    refuses(String(call), code, word, call);
  const a = ch.tensor([3, 4]);
  refuses('a product in its own memory', 'ALIAS', 'out', () =>
    ch.matmul(a, numbers(16), { k: 4, out: a }),
  );
  refuses('a layer in its own memory', 'ALIAS', 'out', () =>
    ch.linear(numbers(16), { inputs: 4 }).forward(a, { out: a }),
  );
  a.dispose();
});

const config = { modelDim: 6, heads: 4, kvHeads: 2, headDim: 4, valueDim: 3 };
const weights = { q: numbers(96), k: numbers(48), v: numbers(36), o: numbers(72) };
const latentConfig = {
  modelDim: 6,
  heads: 2,
  kvLatent: 5,
  queryLatent: 3,
  nopeDim: 4,
  ropeDim: 2,
  valueDim: 3,
};
const latentWeights = {
  qA: numbers(18),
  qANorm: numbers(3),
  qB: numbers(36),
  kvA: numbers(42),
  kvANorm: numbers(5),
  kvB: numbers(70),
  o: numbers(36),
};

for (const [kind, make, w, c] of [
  ['multiHead', (w, c) => ch.multiHead(w, c), weights, config],
  ['latent', (w, c) => ch.latent(w, c), latentWeights, latentConfig],
])
  test(`a ${kind} layer whose weights or sizes do not fit is refused, and keeps no memory`, () => {
    const before = room();
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
    assert.deepEqual(room(), before);
  });

test('results that would overlap each other or the inputs are refused by name', () => {
  const X = ch.tensor([12]);
  const Y = ch.tensor([3]);
  const buffer = new ArrayBuffer(48);
  const whole = new Float32Array(buffer);
  const few = new Float32Array(buffer, 8, 3);
  const other = new Float32Array(buffer, 16, 3);
  const { cos, sin } = ch.ropeTable({ dim: 2, positions: 12 });
  const C = ch.tensor([12]);
  const S = ch.tensor([12]);
  C.data.set(cos);
  S.data.set(sin);
  for (const [word, where, call] of [
    ['inverseDeviation', 'mean', () => ch.layerNorm(x, w, w, { mean: Y, inverseDeviation: Y })],
    [
      'inverseDeviation',
      'mean',
      () => ch.layerNorm(x, w, w, { mean: few, inverseDeviation: other }),
    ],
    ['mean', 'out', () => ch.layerNorm(x, w, w, { mean: few, out: whole })],
    ['inverseDeviation', 'out', () => ch.layerNorm(x, w, w, { inverseDeviation: few, out: whole })],
    ['mean', 'out', () => ch.layerNorm(x, undefined, undefined, { size: 1, mean: X, out: X })],
    ['mean', 'x', () => ch.layerNorm(X, undefined, undefined, { size: 1, mean: X })],
    ['mean', 'x', () => ch.layerNorm(whole, w, w, { mean: few })],
    ['inverseDeviation', 'x', () => ch.layerNorm(whole, w, w, { inverseDeviation: few })],
    ['mean', 'scale', () => ch.layerNorm(x, whole.subarray(0, 4), w, { mean: few })],
    [
      'inverseDeviation',
      'bias',
      () => ch.layerNorm(x, w, whole.subarray(4, 8), { inverseDeviation: other }),
    ],
    ['mean', 'scale', () => ch.layerNorm(x.subarray(0, 9), Y, undefined, { mean: Y })],
    ['out', 'table.cos', () => ch.rope(x, { cos: C, sin, dim: 2 }, { headDim: 2, out: C })],
    ['out', 'table.sin', () => ch.rope(x, { cos, sin: S, dim: 2 }, { headDim: 2, out: S })],
    ['out', 'table.sin', () => ch.rope(x, { cos, sin: whole, dim: 2 }, { headDim: 2, out: whole })],
    [
      'out',
      'positions',
      () =>
        ch.rope(
          x,
          { cos, sin, dim: 2 },
          { headDim: 2, positions: new Int32Array(buffer, 0, 6), out: whole },
        ),
    ],
  ])
    assert.throws(
      call,
      (error) =>
        error.code === 'ALIAS' && error.message.startsWith(`${word} is in the memory of ${where};`),
      String(call),
    );
  sameArray(
    ch.rope(x, { cos, sin, dim: 2 }, { headDim: 2, out: X }),
    ch.rope(x, { cos: C, sin: S, dim: 2 }, { headDim: 2 }),
    'the table is as it was',
  );
  for (const held of [X, Y, C, S]) held.dispose();
});

test('a head above the largest is refused with the layer, and a wrong weight by its size', () => {
  const { modelDim, heads, kvHeads, headDim, valueDim } = config;
  const most = 1024;
  const one = { modelDim: 1, heads: 1, outputs: 1 };
  const of = (q, v) => ({ q: numbers(q), k: numbers(q), v: numbers(v), o: numbers(v) });
  for (const [name, made] of [
    ['headDim', () => ch.multiHead(of(most + 1, 1), { ...one, headDim: most + 1, valueDim: 1 })],
    ['valueDim', () => ch.multiHead(of(1, most + 1), { ...one, headDim: 1, valueDim: most + 1 })],
  ])
    assert.throws(
      made,
      (error) =>
        error.code === 'LIMIT' &&
        error.message === `${name} is ${most + 1}; expected at most ${most}`,
    );
  const largest = ch.multiHead(of(most, most), { ...one, headDim: most });
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
    const held = () => (multi ? cache.read().k : cache.read());
    const before = held();
    const want = layer.forward(x, { causal: true }).output;
    const tensor = ch.tensor([18]);
    const bad = (name, code, word, options, ...input) => {
      refuses(name, code, word, () => layer.forward(input.length ? input[0] : x, options));
      assert.equal(cache.length, 3);
      sameArray(held(), before, name);
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
    for (const held of [a, b, c, d]) held.dispose();
  };
  round();
  const before = room();
  for (let times = 0; times < 50; times++) round();
  assert.deepEqual(room(), before);
});

test('a getter of a scaling runs before anything is taken', () => {
  const made = [];
  const options = {
    dim: 4,
    positions: 64,
    scaling: {
      type: 'linear',
      get factor() {
        return made.push(ch.tensor([4096])) && 2;
      },
    },
  };
  const table = ch.ropeTable(options);
  const [tensor] = made;
  tensor.data.fill(7);
  sameArray(
    table.cos,
    ch.ropeTable({ ...options, scaling: { type: 'linear', factor: 2 } }).cos,
    'the table',
  );
  assert.ok(
    made.length === 1 && tensor.data.every((x) => x === 7),
    'what the getter made is its own',
  );
  tensor.dispose();
});

test('positions that another thread changes during a call are used as checked', async (t) => {
  const table = ch.ropeTable({ dim: 4, positions: 8 });
  const positions = new Int32Array(new SharedArrayBuffer(4 * 64));
  const worker = new Worker(
    'const { workerData: a } = require("worker_threads"); for (let x = 0; ; x++) a[63] = x ' +
      '& 1 ? 1 << 27 : 0;',
    { eval: true, workerData: positions },
  );
  t.after(() => worker.terminate());
  await new Promise((done) => worker.once('online', done));
  let taken = 0;
  let refused = 0;
  const y = new Float32Array(64 * 4).fill(1);
  for (const end = performance.now() + 500; performance.now() < end || !taken || !refused;)
    try {
      assert.ok(ch.rope(y, table, { headDim: 4, positions }).every((x) => Math.abs(x) < 2));
      taken++;
    } catch (error) {
      assert.equal(error.code, 'RANGE', error.message);
      refused++;
    }
});
