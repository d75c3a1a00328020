/** A wait that can be cut short, and a count of tokens a second. */

export class Waker {
  constructor() {
    this.wake = () => {};
  }

  /** Until `wake` is called, or that many milliseconds are over. @param {number} [milliseconds] */
  wait(milliseconds) {
    return new Promise((resolve) => {
      const done = () => resolve(undefined);
      const timer = milliseconds === undefined ? undefined : setTimeout(done, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** Milliseconds over which tokens are counted. */
const SPAN = 250;

export class Rate {
  constructor() {
    this.value = NaN;
    this.since = NaN;
    this.count = 0;
  }

  /** Something was waited for, so counting begins anew. */
  pause() {
    this.since = NaN;
  }

  /** One more. */
  tick() {
    const now = performance.now();
    if (Number.isNaN(this.since)) {
      this.since = now;
      this.count = 0;
      return;
    }
    this.count++;
    const elapsed = now - this.since;
    if (elapsed < SPAN) return;
    this.value = (1000 * this.count) / elapsed;
    this.since = now;
    this.count = 0;
  }
}
