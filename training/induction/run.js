/** One run of the recipe, in a worker. */
import process from 'node:process';
import { createTrainer } from '../../src/js/train/worker/client.js';
import { CONFIG, INTERVAL, OPTIONS, STEPS, THRESHOLD, batchOf, unseen } from './recipe.js';

/**
 * A point of the curves: the loss on unseen sequences and the scores of each head there.
 * @typedef {{ step: number, loss: number } &
 *   import('../../src/js/train/types.d.ts').HeadScores} Point
 */

/**
 * @param {number} seed
 * @param {object} [how]
 * @param {number} [how.steps]
 * @param {boolean} [how.whole] whether it goes on when a head has formed; default true
 * @param {(point: Point) => void} [how.onPoint]
 * @returns {Promise<{ points: Point[], formed: { step: number, seconds: number } | null }>} formed:
 *   when a head first had the score of an induction head, after that much processor time
 */
export async function run(seed, { steps = STEPS, whole = true, onPoint = () => {} } = {}) {
  const trainer = await createTrainer(CONFIG, { ...OPTIONS, seed });
  try {
    const { sequences, tokens, targets } = unseen();
    /** @type {Point[]} */
    const points = [];
    let formed = null;
    const started = processorSeconds();
    for (let step = 0; step <= steps; step++) {
      if (step % INTERVAL === 0) {
        const { loss } = await trainer.evaluate(tokens, { targets });
        const point = { step, loss, ...(await trainer.heads(sequences)) };
        points.push(point);
        onPoint(point);
        if (Math.max(...point.induction) >= THRESHOLD)
          formed ??= { step, seconds: processorSeconds() - started };
        if (formed && !whole) break;
      }
      const batch = batchOf(seed, step);
      if (step < steps) await trainer.step(batch.tokens, { targets: batch.targets });
    }
    return { points, formed };
  } finally {
    await trainer.dispose();
  }
}

/** Of this process; other programs of the machine do not count. */
function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
