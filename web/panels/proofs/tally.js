/** A count of the states that were run, and of their verdicts. */

/** @typedef {import('./sheet.js').Proof} Proof */

/** @param {number} count @param {string} word */
export const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The states that were run so far, and the verdicts that did not hold. */
export class Tally {
  constructor() {
    this.states = 0;
    this.verdicts = 0;
    /** @type {{ seed: number, number: number, name: string, worst: unknown }[]} */
    this.violated = [];
  }

  /** @param {Proof} proof */
  add({ seed, statements }) {
    this.states++;
    this.verdicts += statements.length;
    for (const { number, name, holds, worst } of statements)
      if (!holds) this.violated.push({ seed, number, name, worst });
  }

  /** @param {number} of states in all */
  words(of) {
    if (!this.states) return `None of ${counted(of, 'random state')} was run.`;
    const bad = this.violated.length;
    const outcome = bad
      ? `✗ ${counted(bad, 'verdict')} violated, first statement ${this.violated[0].number} ` +
        `at seed ${this.violated[0].seed}`
      : `✓ all ${this.verdicts} verdicts hold`;
    return `${this.states} of ${counted(of, 'random state')}: ${outcome}.`;
  }
}
