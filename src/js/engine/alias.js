import { extentOf, kindOf } from '../arrays.js';
import { refuse } from '../errors.js';
import { Tensor } from './tensor.js';

/** The array of a float input. @param {import('./tensor.js').Floats} x */
export const arrayOf = (x) =>
  Tensor.is(x) ? x.data : /** @type {import('../types.d.ts').FloatArray} */ (x);

/**
 * Refuses a result that would lie in memory that is read. Anything but arrays and tensors shares
 * none.
 * @param {string} name of the result
 * @param {import('./tensor.js').Floats} x where it is written
 * @param {Record<string, unknown>} inputs by name
 */
export function checkAlias(name, x, inputs) {
  const { buffer, at, bytes } = extentOf(arrayOf(x));
  for (const [other, y] of Object.entries(inputs)) {
    const input = arrayOf(/** @type {import('./tensor.js').Floats} */ (y));
    if (!kindOf(input)) continue;
    const read = extentOf(input);
    if (buffer === read.buffer && at < read.at + read.bytes && read.at < at + bytes)
      refuse('ALIAS', name, `in the memory of ${other}`, 'memory of its own');
  }
}
