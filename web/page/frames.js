/** Work that is done once a frame, however often it is asked for, and long work in parts. */

/** Milliseconds of work after which the rest waits for the next frame, or for its turn. */
const BUDGET = 10;

/** @type {Set<() => void>} in the order in which they were asked for */
const asked = new Set();

/** The document says that something is not drawn yet. */
function request() {
  document.documentElement.dataset.drawing = '';
  requestAnimationFrame(work);
}

/**
 * One change may be drawn by many panels. Each frame does some of it, so that none takes long. Work
 * may ask for more, which has its turn in the same frame. Nothing is done twice.
 */
function work() {
  const begun = performance.now();
  const done = new Set();
  try {
    for (const run of asked) {
      if (performance.now() - begun > BUDGET) break;
      if (done.has(run)) continue;
      done.add(run);
      asked.delete(run);
      run();
    }
  } finally {
    if (asked.size) request();
    else delete document.documentElement.dataset.drawing;
  }
}

/** Until everything that was asked for is drawn. */
export async function drawn() {
  while ('drawing' in document.documentElement.dataset) await new Promise(requestAnimationFrame);
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

/**
 * Asks for a drawing, but not before others had as much time as the last one took, until it was
 * painted.
 * @param {() => void} draw asks for it in the next frame
 */
export function sparing(draw) {
  let rests = false;
  let missed = false;
  const ask = () => {
    missed = rests;
    if (rests) return;
    rests = true;
    const again = () => {
      rests = false;
      if (missed) ask();
    };
    draw();
    const rest = (/** @type {number} */ begun) => {
      if ('drawing' in document.documentElement.dataset)
        return void requestAnimationFrame(() => rest(begun));
      // a task after the frame begins when it is painted
      setTimeout(() => setTimeout(again, performance.now() - begun));
    };
    requestAnimationFrame(rest);
  };
  return ask;
}

/**
 * Calls `run` once after the present work, however often it is asked for meanwhile. Nothing is
 * drawn in between.
 * @param {() => void} run
 */
export function onceAfter(run) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    queueMicrotask(() => {
      waits = false;
      run();
    });
  };
}

/**
 * Does work in parts. After some of them everything else has its turn, and the rest is given up
 * where it is not wanted any more.
 * @template T
 * @param {Generator<void, T, void>} parts @param {() => boolean} wanted
 * @returns {Promise<T | undefined>} undefined where the work was given up
 */
export async function inParts(parts, wanted) {
  for (;;) {
    await new Promise((resume) => setTimeout(resume));
    if (!wanted()) return undefined;
    const begun = performance.now();
    do {
      const { done, value } = parts.next();
      if (done) return value;
    } while (performance.now() - begun < BUDGET);
  }
}
