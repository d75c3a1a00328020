/** Engines whose threads count how often they look at the clock and how often they sleep. */
import threads from 'node:worker_threads';

/** Milliseconds for which an idle thread sleeps at least, unless it is woken. */
export const SLEEP = 100;
/** Places of the counts: looks at the clock, sleeps to their end, and sleeps that are too short. */
export const AT = { LOOKS: 0, SLEPT: 1, SHORT: 2, COUNT: 3 };

/**
 * @template E
 * @param {() => Promise<E>} start
 * @returns {Promise<{ engine: E, counts: Int32Array[] }>} counts of each thread but the first
 */
export async function countedThreads(start) {
  const { Worker } = threads;
  const counts = [];
  threads.Worker = class extends Worker {
    constructor(url, options) {
      const own = new Int32Array(new SharedArrayBuffer(4 * AT.COUNT));
      super(new URL('./counted-thread.js', import.meta.url), { ...options, workerData: own });
      counts.push(own);
    }
  };
  try {
    return { engine: await start(), counts };
  } finally {
    threads.Worker = Worker;
  }
}
