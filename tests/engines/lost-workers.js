/** Engines whose first worker has a fault (lost-worker.js); the others are as ever. */
import { nodeWorkers } from '../../src/js/engine/workers.js';

/** Where the class of workers is found. */
const place = (await nodeWorkers()) ?? globalThis;
const { Worker } = place;

/**
 * @template E
 * @param {string} fault
 * @param {number} after how many calls
 * @param {() => Promise<E>} start
 * @returns {Promise<E>}
 */
export async function lostWorkers(fault, after, start) {
  let first = true;
  place.Worker = class extends Worker {
    constructor(url, options) {
      const data = `${fault} ${after}`;
      super(
        first ? new URL('./lost-worker.js', import.meta.url) : url,
        first ? { ...options, name: data, workerData: data } : options,
      );
      first = false;
    }
  };
  try {
    return await start();
  } finally {
    place.Worker = Worker;
  }
}
