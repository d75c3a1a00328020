/**
 * The time that a thread spends looking at the clock, as it does while it waits for another. Other
 * programs on the machine may take the processor between two looks, so each counts at most 50 ms.
 */
const STEP = 50;

/**
 * Runs something, and returns its result and the milliseconds of its looks.
 * @template T @param {() => T} run @returns {{ result: T, waited: number }}
 */
export function watched(run) {
  const own = performance.now;
  const now = own.bind(performance);
  let last = now();
  let waited = 0;
  performance.now = () => {
    const time = now();
    waited += Math.min(time - last, STEP);
    last = time;
    return time;
  };
  try {
    return { result: run(), waited };
  } finally {
    // put back, not deleted: in Bun it is no method of a prototype
    performance.now = own;
  }
}
