import { lengthOf } from '../arrays.js';
import { attention } from '../attention/attention.js';
import { integer, read, rows } from '../check.js';
import { F32, Tensor } from '../engine/tensor.js';
import { written } from './call.js';
import { shapedInRows } from './shapes.js';

/**
 * Layers.softmax: the weights of an attention whose logits are all in its mask, so that both have
 * the same rules for temperatures, ties and -Infinity.
 * @param {import('../engine/memory.js').Memory} memory
 * @param {import('../engine/tensor.js').Floats} x
 * @param {import('./types.d.ts').SoftmaxOptions} [options]
 */
export function softmax(memory, x, options) {
  const o = read('options', options, ['size', 'temperature', 'out']);
  const length = lengthOf(memory.floats('x', x, F32));
  const size = o.size ?? (Tensor.is(x) ? x.shape.at(-1) : undefined) ?? length;
  const n = integer('size', size, length ? 1 : 0);
  const m = n && rows('x', x, n, 'size');
  shapedInRows('x', x, n);
  const keys = new Float32Array(n);
  return written(memory, o.out, x, 'x', (at) => {
    const { weights } = attention(memory, new Float32Array(m), keys, keys, {
      headDim: 1,
      temperature: o.temperature,
      mask: { data: Tensor.is(x) ? x.data.slice() : x, shape: [m, n] },
      want: { weights: true },
    });
    memory.view(F32, at, length).set(/** @type {Float32Array} */ (weights));
  });
}
