/**
 * A step of training without the disturbance of other programs. On a shared machine they slow some
 * part of every step, as it is long. The fastest call of a limit is not slowed, as it is short. So
 * a step is cut into stretches as long as such a call, and each counts where it was fastest.
 */

/**
 * Seconds between the readings of the clock in `body`, which is called once. The module of pieces.c
 * reads it around each piece.
 * @param {() => Promise<any>} body
 */
export async function pieceTimes(body) {
  const times = [];
  const now = performance.now.bind(performance);
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
  }
  read();
  return times.slice(1).map((time, at) => (time - times[at]) / 1000);
}

/**
 * Seconds of a step whose every stretch is as fast as in its fastest step.
 * @param {number[][]} steps times of the same pieces in each
 * @param {number} stretch seconds: neighbouring pieces are joined until they take as long
 */
export function undisturbed(steps, stretch) {
  const pieces = steps[0].length;
  if (steps.some(({ length }) => length !== pieces))
    throw new Error('the steps do not have the same pieces');
  let sum = 0;
  let first = 0;
  for (let end = 1; end <= pieces; end++) {
    const fastest = Math.min(...steps.map((times) => total(times.slice(first, end))));
    if (fastest < stretch && end < pieces) continue;
    sum += fastest;
    first = end;
  }
  return sum;
}

/** @param {number[]} times */
const total = (times) => times.reduce((sum, seconds) => sum + seconds, 0);
