/** An engine with threads that shares out every call, however small. */
import { memories } from '../../../src/js/engine/memory.js';
import { threaded } from './threaded.js';

/** Sleeps for a millisecond, which gives the processor to the other threads. */
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);

/**
 * Its calls are never too small to be shared out. The calling thread begins a call when the others
 * have done a piece of it, and `counted.calls` counts them. It waits for the others however long
 * they take, for a machine may be busy. scripts/test.js ends a file in which they never come.
 * @param {'simd' | 'relaxed'} variant
 * @param {number} threads
 */
export async function sharing(variant, threads) {
  const ch = await threaded({ variant, threads });
  const memory = memories.get(ch);
  const { attn_work_run: run, attn_work_remaining: remaining } = memory.c;
  const { pool } = memory;
  const counted = { calls: 0 };
  const settled = pool.settled.bind(pool);
  pool.worth = () => true;
  pool.settled = (work) => {
    while (!settled(work)) sleep();
    return true;
  };
  memory.c.attn_work_run = (work, scratch) => {
    const pieces = remaining(work);
    // where the others were quick there are none
    while (pieces && remaining(work) === pieces) sleep();
    counted.calls++;
    return run(work, scratch);
  };
  return { ch, counted };
}
