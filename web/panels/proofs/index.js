/** The proof sheet: every statement of the library, both sides, here. */
import { STATEMENTS } from '../../../src/cli/statement-list.js';
import { button } from '../../page/controls.js';
import { report } from '../../page/statement.js';
import { html, setText } from '../../plot/dom.js';
import { Sheet } from './sheet.js';

/** @typedef {import('./sheet.js').Proof} Proof */

const STATES = 200;
const SWEEP = `run ${STATES} random states`;
const STOP = 'stop';

/** @param {number} count @param {string} word */
const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The states that were run so far, and the verdicts that did not hold. */
class Tally {
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

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state: { seed: first }, lab }) {
  const sheet = new Sheet();
  const progress = html('p', { class: 'progress', role: 'status' });
  /** @type {Proof | undefined} */
  let shown;
  let tally = new Tally();
  let latest = 0;

  /** @param {number} seed @returns {Promise<Proof | undefined>} */
  const prove = (seed) => lab.ask('proofs', 'prove', [seed]);
  const end = () => {
    latest++;
    setText(sweeper, SWEEP);
  };
  const once = async (/** @type {number} */ seed) => {
    end();
    const proof = await prove(seed);
    if (!proof) return;
    shown = proof;
    sheet.show(proof);
    const bad = proof.statements.filter(({ holds }) => !holds).length;
    const outcome = bad ? `✗ ${bad} violated` : '✓ all hold';
    setText(
      progress,
      `${counted(proof.statements.length, 'statement')}, seed ${seed}: ${outcome}.`,
    );
  };
  /** Many states, one after the other, until another button is pressed. */
  const sweep = async () => {
    if (sweeper.textContent === STOP) {
      end();
      setText(progress, `Stopped. ${tally.words(STATES)}`);
      return;
    }
    const mine = ++latest;
    setText(sweeper, STOP);
    setText(progress, '');
    tally = new Tally();
    const begun = performance.now();
    for (let at = 0; at < STATES; at++) {
      const proof = await prove(Math.floor(Math.random() * 1e9));
      if (!proof || mine !== latest) return;
      tally.add(proof);
      const rest = ((performance.now() - begun) / (at + 1)) * (STATES - at - 1);
      setText(progress, `${tally.words(STATES)} About ${Math.ceil(rest / 1000)} s left.`);
      if (proof.statements.some(({ holds }) => !holds)) {
        shown = proof;
        sheet.show(proof);
      }
    }
    setText(progress, tally.words(STATES));
    end();
  };
  const again = button('run all, other numbers', () => first.set(first.value + 1));
  first.on((/** @type {number} */ seed) => {
    once(seed).catch(({ message }) => setText(progress, `It did not end: ${message}.`));
  });
  const sweeper = button(SWEEP, () =>
    sweep().catch(({ message }) => {
      end();
      setText(progress, `It did not end: ${message}. ${tally.words(STATES)}`);
    }),
  );
  root.replaceChildren(
    html('div', { class: 'controls' }, again, sweeper),
    progress,
    html(
      'div',
      { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'All statements' },
      sheet.element,
    ),
  );
  // the table of the page as it was delivered says the same, without verdicts
  const delivered = root.closest('section')?.querySelector('#statements');
  if (delivered instanceof HTMLElement) delivered.hidden = true;
  await once(first.value);
  const told = () => ({
    statements: STATEMENTS.map((statement) => ({
      ...statement,
      ...shown?.statements.find(({ number }) => number === statement.number),
    })),
    seed: shown?.seed,
    kernels: shown?.variant,
    environment: report.environment(),
    browser: navigator.userAgent,
    randomStates: { states: tally.states, verdicts: tally.verdicts, violated: tally.violated },
  });
  return { reset: () => void once(first.value), state: told, exports: { json: told } };
}
