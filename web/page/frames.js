/** Work that is done once a frame, however often it is asked for. */

/** Milliseconds of a frame after which the rest of the work waits for the next one. */
const BUDGET = 10;

/** @type {Set<() => void>} in the order in which they were asked for */
const asked = new Set();

/** The document says that something is not drawn yet. */
function request() {
  document.documentElement.dataset.drawing = '';
  requestAnimationFrame(work);
}

/** One change may be drawn by many panels. Each frame does some of it, so that none takes long. */
function work() {
  const begun = performance.now();
  try {
    for (const run of [...asked]) {
      if (performance.now() - begun > BUDGET) break;
      asked.delete(run);
      run();
    }
  } finally {
    if (asked.size) request();
    else delete document.documentElement.dataset.drawing;
  }
}

/**
 * Calls `run` once in the next frame after any of the signals changed: dragging costs one
 * computation per frame, and the last value always arrives.
 * @param {readonly { on: (ask: () => void) => void }[]} signals
 * @param {() => void} run
 */
export function onFrame(signals, run) {
  const ask = () => {
    if (!('drawing' in document.documentElement.dataset)) request();
    asked.add(run);
  };
  for (const signal of signals) signal.on(ask);
  return ask;
}
