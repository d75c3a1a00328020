/** Compares three ways to compute the same attention, and then times them by rounds. */
import { short } from '../../plot/format.js';
import { operations } from './ways.js';

/** @typedef {import('./worker.js').Way} Way */

/** Of a measurement that was asked for. Before that one round gives a first impression. */
export const ROUNDS = 9;

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

export class Timer {
  /**
   * @param {import('../../page/lab.js').Lab} lab @param {readonly Way[]} ways
   * @param {() => number} words
   */
  constructor(lab, ways, words) {
    this.lab = lab;
    this.ways = ways;
    this.words = words;
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
    const told = await this.lab.ask('speed', 'compare', [this.words()]);
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
    const n = this.words();
    /** @type {Record<string, number[]>} */
    const all = Object.fromEntries(this.ways.map((way) => [way, []]));
    for (let round = 0; round < rounds; round++)
      for (const way of this.ways) {
        const sample = await this.lab.ask('speed', 'time', [n, way]);
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
    return `${this.samples} of ${this.rounds * this.ways.length} samples`;
  }

  /** The figures in a sentence; empty where there are none. */
  get outcome() {
    const { wasm, textbook } = this.found;
    if (!wasm || !textbook) return '';
    const rate = operations(this.words()) / wasm / 1e6;
    const samples =
      this.rounds === 1
        ? 'This is one sample of each. A measurement takes nine.'
        : `Medians of ${this.rounds} samples, one of each by rounds.`;
    return (
      `Here, now: ${short(textbook / wasm, 2)} times the textbook, at ` +
      `${short(rate, 2)} billion operations a second on one thread. ${samples} ` +
      'Another tab may be eating a core.'
    );
  }
}
