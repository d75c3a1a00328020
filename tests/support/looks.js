/**
 * The time that a thread spends looking at the clock, as it does while it waits for another. Other
 * programs on the machine may use the processor between two looks. So each counts at most
 * ATTN_TEAM_MAX_WAIT.
 */
import { ATTN_TEAM_MAX_WAIT } from '../../src/js/engine/constants.js';

/**
 * How many looks in one call may be further apart: a kernel computes between them, or the machine
 * is busy. With more of them the thread is blocked, and its looks do not tell how long it waits.
 */
const MAX_LONG_STEPS = 20;
/** Milliseconds for which a call may wait: more than the patience of the team and of the pool. */
const LIMIT = 3000;

/**
 * Counts the looks until `end`. A look throws once they have waited for longer than `limit`. Since
 * kernels look at the same clock, a wait without an end fails in its test.
 */
export class Looks {
  waited = 0;
  longSteps = 0;
  #own = performance.now;
  #limit;

  /** @param {number} [limit] milliseconds */
  constructor(limit = LIMIT) {
    this.#limit = limit;
    const now = this.#own.bind(performance);
    let last = now();
    performance.now = () => {
      const time = now();
      const elapsed = time - last;
      last = time;
      this.waited += Math.min(elapsed, ATTN_TEAM_MAX_WAIT);
      if (elapsed > ATTN_TEAM_MAX_WAIT) this.longSteps++;
      if (this.waited > limit) throw this.#tooLong();
      return time;
    };
  }

  #tooLong() {
    return new Error(`a call waited for more than ${this.#limit} ms`);
  }

  /** Gives the clock back. Throws if the wait was too long, or too many looks were far apart. */
  end() {
    // put back, not deleted: in Bun it is no method of a prototype
    performance.now = this.#own;
    // in place of an error that the first one caused
    if (this.waited > this.#limit) throw this.#tooLong();
    if (this.longSteps > MAX_LONG_STEPS)
      throw new Error(
        `${this.longSteps} looks at the clock came after more than ${ATTN_TEAM_MAX_WAIT} ms`,
      );
  }
}

/**
 * Runs something, and returns its result and the milliseconds of its looks.
 * @template T
 * @param {() => T} run
 * @param {number} [limit] milliseconds after which it fails
 * @returns {{ result: T, waited: number }}
 */
export function watched(run, limit) {
  const looks = new Looks(limit);
  try {
    return { result: run(), waited: looks.waited };
  } finally {
    looks.end();
  }
}
