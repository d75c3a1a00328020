/** A count of the random states that were checked, and of their verdicts. */

/** @typedef {import('./sheet.js').Proof} Proof */

/** The states that were checked so far, and the verdicts that did not hold. */
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
    const run = `Checked ${this.states} of ${of} times`;
    if (!this.states) return `${run}.`;
    const bad = this.violated.length;
    if (!bad) return `${run}, each time with new numbers: ✓ all ${this.verdicts} checks hold.`;
    const [{ number, seed }] = this.violated;
    return (
      `${run}, each time with new numbers: ✗ ${bad} of ${this.verdicts} checks failed, ` +
      `first that of statement ${number} with seed ${seed}.`
    );
  }
}
