/** The price of shared keys, measured: one new word that looks at a cache, in four ways. */
import { attentionRow } from '../../math/oracle.js';
import {
  block,
  controlsRow,
  numbersRow,
  numbersTable,
  paragraph,
  scrolling,
} from '../../page/layout.js';
import { Statement } from '../../page/statement.js';
import { html } from '../../plot/dom.js';
import { short, whole } from '../../plot/format.js';
import { kilobytes } from '../sharing/caches-table.js';
import { ALLOWANCE } from './difference.js';
import { cellsOf, DIFFERENCE, Race } from './race.js';
import { bytesOf, HEADS, KEYS, SHARED } from './shared-compute.js';
import { Timer } from './timer.js';
import { D } from './ways.js';

/** @type {Record<import('./shared-compute.js').Shared, string>} */
export const SHARED_NAMES = {
  8: 'each head has keys of its own (MHA)',
  4: 'two heads share keys (GQA)',
  2: 'four heads share keys (GQA)',
  1: 'all heads share keys (MQA)',
};

const statement = () =>
  new Statement({
    id: 'K3',
    claim: 'heads that share keys give the same numbers as heads with a copy each',
    allowance: ALLOWANCE,
    oracles: [attentionRow],
  });

/** The table, its race and its words. @param {import('../../page/lab.js').Lab} lab */
export function sharedKeys(lab) {
  const rows = cellsOf(SHARED);
  const task = { ways: SHARED, compare: 'compareShared', time: 'timeShared', inputs: () => [] };
  const race = new Race(new Timer(lab, task), {
    ...{ start: 'measure sharing', said: 'shared-said', base: '8', rows },
    statement: statement(),
    outcome: ({ 8: own = NaN, 1: all = NaN }) =>
      `Here, now, a word looks back in ${short(own, 2)} ms with keys for each head, and in ` +
      `${short(all, 2)} ms with keys that all share.`,
  });
  const { element } = numbersTable(
    {
      name: 'shared-speed',
      caption: `${HEADS} heads, with ${D} numbers to a key, and a cache of ${whole(KEYS)} words`,
      columns: ['keys', 'cache', DIFFERENCE, 'speed', 'time', 'times as fast'],
    },
    ...SHARED.map((way) => {
      const { equal, cell, time, times } = rows[way];
      const bytes = html('td', { 'data-value': bytesOf(way) }, kilobytes(bytesOf(way)));
      return numbersRow(SHARED_NAMES[way], bytes, equal, cell, time, times);
    }),
  );
  return {
    race,
    element: block(
      'shared-keys',
      html('h3', {}, 'Keys that heads share'),
      paragraph(
        'plain',
        'A new word looks at all words before it. Their keys and values are stored in memory, ' +
          'in a cache. Where heads share keys, the cache is smaller, so less of it has to be ' +
          'read. Each head still computes all its scores. The letters in brackets are the usual ' +
          'names.',
      ),
      controlsRow(race.button),
      scrolling('Four ways to share keys, timed', element),
      race.said,
    ),
  };
}
