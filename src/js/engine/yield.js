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
    channel ??= new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.(0);
    waiting.push(resume);
    channel.port2.postMessage(0);
  });

/** For one piece of work: a function that pauses if the thread was busy for a SLICE. */
export function yieldToOthers() {
  let rested = performance.now();
  return async () => {
    if (performance.now() - rested < SLICE) return;
    await pause();
    rested = performance.now();
  };
}
