/** An engine with all the threads that a test asks for, on a machine that may be busy. */
import assert from 'node:assert/strict';
import { init } from '../../../src/js/index.js';

/** Milliseconds that a machine has to start them. */
const PATIENCE = 60e3;

/**
 * An engine goes on without a worker that starts late (START in pool.js). So this begins again
 * until all of them came in time.
 * @param {import('../../../src/js/types.d.ts').InitOptions & { threads: number }} options
 */
export async function threaded(options) {
  const start = performance.now();
  for (;;) {
    const ch = await init(options);
    const { threads, why } = ch.info;
    if (threads === options.threads) return ch;
    ch.dispose();
    const late = /did not answer/.test(why) && performance.now() - start < PATIENCE;
    assert.ok(late, `${threads} of ${options.threads} threads: ${why}`);
  }
}
