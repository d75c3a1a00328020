/** Operations and layers for refused calls: values that fit, and values that do not. */
import { init } from '../../../src/js/index.js';
import { engines } from '../models/engines.js';
import { bench } from '../faults.js';
import { random } from '../random.js';

export const { ch } = engines[0];

export const { refuses, leaksNothing, memoryUse } = bench(ch);

export const other = await init({ layers: true, variant: 'simd' });
const r = random(3);
export const numbers = (length) => Float32Array.from({ length }, () => r.normal());
const detached = new Float32Array(12);
structuredClone(detached, { transfer: [detached.buffer] });
export const gone = ch.tensor([12]);
gone.dispose();
/** Values that are no float32 input, each with the code of its error. */
export const wrong = [
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
export const x = numbers(12);
export const w = numbers(4);

export const config = { modelDim: 6, heads: 4, kvHeads: 2, headDim: 4, valueDim: 3 };
export const weights = { q: numbers(96), k: numbers(48), v: numbers(36), o: numbers(72) };
export const latentConfig = {
  modelDim: 6,
  heads: 2,
  kvLatent: 5,
  queryLatent: 3,
  nopeDim: 4,
  ropeDim: 2,
  valueDim: 3,
};
export const latentWeights = {
  qA: numbers(18),
  qANorm: numbers(3),
  qB: numbers(36),
  kvA: numbers(42),
  kvANorm: numbers(5),
  kvB: numbers(70),
  o: numbers(36),
};
