/**
 * Milliseconds of work after which whoever else needs the thread gets it: in a worker nothing is painted, and what messages say, as that
 * a text is to end, can wait a little longer.
 */
export const SLICE = 'WorkerGlobalScope' in globalThis ? 40 : 20;

/** Lets other tasks of this thread run: messages, input, painting. @type {() => Promise<unknown>} */
let pause = () => {
  pause = typeof setImmediate === 'function' ? () => new Promise((resume) => void setImmediate(resume)) : byMessage();
  return pause();
};

/** Through a channel that is kept, for making one takes longer than a message. */
function byMessage() {
  const { port1, port2 } = new MessageChannel();
  /** @type {((value: unknown) => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.(undefined);
  return () =>
    new Promise((resume) => {
      waiting.push(resume);
      port2.postMessage(0);
    });
}

/** For a piece of work: waits its turn when it has had the thread for long enough, and says whether it has waited. */
export function turns() {
  let rested = performance.now();
  return async () => {
    if (performance.now() - rested < SLICE) return false;
    await pause();
    rested = performance.now();
    return true;
  };
}
