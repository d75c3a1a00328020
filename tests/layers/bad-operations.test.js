/** Operations refuse arrays and sizes that do not fit, by name. */
import { test } from 'node:test';
import { ch, numbers, refuses, w, wrong, x } from '../support/layers/bad-layers.js';

const table = ch.ropeTable({ dim: 4, positions: 8 });

test('a table whose getters take a weight away is read before weights are looked at', () => {
  const weights = () => ({ q: numbers(16), k: numbers(16), v: numbers(16), o: numbers(16) });
  const { cos, sin, dim } = table;
  const detaching = (q) => ({
    get cos() {
      structuredClone(q, { transfer: [q.buffer] });
      return cos;
    },
    sin,
    dim,
  });
  const w = weights();
  refuses('a table that detaches a weight', 'DETACHED', 'weights.q', () =>
    ch.multiHead(w, { modelDim: 4, heads: 1, rope: detaching(w.q) }),
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
      rope: detaching(latent.q),
    }),
  );
});

test('an array of another type is refused by name, in every argument of every operation', () => {
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

const scaled = (scaling, more) => ch.ropeTable({ dim: 4, positions: 1, scaling, ...more });
const yarn = (more) => scaled({ type: 'yarn', factor: 4, original: 9, ...more });
const rotated = (options) => ch.rope(x, table, { headDim: 4, ...options });

/** Calls with a size or number that does not fit: the code of the error, its argument, the call. */
const misfits = {
  'of products': [
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
  ],
  'of norms and activations': [
    ['SHAPE', 'x', () => ch.rmsNorm(x, numbers(5))],
    ['SHAPE', 'scale', () => ch.rmsNorm(x, w, { size: 3 })],
    ['RANGE', 'epsilon', () => ch.rmsNorm(x, w, { epsilon: -1 })],
    ['RANGE', 'epsilon', () => ch.rmsNorm(x, w, { epsilon: NaN })],
    ['ARG', 'size', () => ch.rmsNorm(x)],
    ['SHAPE', 'mean', () => ch.layerNorm(x, w, w, { mean: w })],
    ['SHAPE', 'up', () => ch.swiglu(x, w)],
    ['ARG', 'approximate', () => ch.gelu(x, { approximate: 'sigmoid' })],
  ],
  'of rotary tables': [
    ['RANGE', 'dim', () => ch.ropeTable({ dim: 3, positions: 1 })],
    ['RANGE', 'base', () => ch.ropeTable({ dim: 4, positions: 1, base: 1 })],
    ['RANGE', 'base', () => ch.ropeTable({ dim: 4, positions: 1, base: Infinity })],
    ['LIMIT OOM', '', () => ch.ropeTable({ dim: 2 ** 20, positions: 2 ** 20 })],
    ['ARG', 'scaling.type', () => scaled({ type: 'cubic' })],
    ['ARG', 'scaling.type', () => scaled({ factor: 4 })],
    ['ARG', 'scaling.type', () => scaled({})],
    ['ARG', 'scaling.factor', () => scaled({ type: 'linear' })],
    ['ARG', 'scaling.factor', () => scaled({ type: 'none', factor: 4 })],
    ['RANGE', 'scaling.factor', () => scaled({ type: 'ntk', factor: 0 })],
    ['RANGE', 'dim', () => scaled({ type: 'ntk', factor: 2 }, { dim: 2 })],
    ['ARG', 'scaling.mscale', () => scaled({ type: 'linear', factor: 4, mscale: 9 })],
    [
      'RANGE',
      'scaling.highFreqFactor',
      () => scaled({ type: 'llama3', factor: 2, original: 9, lowFreqFactor: 4, highFreqFactor: 4 }),
    ],
  ],
  'of YaRN': [
    ['ARG', 'scaling.original', () => scaled({ type: 'yarn', factor: 2 })],
    ['ARG', 'scaling.length', () => yarn({ length: 9 })],
    ['ARG', 'scaling.mscaleAllDim', () => yarn({ mscale: 0.707 })],
    ['ARG', 'scaling.mscale', () => yarn({ mscaleAllDim: 1 })],
    ['RANGE', 'scaling.mscale', () => yarn({ mscale: -1, mscaleAllDim: 1 })],
    ['RANGE', 'scaling.mscaleAllDim', () => yarn({ mscale: 1, mscaleAllDim: NaN })],
    ['RANGE', 'scaling.mscale', () => yarn({ mscale: 1e308, mscaleAllDim: 1 })],
    [
      'ARG',
      'scaling.attentionFactor',
      () => yarn({ attentionFactor: 2, mscale: 1, mscaleAllDim: 1 }),
    ],
    ['RANGE', 'scaling.attentionFactor', () => yarn({ attentionFactor: 0 })],
    ['ARG', 'scaling.betaFast', () => yarn({ betaFast: null })],
  ],
  'of rotations': [
    ['SHAPE', 'table.dim', () => rotated({ headDim: 3 })],
    ['SHAPE', 'table.sin', () => ch.rope(x, { ...table, sin: w }, { headDim: 4 })],
    ['ARG', 'table', () => ch.rope(x, null, { headDim: 4 })],
    ['RANGE', 'offset', () => rotated({ offset: 6 })],
    ['RANGE', 'positions', () => rotated({ positions: Int32Array.of(0, 8, 0) })],
    ['RANGE', 'positions', () => rotated({ positions: Int32Array.of(0, -1, 0) })],
    ['SHAPE', 'positions', () => rotated({ positions: Int32Array.of(0) })],
    ['ARG', 'positions', () => rotated({ positions: [0, 1, 2] })],
    ['ARG', 'offset', () => rotated({ offset: 1, positions: new Int32Array(3) })],
  ],
};
for (const [what, calls] of Object.entries(misfits))
  test(`sizes and numbers ${what} that do not fit are refused by name`, () => {
    for (const [code, word, call] of calls) refuses(String(call), code, word, call);
  });

test('products are not computed in the memory of their inputs', () => {
  const a = ch.tensor([3, 4]);
  refuses('a product in its own memory', 'ALIAS', 'out', () =>
    ch.matmul(a, numbers(16), { k: 4, out: a }),
  );
  refuses('a layer in its own memory', 'ALIAS', 'out', () =>
    ch.linear(numbers(16), { inputs: 4 }).forward(a, { out: a }),
  );
  a.dispose();
});
