/**
 * Time as tests may count it on a machine that others use as well: ticks of a timer, which is late
 * when all else is, and the work of this process.
 */
import process from 'node:process';

/** A timer that ticks until it is stopped. */
export class Ticks {
  count = 0;
  #timer;

  constructor() {
    const tick = () => {
      this.count++;
      this.#timer = setTimeout(tick);
    };
    this.#timer = setTimeout(tick);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}

/**
 * Aborts after `delay` milliseconds, and gives how many ticks of a timer `aborted` takes from there
 * until it settles.
 * @param {AbortController} controller
 * @param {Promise<unknown>} aborted
 */
export async function ticksAfterAbort(controller, aborted, { reason, delay = 0 } = {}) {
  let ticks;
  setTimeout(() => {
    ticks = new Ticks();
    controller.abort(reason);
  }, delay);
  try {
    await aborted;
  } finally {
    ticks?.stop();
  }
  return ticks?.count;
}

/** Milliseconds that this process has worked, on all its threads. */
export function worked() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
