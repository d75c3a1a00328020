/** In the lab: rows that are pushed, and dot products of longer and longer vectors. */
import { fan, movedBy, moves, pairs } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

/** @type {ReturnType<typeof pairs> | undefined} */
let rows;

/** @param {Engine} engine @param {number} T @param {Float64Array} row whose slope is told */
export function bump(engine, T, row) {
  rows ??= pairs(engine);
  const { a, b, keys } = rows;
  const found = moves(engine, rows, T, row);
  let off = 0;
  for (let i = 0; i < found.moved.length; i++) {
    const [from, to] = [i * keys, (i + 1) * keys];
    const told = movedBy(a.subarray(from, to), b.subarray(from, to), T);
    off = Math.max(off, Math.abs(told - found.moved[i]));
  }
  return { ...found, off };
}

/** @param {Engine} engine @param {number} seed */
export const spread = (engine, seed) => fan(engine, seed);
