/** An engine with threads that shares out every call, however small. */
import assert from 'node:assert/strict';
import { memories } from '../../../src/js/engine/memory.js';
import { threaded } from './threaded.js';

/** Milliseconds that the others have for a piece, and for the rest; a machine may be busy. */
const PATIENCE = 60e3;

/**
 * Its calls are never too small to be shared out. The calling thread begins a call when the others
 * have done a piece of it, and `counted.calls` counts them.
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
    const start = performance.now();
    while (!settled(work)) assert.ok(performance.now() - start < PATIENCE, 'a worker was lost');
    return true;
  };
  memory.c.attn_work_run = (work, scratch) => {
    const pieces = remaining(work);
    const start = performance.now();
    // none is left where the others were quick
    while (pieces && remaining(work) === pieces)
      assert.ok(performance.now() - start < PATIENCE, 'no other thread took a piece');
    counted.calls++;
    return run(work, scratch);
  };
  return { ch, counted };
}
