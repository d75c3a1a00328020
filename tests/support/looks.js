/**
 * The time that a thread spends looking at the clock, as it does while it waits for another. Other
 * programs on the machine may use the processor between two looks, so each counts at most 50 ms.
 */
const MAX_STEP = 50;
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
      this.waited += Math.min(elapsed, MAX_STEP);
      if (elapsed > MAX_STEP) this.longSteps++;
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
      throw new Error(`${this.longSteps} looks at the clock came after more than ${MAX_STEP} ms`);
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
