/** Checks the shapes of tensors against each other, and against rows of a known length. */
import { agree, hasAxes } from '../engine/shapes.js';
import { refuse } from '../errors.js';

/** The products of the sizes of the last axes: of all axes, of all but the first, and so on. */
const ends = (/** @type {readonly number[]} */ shape) =>
  shape.map((_, i) => shape.slice(i).reduce((a, b) => a * b, 1));

/**
 * Refuses a tensor whose shape cannot be cut into rows of this size. There may be any number of
 * them in any axes.
 * @param {string} name
 * @param {unknown} x
 * @param {number} size
 * @param {string} [words]
 */
export function shapedInRows(name, x, size, words = 'size') {
  if (!hasAxes(x)) return;
  const { shape } = x;
  if (ends(shape).includes(size) || shape[shape.length - 1] % size === 0) return;
  refuse('SHAPE', name, `of shape (${shape})`, `rows of ${size} = ${words}`);
}

/**
 * Refuses two shapes with the same numbers in other axes. Neighbouring axes of one may be a single
 * one of the other.
 * @param {string} name
 * @param {readonly number[]} shape
 * @param {string} other name
 * @param {readonly number[]} expected
 * @param {readonly number[]} [whole] the shape that this is a part of
 */
function compare(name, shape, other, expected, whole = shape) {
  if (agree(shape, expected) || agree(expected, shape)) return;
  refuse('SHAPE', name, `of shape (${whole})`, `(${expected}) ${other}`);
}

/**
 * Refuses two tensors of different shapes. An array has none, and passes; so does a flat tensor.
 * @param {string} name
 * @param {unknown} x
 * @param {string} other name
 * @param {unknown} y of the same length
 */
export function alike(name, x, other, y) {
  if (hasAxes(x) && hasAxes(y)) compare(name, x.shape, `as ${other}`, y.shape);
}

/**
 * The axes of a tensor that hold its rows, and those within a row. Undefined where no axes are a
 * row.
 * @param {unknown} x
 * @param {number} size of a row
 */
function split(x, size) {
  if (!hasAxes(x)) return undefined;
  const at = [...ends(x.shape), 1].lastIndexOf(size);
  return at < 0
    ? undefined
    : { whole: x.shape, rows: x.shape.slice(0, at), row: x.shape.slice(at) };
}

/**
 * Refuses a tensor that has other axes than a row of y.
 * @param {string} name
 * @param {unknown} x of this size
 * @param {string} other name
 * @param {unknown} y
 * @param {number} size of a row
 */
export function alikeRow(name, x, other, y, size) {
  const parts = split(y, size);
  if (parts && hasAxes(x)) compare(name, x.shape, `as a row of ${other}`, parts.row);
}

/**
 * Refuses a tensor whose rows stand in other axes than those of y.
 * @param {string} name
 * @param {unknown} x
 * @param {number} size of a row of x
 * @param {string} other name
 * @param {unknown} y with as many rows
 * @param {number} otherSize of a row of y
 */
export function alikeRows(name, x, size, other, y, otherSize) {
  const [own, others] = [split(x, size), split(y, otherSize)];
  if (own && others)
    compare(name, own.rows, `before each row, as ${other}`, others.rows, own.whole);
}
