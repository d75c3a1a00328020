import { now } from './platform.js';

/**
 * Milliseconds of work after which other tasks of the thread get a turn. A worker paints nothing,
 * and its messages can wait a little longer.
 */
export const SLICE = 'WorkerGlobalScope' in globalThis ? 40 : 20;

/**
 * One channel for all pauses: to make one takes longer than a message.
 * @type {MessageChannel | undefined}
 */
let channel;
/** Those that wait for a message. @type {((value: unknown) => void)[]} */
const waiting = [];

/** Lets other tasks of this thread run: messages, input, painting. */
const pause = () =>
  new Promise((resume) => {
    if (typeof setImmediate === 'function') return void setImmediate(resume);
    if (typeof MessageChannel !== 'function')
      return void (typeof setTimeout === 'function' ? setTimeout(resume) : resume(0)); // a worklet
    channel ??= new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.(0);
    waiting.push(resume);
    channel.port2.postMessage(0);
  });

/** For one piece of work: a function that pauses if the thread was busy for a SLICE. */
export function yieldToOthers() {
  let rested = now();
  return async () => {
    if (now() - rested < SLICE) return;
    await pause();
    rested = now();
  };
}

/**
 * Work in steps that are short. It may give a number at each.
 * @template T
 * @typedef {Generator<number, T, void>} Steps
 */

/**
 * Does all steps, one after the other.
 * @template T
 * @param {Steps<T>} steps
 * @returns {T}
 */
export function runAtOnce(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does all steps, and leaves the thread to others between them.
 * @template T
 * @param {Steps<T>} steps
 * @param {(given: number) => void} [check] before each step, with the number of the one before. It
 *   may throw
 * @returns {Promise<T>}
 */
export async function runYielding(steps, check) {
  const pause = yieldToOthers();
  for (let given = 0; ;) {
    await pause();
    check?.(given);
    const { done, value } = steps.next();
    if (done) return value;
    given = value;
  }
}
