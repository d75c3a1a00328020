/** The statistics of rows: their names, and copies of them from wasm memory. */
import {
  ATTN_STAT_ARGMAX,
  ATTN_STAT_ENTROPY,
  ATTN_STAT_KL,
  ATTN_STAT_MAX,
  ATTN_STAT_N,
  ATTN_STAT_SCORE,
  ATTN_STAT_VARIANCE,
} from '../engine/constants.js';
import { bytesOf } from '../engine/tensor.js';

/** The name of each statistic, at its number in attn.h. */
export const STATISTICS = /** @type {string[]} */ ([]);
STATISTICS[ATTN_STAT_N] = 'n';
STATISTICS[ATTN_STAT_ENTROPY] = 'entropy';
STATISTICS[ATTN_STAT_KL] = 'kl';
STATISTICS[ATTN_STAT_SCORE] = 'expectedScore';
STATISTICS[ATTN_STAT_MAX] = 'maxWeight';
STATISTICS[ATTN_STAT_ARGMAX] = 'argmax';
STATISTICS[ATTN_STAT_VARIANCE] = 'variance';

/**
 * Copies of all planes, by name.
 * @param {import('../engine/memory.js').Memory} memory
 * @param {import('../types.d.ts').DType} type of the planes
 * @param {number} at
 * @param {number} plane numbers in each
 * @param {readonly string[]} [names]
 * @returns {Record<string, any>} typed arrays
 */
export function readStatistics(memory, type, at, plane, names = STATISTICS) {
  const step = bytesOf(type, plane);
  return Object.fromEntries(
    names.map((name, x) => [
      name,
      memory.copy(isInteger(x) ? 'int32' : type, at + x * step, plane),
    ]),
  );
}

/** @param {number} x a plane */
const isInteger = (x) => x === ATTN_STAT_N || x === ATTN_STAT_ARGMAX;
