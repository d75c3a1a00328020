/**
 * A limit has several forms that do the same work. Which is the fastest depends on the processor
 * and the engine, so all of them are warmed and raced.
 */

const FINALISTS = 3;
const HEATS = 5;
/** Seconds of a form in one heat. */
const HEAT = 2e-3;

const now = () => performance.now() / 1000;

/**
 * @typedef {{ name: string, run: () => any }} Form
 * @typedef {Form & { each: number, calls: number }} Finalist each: seconds of a call; calls: how
 *   many of them a heat has
 */

/**
 * The fastest forms, the best of them first. They run in every turn. Of a turn the best run counts,
 * and beside a step of training the mean as well (training.js).
 * @param {Form[]} forms
 * @param {(form: Form, calls: number) => Promise<number>} time seconds of a call
 * @param {number} warm seconds of each form before it is timed
 * @returns {Promise<Finalist[]>}
 */
export async function finalists(forms, time, warm) {
  const runners = [];
  for (const form of forms) {
    let each = Infinity;
    const end = now() + warm;
    do each = Math.min(each, await time(form, 1));
    while (now() < end);
    runners.push({ ...form, each, calls: Math.max(1, Math.ceil(HEAT / each)) });
  }
  for (let heat = 0; heat < HEATS; heat++)
    for (const runner of runners)
      runner.each = Math.min(runner.each, await time(runner, runner.calls));
  return runners.sort((a, b) => a.each - b.each).slice(0, FINALISTS);
}
