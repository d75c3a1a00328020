import { refuse } from '../errors.js';
import { Tensor } from './tensor.js';

/** The array of a float input. @param {import('./tensor.js').Floats} x */
export const arrayOf = (x) =>
  x instanceof Tensor ? x.data : /** @type {import('../types.d.ts').FloatArray} */ (x);

/**
 * Whether two inputs share memory. Anything but arrays and tensors shares none.
 * @param {import('./tensor.js').Floats} a
 * @param {unknown} b
 */
function overlap(a, b) {
  const x = arrayOf(a);
  const y = b instanceof Tensor ? b.data : b;
  return (
    ArrayBuffer.isView(y) &&
    x.buffer === y.buffer &&
    x.byteOffset < y.byteOffset + y.byteLength &&
    y.byteOffset < x.byteOffset + x.byteLength
  );
}

/**
 * Refuses a result that would lie in memory that is read.
 * @param {string} name of the result
 * @param {import('./tensor.js').Floats} x where it is written
 * @param {Record<string, unknown>} inputs by name
 */
export function checkAlias(name, x, inputs) {
  for (const [other, y] of Object.entries(inputs))
    if (overlap(x, y)) refuse('ALIAS', name, `in the memory of ${other}`, 'memory of its own');
}
