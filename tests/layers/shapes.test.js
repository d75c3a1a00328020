/** Tensors that meet in an operation are compared with each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';

const ch = await init({ layers: true, variant: 'simd' });
const of = (...shape) => {
  const x = ch.tensor(shape);
  x.data.fill(1);
  return x;
};
const table = ch.ropeTable({ dim: 4, positions: 8 });
const linear = ch.linear(new Float32Array(6), { inputs: 2 });

/** Operations with tensors whose shapes contradict each other. @type {[string, () => unknown][]} */
const REFUSED = [
  ['b is of shape (2,4); expected (4,2) as a', () => ch.add(of(4, 2), of(2, 4))],
  ['b is of shape (2,4); expected (4,2) as a row of a', () => ch.add(of(3, 4, 2), of(2, 4))],
  ['up is of shape (2,4); expected (4,2) as gate', () => ch.swiglu(of(4, 2), of(2, 4))],
  ['up is of shape (2,4); expected (4,2) as gate', () => ch.geglu(of(4, 2), of(2, 4))],
  [
    'out is of shape (2,4); expected (4,2) as a',
    () => ch.add(of(4, 2), of(4, 2), { out: of(2, 4) }),
  ],
  [
    'out is of shape (2,4); expected (4,2) as gate',
    () => ch.geglu(of(4, 2), of(4, 2), { out: of(2, 4) }),
  ],
  ['out is of shape (2,4); expected (4,2) as x', () => ch.silu(of(4, 2), { out: of(2, 4) })],
  ['out is of shape (2,4); expected (4,2) as x', () => ch.gelu(of(4, 2), { out: of(2, 4) })],
  ['out is of shape (2,4); expected (4,2) as x', () => ch.softmax(of(4, 2), { out: of(2, 4) })],
  [
    'out is of shape (2,4); expected (4,2) as x',
    () => ch.rmsNorm(of(4, 2), of(2), { out: of(2, 4) }),
  ],
  [
    'scale is of shape (2,4); expected (4,2) as a row of x',
    () => ch.rmsNorm(of(3, 4, 2), of(2, 4)),
  ],
  [
    'bias is of shape (2,4); expected (4,2) as a row of x',
    () => ch.layerNorm(of(3, 4, 2), of(4, 2), of(2, 4)),
  ],
  [
    'bias is of shape (2,4); expected (4,2) as scale',
    () => ch.layerNorm(new Float32Array(8), of(4, 2), of(2, 4)),
  ],
  [
    'out is of shape (2,4); expected (4,2) as x',
    () => ch.layerNorm(of(4, 2), of(2), undefined, { out: of(2, 4) }),
  ],
  [
    'mean is of shape (3,2); expected (2,3) before each row, as x',
    () => ch.layerNorm(of(2, 3, 4), of(4), undefined, { mean: of(3, 2) }),
  ],
  [
    'inverseDeviation is of shape (3,2); expected (2,3) before each row, as x',
    () => ch.layerNorm(of(2, 3, 4), of(4), undefined, { inverseDeviation: of(3, 2) }),
  ],
  [
    'out is of shape (4,2); expected (2,4) as x',
    () => ch.rope(of(2, 4), table, { headDim: 4, out: of(4, 2) }),
  ],
  [
    'table.cos is of shape (2,8); expected (positions 8, pairs 2)',
    () => ch.rope(of(2, 4), { ...table, cos: of(2, 8) }, { headDim: 4 }),
  ],
  [
    'table.sin is of shape (2,8); expected (positions 8, pairs 2)',
    () => ch.rope(of(2, 4), { ...table, sin: of(2, 8) }, { headDim: 4 }),
  ],
  [
    'out is of shape (5,4,3); expected (4,5) before each row, as x',
    () => linear.forward(of(4, 5, 2), { out: of(5, 4, 3) }),
  ],
  [
    'out is of shape (5,4,3); expected (4,5) before each row, as x',
    () => ch.matmul(of(4, 5, 2), of(2, 3), { k: 2, out: of(5, 4, 3) }),
  ],
  [
    'bias is of shape (3,2); expected (outputs 6)',
    () => ch.linear(new Float32Array(12), { inputs: 2, bias: of(3, 2) }),
  ],
  [
    'weights.qBias is of shape (2,3); expected (heads 3, headDim 2)',
    () => {
      const w = new Float32Array(36);
      return ch.multiHead({ q: w, k: w, v: w, o: w, qBias: of(2, 3) }, { modelDim: 6, heads: 3 });
    },
  ],
];

test('tensors whose shapes contradict each other are refused by both names', () => {
  for (const [message, act] of REFUSED)
    assert.throws(act, { name: 'ClearheadError', code: 'SHAPE', message }, `${act}`);
});

test('tensors whose axes agree are accepted, also with axes of 1 or several as one', () => {
  for (const [act, length] of [
    [() => ch.add(of(4, 2), of(4, 2)), 8],
    [() => ch.add(of(2, 2, 2), of(4, 2)), 8],
    [() => ch.add(of(4, 2), of(1, 2, 2, 2)), 8],
    [() => ch.add(of(4, 2), of(8)), 8],
    [() => ch.add(of(8), of(2, 4)), 8],
    [() => ch.add(of(4, 2), of(1, 2)), 8],
    [() => ch.add(of(3, 4, 2), of(4, 2)), 24],
    [() => ch.add(of(3, 4, 2), of(8)), 24],
    [() => ch.add(of(4, 2), new Float32Array(8)), 8],
    [() => ch.swiglu(of(2, 3, 4), of(6, 4), { out: of(2, 12) }), 24],
    [() => ch.rmsNorm(of(3, 4, 2), of(4, 2), { out: of(3, 8) }), 24],
    [() => ch.layerNorm(of(2, 3, 4), of(4), of(1, 4), { mean: of(2, 3), out: of(6, 4) }), 24],
    [() => ch.softmax(of(2, 3, 4), { out: of(6, 4) }), 24],
    [() => ch.rope(of(2, 4), table, { headDim: 4, out: of(1, 2, 4) }), 8],
    [() => linear.forward(of(4, 5, 2), { out: of(20, 3) }), 60],
    [() => linear.forward(of(20, 2), { out: of(4, 5, 3) }), 60],
  ])
    assert.equal(act().length, length, `${act}`);
});
