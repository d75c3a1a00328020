/**
 * A training run of `training/induction`, in a worker, with its recipe. Everything a reader sees is
 * a point of it: loss and scores on sequences that training never shows, and all rows of one.
 */
import {
  batchOf,
  CONFIG,
  INTERVAL,
  OPTIONS,
  STEPS,
  unseen,
} from '../../../training/induction/recipe.js';
import { startTrainer } from '../../page/workers.js';

/**
 * @typedef {{ step: number, loss: number } &
 *   import('../../../src/js/train/types.d.ts').HeadScores} Point
 */

/** Sequences whose heads the trainer scores: about 1,024 tokens. */
const SCORED = Math.min(OPTIONS.batch, Math.ceil(1024 / OPTIONS.context));

export class Run {
  /**
   * @param {number} seed
   * @param {import('../../page/lab.js').Lab} lab
   * @param {(change: 'step' | 'point' | 'end') => void} tell
   */
  constructor(seed, lab, tell) {
    this.seed = seed;
    this.lab = lab;
    this.tell = tell;
    this.step = 0;
    this.paused = false;
    this.ended = false;
    /** @type {Point[]} */
    this.points = [];
    /** @type {Error | undefined} */
    this.error = undefined;
    this.wake = () => {};
    /** Of the last point; those of all sequences when the run is over. */
    this.rows = /** @type {import('./scores.js').Rows | undefined} */ (undefined);
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.paused = paused;
    this.wake();
  }

  end() {
    this.ended = true;
    this.wake();
  }

  /** @param {number} [steps] */
  async start(steps = STEPS) {
    try {
      const { createTrainer } = await import('../../../src/js/train/worker/client.js');
      const trainer = await createTrainer(CONFIG, {
        ...OPTIONS,
        seed: this.seed,
        worker: startTrainer,
      });
      try {
        await this.train(trainer, steps);
      } finally {
        await trainer.dispose();
      }
    } catch (error) {
      this.error = /** @type {Error} */ (error);
    }
    this.ended = true;
    this.tell('end');
  }

  /** @param {import('../../../src/js/train/worker/client.d.ts').RemoteTrainer} trainer */
  async train(trainer, /** @type {number} */ steps) {
    for (this.step = 0; !this.ended; this.step++) {
      const over = this.step === steps;
      // a reader who stops sees the numbers of the step at which it stopped
      if (this.step % INTERVAL === 0 || this.paused) await this.measure(trainer, over);
      if (over) return;
      while (this.paused && !this.ended)
        await new Promise((resolve) => void (this.wake = () => resolve(undefined)));
      if (this.ended) return;
      const batch = batchOf(this.seed, this.step);
      await trainer.step(batch.tokens, { targets: batch.targets });
      this.tell('step');
    }
  }

  /**
   * A new point, of the model as it is now.
   * @param {import('../../../src/js/train/worker/client.d.ts').RemoteTrainer} trainer
   * @param {boolean} over whether it is the last one
   */
  async measure(trainer, over) {
    const { sequences, tokens, targets } = unseen();
    const { context } = OPTIONS;
    const { loss } = await trainer.evaluate(tokens, { targets });
    const scores = await trainer.heads(sequences);
    const saved = await trainer.save();
    const shown = tokens.subarray(0, over ? SCORED * context : context);
    this.rows = await this.lab.ask('born', 'rows', [saved, shown.slice(), context], 'born');
    if (this.ended) return;
    this.points.push({ step: this.step, loss, ...scores });
    this.tell('point');
  }
}
