/** Compares ways to compute the same attention, and then times them by rounds. */

/** Of a measurement that was asked for. Before that one round gives a first impression. */
export const ROUNDS = 9;

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/**
 * @template {string} Way
 * @typedef {object} Task of the worker
 * @property {readonly Way[]} ways
 * @property {string} compare the name of the function that compares them
 * @property {string} time the name of the one that times a way, with the way last
 * @property {() => unknown[]} inputs of both
 */

/** @template {string} Way */
export class Timer {
  /** @param {import('../../page/lab.js').Lab} lab @param {Task<Way>} task */
  constructor(lab, task) {
    this.lab = lab;
    this.task = task;
    this.ways = task.ways;
    /** Of the newest comparison or measurement; others have ended. */
    this.latest = 0;
    this.samples = 0;
    this.rounds = ROUNDS;
    /** @type {Partial<Record<Way, number>>} the medians, in milliseconds */
    this.found = {};
  }

  /** The measurement before is over, and nothing is left of it. */
  begin() {
    this.found = {};
    this.samples = 0;
    return ++this.latest;
  }

  /** How each way differs from the oracle. Undefined where another comparison has begun. */
  async compare() {
    const mine = this.begin();
    const told = await this.lab.ask('speed', this.task.compare, this.task.inputs());
    return mine === this.latest ? told : undefined;
  }

  /**
   * @param {number} rounds of one sample for each way
   * @param {() => void} tell after each sample
   * @returns {Promise<boolean>} whether it came to its end
   */
  async measure(rounds, tell) {
    const mine = this.begin();
    this.rounds = rounds;
    const inputs = this.task.inputs();
    /** @type {Record<string, number[]>} */
    const all = Object.fromEntries(this.ways.map((way) => [way, []]));
    for (let round = 0; round < rounds; round++)
      for (const way of this.ways) {
        const sample = await this.lab.ask('speed', this.task.time, [...inputs, way]);
        if (mine !== this.latest) return false;
        this.samples++;
        all[way].push(sample);
        this.found = { ...this.found, [way]: median(all[way]) };
        tell();
      }
    return true;
  }

  /** The medians so far stay. */
  stop() {
    this.latest++;
  }

  get progress() {
    return `${this.samples} of ${this.rounds * this.ways.length} timings`;
  }

  /** How the figures were taken. */
  get sampling() {
    const more = this.rounds < ROUNDS ? ` The button times each ${ROUNDS} times.` : '';
    const samples = `Each was timed ${this.rounds} times, and the times are medians.`;
    return `${samples}${more} Other programs on this machine make the times longer.`;
  }
}
