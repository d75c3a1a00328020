/** A value of a page that changes after a while, whose length depends on the machine. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds after which a value will not change any more. */
const PATIENCE = 30000;

/**
 * Reads until the value is the expected one, and fails with the last value.
 * @template T
 * @param {() => Promise<T>} read
 * @param {T | RegExp} expected a text must match a pattern
 * @param {string} [what] for the message
 * @returns {Promise<T>} the value
 */
export async function becomes(read, expected, what) {
  const check = (value) =>
    expected instanceof RegExp
      ? assert.match(value, expected, what && `${what}: ${value}`)
      : assert.deepEqual(value, expected, what && `${what}: ${value} instead of ${expected}`);
  const end = performance.now() + PATIENCE;
  for (;;) {
    const value = await read();
    try {
      check(value);
      return value;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await pause(20);
  }
}
