/** A wait that can be cut short. */

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
