/** The proof sheet: every statement of the library, both sides, here. */
import { STATEMENTS } from '../../../src/cli/statement-list.js';
import { button } from '../../page/controls.js';
import { report } from '../../page/statement.js';
import { controlsRow, orGiveUp, scrolling, status } from '../../page/layout.js';
import { setText } from '../../plot/dom.js';
import { Sheet } from './sheet.js';
import { legend } from './legend.js';
import { Tally } from './tally.js';

/** @typedef {import('./sheet.js').Proof} Proof */

const STATES = 200;
const SWEEP = `check ${STATES} times, with new numbers`;
const STOP = 'stop';

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state: { seed }, lab }) {
  const prover = new Prover(lab);
  const again = button('check once, with new numbers', () => seed.set(seed.value + 1));
  const { sheet, progress, sweeper } = prover;
  root.replaceChildren(
    controlsRow(again, sweeper),
    progress,
    legend(),
    scrolling('All statements', sheet.element),
  );
  const prove = () => void orGiveUp([prover], prover.once(seed.value));
  seed.on(prove);
  // the table of the page as it was delivered says the same, without verdicts
  const delivered = root.closest('section')?.querySelector('#statements');
  if (delivered instanceof HTMLElement) delivered.hidden = true;
  await prover.once(seed.value);
  const told = () => prover.told();
  return { reset: prove, state: told, exports: { json: told } };
}

/** Runs all statements on the numbers of one seed, or of many. */
class Prover {
  /** @param {import('../../page/lab.js').Lab} lab */
  constructor(lab) {
    this.lab = lab;
    this.sheet = new Sheet();
    this.progress = status('progress');
    this.sweeper = button(SWEEP, () => void this.sweep());
    /** @type {Proof | undefined} */
    this.shown = undefined;
    this.tally = new Tally();
    /** Of the newest run; others have ended. */
    this.latest = 0;
  }

  /** @param {string} text */
  say(text) {
    setText(this.progress, text);
  }

  /** The verdicts of before stay. @param {string} why */
  nothing(why) {
    this.say(`Another run was begun, but ${why}.`);
  }

  /** @param {number} seed @returns {Promise<Proof | undefined>} */
  prove(seed) {
    return this.lab.ask('proofs', 'prove', [seed]);
  }

  /** @param {Proof} proof */
  show(proof) {
    this.shown = proof;
    this.sheet.show(proof);
  }

  end() {
    this.latest++;
    setText(this.sweeper, SWEEP);
  }

  /** @param {number} seed */
  async once(seed) {
    this.end();
    const proof = await this.prove(seed);
    if (!proof) return;
    this.show(proof);
    const all = proof.statements.length;
    const bad = proof.statements.filter(({ holds }) => !holds).length;
    const outcome = bad
      ? `✗ ${bad} of ${all} statements are violated`
      : `✓ all ${all} statements hold`;
    this.say(`Checked with random numbers, seed ${seed}: ${outcome}.`);
  }

  /** Many states, one after the other, until a button is pressed. */
  async sweep() {
    if (this.sweeper.textContent === STOP) {
      this.end();
      return this.say(`Stopped. ${this.tally.words(STATES)}`);
    }
    try {
      await this.runStates(++this.latest);
    } catch (error) {
      this.end();
      const { message } = /** @type {Error} */ (error);
      this.say(`It did not end: ${message}. ${this.tally.words(STATES)}`);
    }
  }

  /** @param {number} mine the number of this run */
  async runStates(mine) {
    setText(this.sweeper, STOP);
    const tally = new Tally();
    this.tally = tally;
    this.say(tally.words(STATES));
    for (let at = 0; at < STATES; at++) {
      const proof = await this.prove(Math.floor(Math.random() * 1e9));
      if (!proof || mine !== this.latest) return;
      tally.add(proof);
      // counts alone: a check takes several times longer while other panels compute
      this.say(tally.words(STATES));
      if (proof.statements.some(({ holds }) => !holds)) this.show(proof);
    }
    this.say(tally.words(STATES));
    this.end();
  }

  told() {
    const { shown, tally } = this;
    return {
      statements: STATEMENTS.map((statement) => ({
        ...statement,
        ...shown?.statements.find(({ number }) => number === statement.number),
      })),
      seed: shown?.seed,
      kernels: shown?.variant,
      environment: report.environment(),
      browser: navigator.userAgent,
      randomStates: { states: tally.states, verdicts: tally.verdicts, violated: tally.violated },
    };
  }
}
