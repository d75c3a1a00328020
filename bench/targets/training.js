/** Targets of training. */

/**
 * @param {any[]} rows of measureTraining
 * @param {Record<'atLeast', (...line: any[]) => void>} lines
 */
export function trainingTargets(rows, { atLeast }) {
  const find = (threads) => rows.find((row) => row.variant === 'simd' && row.threads === threads);
  const where = 'five layers of 128, simd';
  atLeast('a step of training, of the limit', where, 0.45, find(1)?.share?.median ?? null);
  atLeast(
    'a step of training with two threads',
    where,
    1.7,
    find(2)?.times?.median ?? null,
    ' times one thread',
  );
}
