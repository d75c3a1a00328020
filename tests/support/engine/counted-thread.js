/** thread.js in Node, which counts its looks and sleeps in the shared memory that is its data. */
import { workerData } from 'node:worker_threads';
import { AT, SLEEP } from './counted-threads.js';
import '../../../src/js/engine/thread.js';

const { now } = performance;
const { wait } = Atomics;
const count = (place) => Atomics.add(workerData, place, 1);

performance.now = () => {
  count(AT.LOOKS);
  return now.call(performance);
};
Atomics.wait = (array, index, value, milliseconds) => {
  if (milliseconds < SLEEP) count(AT.SHORT);
  const result = wait(array, index, value, milliseconds);
  if (result === 'timed-out') count(AT.SLEPT);
  return result;
};
