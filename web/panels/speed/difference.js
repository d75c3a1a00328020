/** How far an output is from that of a plain program, against the allowance of each element. */

const EPSILON = 2 ** -23;

/** In words. */
export const ALLOWANCE =
  'Allowed per element: ε·Σ p|v|·(4 + 2A), A = max over the keys of Σ|q·k|·scale, ε = 2⁻²³.';

/** The largest difference, and the one that is nearest to its allowance. */
export const none = () => ({ max: 0, measured: 0, allowed: 0, ratio: 0 });

/**
 * Adds a row of an output.
 * @param {ReturnType<typeof none>} found
 * @param {ArrayLike<number>} row
 * @param {{ output: ArrayLike<number>, mass: ArrayLike<number>, condition: number }} truth
 */
export function addRow(found, row, { output, mass, condition }) {
  for (let c = 0; c < row.length; c++) {
    const measured = Math.abs(row[c] - output[c]);
    const allowed = EPSILON * mass[c] * (4 + 2 * condition);
    found.max = Math.max(found.max, measured);
    // NaN is worse than anything
    if (!(measured / allowed <= found.ratio))
      Object.assign(found, { measured, allowed, ratio: measured / allowed });
  }
}
