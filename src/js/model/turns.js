/** Milliseconds of work after which whoever else needs the thread gets it. */
export const SLICE = 20;

/** Lets other tasks of this thread run: messages, input, painting. */
const pause = () =>
  new Promise((resume) => {
    if (typeof setImmediate === 'function') return void setImmediate(resume);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resume(undefined);
    };
    port2.postMessage(0);
  });

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
