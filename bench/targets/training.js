/** Targets of training. */
import { STEPS } from '../undisturbed.js';

/**
 * @param {{ training?: any[], block?: any[] }} results of measureTraining and measureBlock
 * @param {Record<'atLeast', (...line: any[]) => void>} lines
 */
export function trainingTargets({ training = [], block = [] }, { atLeast }) {
  const find = (threads) =>
    training.find((row) => row.variant === 'simd' && row.threads === threads);
  const where = 'five layers of 128, simd';
  const { steps = 0, share = null } = find(1)?.undisturbed ?? {};
  atLeast(
    'a step of training, undisturbed, of the limit',
    where,
    0.45,
    steps >= STEPS ? share : null,
  );
  atLeast(
    'a step of training with two threads',
    where,
    1.7,
    find(2)?.gain?.median ?? null,
    ' times one thread',
  );
  for (const peer of ['tfjs', 'jax-js'])
    atLeast(
      `the gradient of a layer, against ${peer}`,
      'one layer of 128, 2×512',
      3,
      block.find(({ name }) => name === peer)?.times?.median ?? null,
      ' times as fast',
    );
}
