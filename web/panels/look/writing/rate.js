/** Tokens a second, counted while nothing is waited for. */

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
