/** Ways to compute the same: they are compared first, and timed then. */
import { button } from '../../page/controls.js';
import { status } from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';
import { ROUNDS } from './timer.js';

const STOP = 'stop';
/** Rounds without a press of the button. */
const FIRST = 3;

/** The column that tells how far a way is from the plain program. */
export const DIFFERENCE = 'largest difference';

/**
 * How a way differs from the plain program, at worst.
 * @template {string} Way
 * @typedef {import('../../page/statement.js').Finding & { way: Way, max: number }} Told
 */

/** The cells that every table of ways has. */
function cells() {
  const bar = html('span', { class: 'speed-bar' });
  const equal = html('td', { class: 'speed-equal' });
  const time = html('td');
  const times = html('td');
  return { bar, equal, cell: html('td', { class: 'speed-cell' }, bar), time, times };
}

/**
 * The cells of each way.
 * @template {string} Way
 * @param {readonly Way[]} ways
 */
export const cellsOf = (ways) =>
  /** @type {Record<Way, ReturnType<typeof cells>>} */ (
    Object.fromEntries(ways.map((way) => [way, cells()]))
  );

/**
 * The rows of a table, and the button that starts and stops.
 * @template {string} Way
 */
export class Race {
  /**
   * @param {import('./timer.js').Timer<Way>} timer
   * @param {object} about
   * @param {string} about.start label of the button
   * @param {string} about.said class of the line that tells what is going on
   * @param {Way} about.base the way that the speed of others is told by
   * @param {Record<Way, ReturnType<typeof cells>>} about.rows
   * @param {import('../../page/statement.js').Statement} about.statement
   * @param {(found: Partial<Record<Way, number>>) => string} about.outcome the times in a sentence
   */
  constructor(timer, { start, said, base, rows, statement, outcome }) {
    this.timer = timer;
    this.start = start;
    this.base = base;
    this.rows = rows;
    this.statement = statement;
    this.outcome = outcome;
    this.equal = false;
    this.visible = false;
    this.said = status(said);
    this.button = button(start, () => {
      if (this.button.textContent === STOP) this.stop('Stopped');
      else void this.measure(ROUNDS);
    });
  }

  /** The first time that a reader sees the equal ways, they are timed at once. */
  seen(/** @type {boolean} */ visible) {
    this.visible = visible;
    if (visible && this.equal && !this.timer.samples && this.button.textContent === this.start)
      void this.measure(FIRST);
  }

  show() {
    const { found, ways } = this.timer;
    const best = Math.min(...ways.map((way) => found[way] ?? Infinity));
    const base = found[this.base];
    for (const way of ways) {
      const { bar, time, times } = this.rows[way];
      const ms = found[way];
      bar.style.width = ms ? `${(100 * best) / ms}%` : '0';
      setText(time, ms ? `${short(ms)} ms` : '');
      setText(times, ms && base ? `${short(base / ms, 2)} ×` : '');
    }
  }

  /** @param {string} label of the button @param {string} text */
  say(label, text) {
    setText(this.button, label);
    setText(this.said, text);
  }

  async compare() {
    this.equal = false;
    this.button.disabled = true;
    this.statement.wait();
    const asked = this.timer.compare();
    this.say(this.start, '');
    this.show();
    /** @type {Told<Way>[] | undefined} */
    const told = await asked;
    if (!told) return;
    for (const { way, max } of told) setText(this.rows[way].equal, scientific(max));
    const worst = told.reduce((/** @type {any} */ a, /** @type {any} */ b) =>
      a.ratio >= b.ratio ? a : b,
    );
    this.statement.show(worst);
    this.equal = told.every(({ ratio = NaN }) => ratio <= 1);
    this.button.disabled = !this.equal;
    if (!this.equal)
      return setText(this.said, 'They differ by more than rounding, so nothing is timed.');
    this.seen(this.visible);
  }

  /** The ways are not known to be equal. @param {string} why */
  nothing(why) {
    this.statement.nothing(why);
    setText(this.said, `Nothing is timed: ${why}.`);
  }

  async measure(/** @type {number} */ rounds) {
    const { timer } = this;
    const measured = timer.measure(rounds, () => {
      setText(this.said, `${timer.progress} are done. The numbers still change.`);
      this.show();
    });
    this.say(STOP, 'The first time is being taken.');
    this.show();
    try {
      if (await measured) this.say(this.start, `${this.outcome(timer.found)} ${timer.sampling}`);
    } catch (error) {
      this.stop(`It did not end: ${/** @type {Error} */ (error).message}. It stopped`);
    }
  }

  /** @param {string} why */
  stop(why) {
    this.timer.stop();
    this.say(this.start, `${why} after ${this.timer.progress}.`);
  }
}
