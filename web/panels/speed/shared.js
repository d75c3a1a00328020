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
import { cellsOf, Race } from './race.js';
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
    claim: 'heads that share keys give the numbers of heads with a copy each',
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
      `Here, now: where all heads share keys, a look takes ${short(all, 2)} ms and not ` +
      `${short(own, 2)} ms, on one thread.`,
  });
  const { element } = numbersTable(
    {
      name: 'shared-speed',
      caption: `${HEADS} heads of ${D} channels, and a cache of ${whole(KEYS)} words in float32`,
      columns: ['keys', 'cache', 'equal', 'speed', 'time', 'times as fast'],
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
        'A new word looks at all words before it, and their keys and values wait in a cache. ' +
          'Where heads share keys, the cache is smaller. Each head still computes as many scores.',
      ),
      controlsRow(race.button),
      scrolling('Four ways to share keys, timed', element),
      race.said,
    ),
  };
}
