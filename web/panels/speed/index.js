/** Three ways to compute the same attention: compared first, and timed then. */
import { options } from '../../page/controls.js';
import { table as asText } from '../../page/files.js';
import { Statement } from '../../page/statement.js';
import { attentionRow } from '../../math/oracle.js';
import { html, setText } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';
import { D, operations, textbook, typed } from './ways.js';

/** @typedef {import('./worker.js').Way} Way */

const ROUNDS = 9;
const START = 'measure here';
const STOP = 'stop';
/** @type {Record<Way, string>} */
const NAMES = {
  textbook: 'JavaScript, as in a textbook',
  typed: 'JavaScript, with typed arrays',
  wasm: 'this library, WebAssembly SIMD',
};
const WAYS = /** @type {Way[]} */ (Object.keys(NAMES));

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function row(/** @type {Way} */ way) {
  const bar = html('span', { class: 'speed-bar' });
  const equal = html('td', { class: 'speed-equal' });
  const time = html('td');
  const times = html('td');
  const cell = html('td', { class: 'speed-cell' }, bar);
  const element = html(
    'tr',
    {},
    html('th', { scope: 'row' }, NAMES[way]),
    equal,
    cell,
    time,
    times,
  );
  return { element, bar, equal, time, times };
}

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab }) {
  const rows = Object.fromEntries(WAYS.map((way) => [way, row(way)]));
  const statement = new Statement({
    id: 'K1',
    claim: 'all three give what the oracle gives',
    allowance:
      'Allowed per element: ε·Σ p|v|·(4 + 2A), A = max over the keys of Σ|q·k|·scale, ε = 2⁻²³.',
    oracles: [attentionRow, textbook, typed],
  });
  const button = html('button', { type: 'button', class: 'quiet' }, START);
  const said = html('p', { class: 'speed-said', role: 'status' });
  const table = html(
    'table',
    { class: 'speed' },
    html('caption', {}, `One head of ${D} channels, causal, float32 inputs.`),
    html(
      'thead',
      {},
      html(
        'tr',
        {},
        ...['way', 'equal', 'speed', 'time', 'times the textbook'].map((name) =>
          html('th', { scope: 'col' }, name),
        ),
      ),
    ),
    html('tbody', {}, ...WAYS.map((way) => rows[way].element)),
  );
  root.replaceChildren(
    html(
      'div',
      { class: 'controls' },
      options(state.n, 'Words', { 128: '128', 512: '512', 1024: '1 024' }),
      button,
    ),
    html(
      'div',
      { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Three ways, timed' },
      table,
    ),
    said,
    statement.element,
  );

  /** @type {Partial<Record<Way, number>>} the medians, in milliseconds */
  let found = {};
  /** Of the newest comparison or measurement; others have ended. */
  let latest = 0;
  let samples = 0;
  let equal = false;

  const show = () => {
    const best = Math.min(...WAYS.map((way) => found[way] ?? Infinity));
    for (const way of WAYS) {
      const { bar, time, times } = rows[way];
      const ms = found[way];
      bar.style.width = ms ? `${(100 * best) / ms}%` : '0';
      setText(time, ms ? `${short(ms)} ms` : '');
      setText(times, ms && found.textbook ? `${short(found.textbook / ms, 2)} ×` : '');
    }
  };
  /** The measurement before is over, and nothing is left of it. @param {string} label */
  const begin = (label) => {
    found = {};
    samples = 0;
    setText(button, label);
    setText(said, '');
    show();
    return ++latest;
  };
  const compare = async () => {
    const mine = begin(START);
    equal = false;
    button.disabled = true;
    statement.wait();
    const told = await lab.ask('speed', 'compare', [Number(state.n.value)]);
    if (!told || mine !== latest) return;
    for (const { way, max } of told) setText(rows[way].equal, `to ${scientific(max)}`);
    const worst = told.reduce((/** @type {any} */ a, /** @type {any} */ b) =>
      a.ratio >= b.ratio ? a : b,
    );
    statement.show(worst);
    equal = told.every(({ ratio = NaN }) => ratio <= 1);
    button.disabled = !equal;
    if (!equal) setText(said, 'They are not equal, so nothing is timed.');
  };
  const measure = async () => {
    const mine = begin(STOP);
    setText(said, 'The first sample is being taken.');
    const n = Number(state.n.value);
    /** @type {Record<string, number[]>} */
    const all = Object.fromEntries(WAYS.map((way) => [way, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const way of WAYS) {
        const sample = await lab.ask('speed', 'time', [n, way]);
        if (mine !== latest) return;
        samples++;
        setText(said, `${samples} of ${ROUNDS * WAYS.length} samples. The figures still change.`);
        all[way].push(sample);
        found = { ...found, [way]: median(all[way]) };
        show();
      }
    setText(button, START);
    if (!found.wasm || !found.textbook) return;
    const rate = operations(n) / found.wasm / 1e6;
    setText(
      said,
      `Here, now: ${short(found.textbook / found.wasm, 2)} times the textbook, at ` +
        `${short(rate, 2)} billion operations a second on one thread. Medians of ${ROUNDS} ` +
        'samples, one of each by rounds; another tab may be eating a core.',
    );
  };
  /** The medians so far stay. @param {string} why */
  const stop = (why) => {
    latest++;
    setText(button, START);
    setText(said, `${why} There are ${samples} of ${ROUNDS * WAYS.length} samples.`);
  };
  button.addEventListener('click', () => {
    if (button.textContent === STOP) stop('Stopped.');
    else measure().catch(({ message }) => stop(`It did not end: ${message}.`));
  });
  state.n.on(compare);
  await compare();
  return {
    state: () => ({ words: Number(state.n.value), equal, samples, milliseconds: found }),
    exports: {
      csv: () =>
        asText(
          ['way', 'words', 'milliseconds', 'equal'],
          WAYS.map((way) => [
            NAMES[way],
            state.n.value,
            found[way] ?? '',
            rows[way].equal.textContent ?? '',
          ]),
        ),
    },
  };
}
