/** A sample takes at least so long, since clocks of browsers are coarse. */
const SAMPLE = 40;

/** Milliseconds of one call, the mean over a sample. @param {() => unknown} run */
export function meanTime(run) {
  run();
  const start = performance.now();
  let calls = 0;
  do {
    run();
    calls++;
  } while (performance.now() - start < SAMPLE);
  return (performance.now() - start) / calls;
}
