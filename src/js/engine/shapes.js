/** Checks the shape of a tensor against the sizes in the options. */
import { Tensor } from './tensor.js';
import { refuse } from '../errors.js';

/** Whether x has a shape that can contradict. @param {unknown} x @returns {x is Tensor} */
export const hasAxes = (x) => Tensor.is(x) && x.shape.length > 1;

/**
 * Whether the last axes of a shape together are always some last axes of another. This runs in each
 * call, so it makes no arrays but one.
 * @param {readonly number[]} shape
 * @param {Record<string, number> | readonly number[]} axes with the same product
 */
export function agree(shape, axes) {
  const sizes = Object.values(axes);
  let at = sizes.length;
  let end = 1;
  let own = 1;
  for (let i = shape.length - 1; i >= 0 && own; i--) {
    own *= shape[i];
    while (end < own && at > 0) end *= sizes[--at];
    if (own && end !== own) return false;
  }
  return true;
}

/**
 * Refuses a tensor with other axes. Neighbouring axes may be one, so a flat tensor passes; axes of
 * 1 do not count. An array has no shape, and passes.
 * @param {string} name
 * @param {unknown} x of the right length
 * @param {Record<string, number>} axes in order, by name
 */
export function shaped(name, x, axes) {
  if (!hasAxes(x) || agree(x.shape, axes)) return;
  const words = Object.entries(axes).map(([axis, size]) => `${axis} ${size}`);
  refuse('SHAPE', name, `of shape (${x.shape})`, `(${words.join(', ')})`);
}

/**
 * Axes in the order of a layout.
 * @param {unknown} layout
 * @param {{ batch: number, heads: number, positions: number, size: number }} axes
 */
export const inLayout = (layout, { batch, heads, positions, size }) =>
  layout === 'bshd' ? { batch, positions, heads, size } : { batch, heads, positions, size };
