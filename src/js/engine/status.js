import { refuse } from '../errors.js';
import {
  ATTN_E_FORMAT,
  ATTN_E_INTEGRITY,
  ATTN_E_LIMIT,
  ATTN_E_RANGE,
  ATTN_E_SHAPE,
} from './constants.js';

/**
 * The error codes of the statuses of attn.h.
 * @type {Record<number, import('../types.d.ts').ErrorCode>}
 */
export const STATUS = {
  [ATTN_E_SHAPE]: 'SHAPE',
  [ATTN_E_RANGE]: 'RANGE',
  [ATTN_E_LIMIT]: 'LIMIT',
  [ATTN_E_FORMAT]: 'FORMAT',
  [ATTN_E_INTEGRITY]: 'INTEGRITY',
};

/**
 * Refuses what a C function did not accept.
 * @param {number} status that it returned
 * @param {string} name
 * @param {string | number} came
 * @param {string} expected
 */
export function checkStatus(status, name, came, expected) {
  if (status) refuse(STATUS[status], name, came, expected);
}
