/** Three ways to compute the same attention: compared first, and timed then. */
import { button, options } from '../../page/controls.js';
import { table as asText } from '../../page/files.js';
import { Statement } from '../../page/statement.js';
import { attentionRow } from '../../math/oracle.js';
import {
  controlsRow,
  numbersRow,
  numbersTable,
  onSight,
  orGiveUp,
  scrolling,
  status,
  verdicts,
} from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';
import { Fused } from './fused.js';
import { ROUNDS, Timer } from './timer.js';
import { D, textbook, typed } from './ways.js';

/** @typedef {import('./worker.js').Way} Way */

const START = 'measure here';
const STOP = 'stop';
/** @type {Record<Way, string>} */
const NAMES = {
  textbook: 'JavaScript, as in a textbook',
  typed: 'JavaScript, with typed arrays',
  wasm: 'this library, WebAssembly SIMD',
};
const WAYS = /** @type {Way[]} */ (Object.keys(NAMES));

function row(/** @type {Way} */ way) {
  const bar = html('span', { class: 'speed-bar' });
  const equal = html('td', { class: 'speed-equal' });
  const time = html('td');
  const times = html('td');
  const cell = html('td', { class: 'speed-cell' }, bar);
  const element = numbersRow(NAMES[way], equal, cell, time, times);
  return { element, bar, equal, time, times };
}

const statementOfAll = () =>
  new Statement({
    id: 'K1',
    claim: 'all three give the numbers of a fourth program, which is plain and slow',
    allowance:
      'Allowed per element: ε·Σ p|v|·(4 + 2A), A = max over the keys of Σ|q·k|·scale, ε = 2⁻²³.',
    oracles: [attentionRow, textbook, typed],
  });

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab }) {
  const fused = new Fused(state, lab);
  const race = new Race(new Timer(lab, WAYS, () => Number(state.n.value)));
  const { timer, rows, said, statement } = race;
  const { element } = numbersTable(
    {
      name: 'speed',
      caption: `One head of ${D} channels, causal, float32 inputs.`,
      columns: ['way', 'equal', 'speed', 'time', 'times the textbook'],
    },
    ...WAYS.map((way) => rows[way].element),
  );
  root.replaceChildren(
    controlsRow(options(state.n, 'Words', { 128: '128', 512: '512', 1024: '1,024' }), race.button),
    scrolling('Three ways, timed', element),
    said,
    fused.element,
    verdicts([statement, ...Object.values(fused.checks)]),
  );
  state.n.on(() => void orGiveUp([race], race.compare()));
  onSight(element, (visible) => race.seen(visible));
  await Promise.all([race.compare(), fused.begin()]);
  return {
    state: () => ({
      words: timer.words(),
      equal: race.equal,
      samples: timer.samples,
      milliseconds: timer.found,
      fused: fused.found,
    }),
    exports: { csv: () => race.csv(), svg: () => fused.picture },
  };
}

/** The table of the three ways, and the button that starts and stops. */
class Race {
  /** @param {Timer} timer */
  constructor(timer) {
    this.timer = timer;
    this.equal = false;
    this.visible = false;
    this.rows = Object.fromEntries(WAYS.map((way) => [way, row(way)]));
    this.statement = statementOfAll();
    this.said = status('speed-said');
    this.button = button(START, () => {
      if (this.button.textContent === STOP) this.stop('Stopped.');
      else void this.measure(ROUNDS);
    });
  }

  /** The first time that a reader sees the equal ways, they are timed once. */
  seen(/** @type {boolean} */ visible) {
    this.visible = visible;
    if (visible && this.equal && !this.timer.samples && this.button.textContent === START)
      void this.measure(1);
  }

  show() {
    const { found } = this.timer;
    const best = Math.min(...WAYS.map((way) => found[way] ?? Infinity));
    for (const way of WAYS) {
      const { bar, time, times } = this.rows[way];
      const ms = found[way];
      bar.style.width = ms ? `${(100 * best) / ms}%` : '0';
      setText(time, ms ? `${short(ms)} ms` : '');
      setText(times, ms && found.textbook ? `${short(found.textbook / ms, 2)} ×` : '');
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
    this.say(START, '');
    this.show();
    const told = await asked;
    if (!told) return;
    for (const { way, max } of told) setText(this.rows[way].equal, `to ${scientific(max)}`);
    const worst = told.reduce((/** @type {any} */ a, /** @type {any} */ b) =>
      a.ratio >= b.ratio ? a : b,
    );
    this.statement.show(worst);
    this.equal = told.every(({ ratio = NaN }) => ratio <= 1);
    this.button.disabled = !this.equal;
    if (!this.equal) return setText(this.said, 'They are not equal, so nothing is timed.');
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
      setText(this.said, `${timer.progress}. The figures still change.`);
      this.show();
    });
    this.say(STOP, 'The first sample is being taken.');
    this.show();
    try {
      if (await measured) this.say(START, timer.outcome);
    } catch (error) {
      this.stop(`It did not end: ${/** @type {Error} */ (error).message}.`);
    }
  }

  /** @param {string} why */
  stop(why) {
    this.timer.stop();
    this.say(START, `${why} There are ${this.timer.progress}.`);
  }

  csv() {
    const { found, words } = this.timer;
    return asText(
      ['way', 'words', 'milliseconds', 'equal'],
      WAYS.map((way) => [
        NAMES[way],
        String(words()),
        found[way] ?? '',
        this.rows[way].equal.textContent ?? '',
      ]),
    );
  }
}
