/** A wait that can be cut short, and a count of tokens a second. */

export class Waker {
  constructor() {
    this.wake = () => {};
    /** When the next thing is due. */
    this.next = 0;
  }

  /**
   * Waits until the next thing is due. False where it was waited for, since anything may have
   * changed.
   * @param {number} pace things a second; Infinity: nothing is waited for
   */
  async due(pace) {
    const now = performance.now();
    const wait = pace < Infinity ? this.next - now : 0;
    if (wait > 1) {
      await this.wait(wait);
      return false;
    }
    this.next = Math.max(now - 100, this.next) + 1000 / pace;
    return true;
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
    /** When the last one came, where nothing was waited for since. */
    this.last = NaN;
    this.count = 0;
    this.elapsed = 0;
  }

  /** Something is waited for, and this time does not count. */
  pause() {
    this.last = NaN;
  }

  /** One more. */
  tick() {
    const now = performance.now();
    const since = now - this.last;
    this.last = now;
    if (Number.isNaN(since)) return;
    this.count++;
    this.elapsed += since;
    if (this.elapsed < SPAN) return;
    this.value = (1000 * this.count) / this.elapsed;
    this.count = 0;
    this.elapsed = 0;
  }
}
