/**
 * A step of training without the disturbance of other programs. On a shared machine they slow some
 * part of most steps, as a step is long. The fastest call of a limit is not slowed, as it is short.
 * So a step is cut into stretches, each at least as long as such a call. A stretch counts in the
 * step where it was fastest.
 */

/** Steps that this needs. With fewer, a stretch may be slowed in all of them. */
export const STEPS = 30;

/** Intervals of a step, at least. With fewer, the clock was not read around its pieces. */
const INTERVALS = 1000;

/**
 * Seconds between the readings of the clock in `body`, which is called once. The module of pieces.c
 * reads it around each piece. Its clock is performance.now, which is another function meanwhile.
 * @param {() => Promise<any>} body
 */
export async function intervalsOf(body) {
  const own = Object.getOwnPropertyDescriptor(performance, 'now');
  const now = performance.now.bind(performance);
  const times = [];
  const read = () => {
    const time = now();
    times.push(time);
    return time;
  };
  read();
  Object.defineProperty(performance, 'now', { value: read, configurable: true });
  try {
    await body();
  } finally {
    Reflect.deleteProperty(performance, 'now');
    if (own) Object.defineProperty(performance, 'now', own);
  }
  read();
  return times.slice(1).map((time, at) => (time - times[at]) / 1000);
}

/**
 * Those with as many intervals as most have. After a pause of the machine the clock may be read
 * once more.
 * @param {number[][]} steps
 */
function alike(steps) {
  const count = (/** @type {number} */ length) =>
    steps.filter((intervals) => intervals.length === length).length;
  const commonest = steps
    .map(({ length }) => length)
    .reduce((best, length) => (count(length) > count(best) ? length : best));
  return steps.filter(({ length }) => length === commonest);
}

/** @param {number[]} values */
const total = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * Seconds of each stretch in the step where it was fastest.
 * @param {number[][]} steps the same intervals of each
 * @param {number} length seconds that a stretch has at least; only the last may have less
 */
export function fastestStretches(steps, length) {
  const stretches = [];
  let first = 0;
  for (let end = 1; end <= steps[0].length; end++) {
    const fastest = Math.min(...steps.map((intervals) => total(intervals.slice(first, end))));
    if (fastest < length && end < steps[0].length) continue;
    stretches.push(fastest);
    first = end;
  }
  return stretches;
}

/**
 * The step that consists of the fastest stretches, and its share of the limit's fastest call.
 * @param {number[][]} measured intervals of each step
 * @param {number} operations of a step
 * @param {{ amount: number, fastest: number }} limit amount: operations of a call; fastest: seconds
 *   of the fastest one
 * @returns whole: the share of the fastest whole step; shares: those after a third of the steps,
 *   two thirds and all, which tell whether more steps would raise it
 */
export function undisturbedStep(measured, operations, { amount, fastest }) {
  const steps = alike(measured);
  const intervals = steps[0].length;
  if (intervals < INTERVALS)
    throw new Error(`a step has ${intervals} readings of the clock; expected ${INTERVALS} or more`);
  const after = (/** @type {number} */ count) =>
    fastestStretches(steps.slice(0, Math.ceil(count)), fastest);
  const shareOf = (/** @type {number[]} */ stretches) =>
    ((operations / total(stretches)) * fastest) / amount;
  const stretches = after(steps.length);
  return {
    seconds: total(stretches),
    share: shareOf(stretches),
    whole: shareOf([Math.min(...steps.map(total))]),
    shares: [1 / 3, 2 / 3, 1].map((part) => shareOf(after(part * steps.length))),
    steps: steps.length,
    stretches: stretches.length,
    longest: Math.max(...stretches),
    limit: { seconds: fastest, speed: amount / fastest },
  };
}
