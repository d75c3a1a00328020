/** An engine with all the threads that a test asks for, on a machine that may be busy. */
import assert from 'node:assert/strict';
import { init } from '../../../src/js/index.js';

/** How often a busy machine may fail to start them in time. */
const TRIES = 12;

/**
 * An engine goes on without a worker that starts late (START in pool.js). So this begins again
 * until all of them came in time.
 * @param {import('../../../src/js/types.d.ts').InitOptions & { threads: number }} options
 */
export async function threaded(options) {
  for (let tries = 1; ; tries++) {
    const ch = await init(options);
    const { threads, why } = ch.info;
    if (threads === options.threads) return ch;
    ch.dispose();
    const late = /did not answer/.test(why) && tries < TRIES;
    assert.ok(late, `${threads} of ${options.threads} threads: ${why}`);
  }
}
