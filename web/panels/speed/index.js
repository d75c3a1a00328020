/** Three ways to compute the same attention, one pass over the keys, and keys that heads share. */
import { options } from '../../page/controls.js';
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
  verdicts,
} from '../../page/layout.js';
import { short } from '../../plot/format.js';
import { ALLOWANCE } from './difference.js';
import { Fused } from './fused.js';
import { cellsOf, DIFFERENCE, Race } from './race.js';
import { KEYS } from './shared-compute.js';
import { SHARED_NAMES, sharedKeys } from './shared.js';
import { Timer } from './timer.js';
import { D, operations, textbook, typed } from './ways.js';

/** @typedef {import('./worker.js').Way} Way */

/** @type {Record<Way, string>} */
const NAMES = {
  textbook: 'plain JavaScript, as in a textbook',
  typed: 'fast JavaScript, with typed arrays',
  wasm: 'the library, in WebAssembly',
};
const WAYS = /** @type {Way[]} */ (Object.keys(NAMES));

const statementOfAll = () =>
  new Statement({
    id: 'K1',
    claim: 'all three give the numbers of a fourth program, which is plain and slow',
    allowance: ALLOWANCE,
    oracles: [attentionRow, textbook, typed],
  });

/** @param {import('../../page/lab.js').Lab} lab @param {() => number} words */
function threeWays(lab, words) {
  const rows = cellsOf(WAYS);
  const task = { ways: WAYS, compare: 'compare', time: 'time', inputs: () => [words()] };
  const race = new Race(new Timer(lab, task), {
    ...{ start: 'measure here', said: 'speed-said', base: 'textbook', rows },
    statement: statementOfAll(),
    outcome({ textbook: slow = NaN, wasm = NaN }) {
      const rate = operations(words()) / wasm / 1e6;
      return (
        `Here, now, the library is ${short(slow / wasm, 2)} times as fast as the textbook’s ` +
        `code. It does ${short(rate, 2)} billion sums and products a second.`
      );
    },
  });
  const { element } = numbersTable(
    {
      name: 'speed',
      caption:
        `One head, with ${D} numbers to a key. Each word looks at itself and at those before it. ` +
        'The difference is the largest from a fourth program, which is plain and slow. ' +
        'It comes from rounding: 1e−7 is 0.0000001.',
      columns: ['program', DIFFERENCE, 'speed', 'time', 'times as fast'],
    },
    ...WAYS.map((way) => {
      const { equal, cell, time, times } = rows[way];
      return numbersRow(NAMES[way], equal, cell, time, times);
    }),
  );
  return { race, table: element };
}

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab }) {
  const words = () => Number(state.n.value);
  const fused = new Fused(state, lab);
  const { race, table } = threeWays(lab, words);
  const shared = sharedKeys(lab);
  root.replaceChildren(
    controlsRow(options(state.n, 'Words', { 128: '128', 512: '512', 1024: '1,024' }), race.button),
    scrolling('Three ways, timed', table),
    race.said,
    fused.element,
    shared.element,
    verdicts([race.statement, ...Object.values(fused.checks), shared.race.statement]),
  );
  state.n.on(() => void orGiveUp([race], race.compare()));
  onSight(table, (visible) => race.seen(visible));
  onSight(shared.element, (visible) => shared.race.seen(visible));
  await Promise.all([race.compare(), fused.begin(), shared.race.compare()]);
  return {
    state: () => ({
      words: words(),
      equal: race.equal,
      samples: race.timer.samples,
      milliseconds: race.timer.found,
      fused: fused.found,
      shared: { equal: shared.race.equal, milliseconds: shared.race.timer.found },
    }),
    exports: { csv: () => asCsv(race, words(), shared.race), svg: () => fused.picture },
  };
}

/** @param {Race<any>} race @param {number} words @param {Race<any>} shared */
const asCsv = (race, words, shared) =>
  asText(
    ['way', 'words', 'milliseconds', DIFFERENCE],
    [...linesOf(race, NAMES, words), ...linesOf(shared, SHARED_NAMES, KEYS)],
  );

/** @param {Race<any>} race @param {Record<string, string>} names @param {number} words */
const linesOf = ({ timer, rows }, names, words) =>
  timer.ways.map((way) => [
    names[way],
    String(words),
    timer.found[way] ?? '',
    rows[way].equal.textContent ?? '',
  ]);
