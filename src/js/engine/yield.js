/**
 * Milliseconds of work after which whoever else needs the thread gets it: in a worker nothing is
 * painted, and what messages say, as that a text is to end, can wait a little longer.
 */
export const SLICE = 'WorkerGlobalScope' in globalThis ? 40 : 20;

/**
 * A channel that is kept, for making one takes longer than a message.
 * @type {MessageChannel | undefined}
 */
let channel;
/** Who waits for a message. @type {((value: unknown) => void)[]} */
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

/** For a piece of work: waits its turn when it has had the thread for long enough. */
export function turns() {
  let rested = performance.now();
  return async () => {
    if (performance.now() - rested < SLICE) return;
    await pause();
    rested = performance.now();
  };
}
