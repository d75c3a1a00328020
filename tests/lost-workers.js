/** Engines whose first worker has a fault (lost-worker.js); the others are as ever. */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const threads = createRequire(import.meta.url)('node:worker_threads'), { Worker } = threads;

/** @template E @param {string} fault @param {number} after how many calls @param {() => Promise<E>} start @returns {Promise<E>} */
export async function lostWorkers(fault, after, start) {
  let first = true;
  threads.Worker = class extends Worker {
    constructor(url) {
      super(first ? new URL('./lost-worker.js', import.meta.url) : url, { workerData: { fault, after } });
      first = false;
    }
  };
  syncBuiltinESMExports();
  try {
    return await start();
  } finally {
    threads.Worker = Worker;
    syncBuiltinESMExports();
  }
}
