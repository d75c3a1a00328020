/** Weights of a loaded model, read back as floats. */
import { F32 } from '../../../engine/tensor.js';

/**
 * @typedef {import('../../../engine/memory.js').Memory} Memory
 * @typedef {import('../../../engine/exports.d.ts').Pointer} Pointer
 */

/**
 * Rows of a matrix, one after another; each is gone with the next.
 * @param {Memory} memory
 * @param {Pointer} matrix
 * @param {(row: Float32Array, index: number) => void} use
 * @param {number} [first]
 * @param {number} [end]
 */
export function eachRow(memory, matrix, use, first = 0, end = memory.c.attn_matrix_rows(matrix)) {
  memory.scope(() => {
    const columns = memory.c.attn_matrix_columns(matrix);
    const at = memory.pushArray(F32, columns);
    for (let row = first; row < end; row++) {
      memory.c.attn_matrix_row(matrix, row, at);
      use(memory.view(F32, at, columns), row);
    }
  });
}

/** A copy of one row. @param {Memory} memory @param {Pointer} matrix @param {number} row */
export function rowOf(memory, matrix, row) {
  let copy = new Float32Array();
  eachRow(memory, matrix, (values) => (copy = values.slice()), row, row + 1);
  return copy;
}

/**
 * A copy of a vector, or null where the model has none.
 * @param {Memory} memory
 * @param {Pointer | null | undefined} at
 * @param {number} length
 */
export const vectorOf = (memory, at, length) => (at ? memory.copy(F32, at, length) : null);

/** The matrix of the logits. @param {import('../../types.d.ts').ModelTensors<number>} weights */
export const outputOf = ({ output, embedding }) => output || embedding;
