/** The reports of a row: of each key one number of its value, on the scale of the figure. */
import { exampleOf } from '../../math/example.js';
import { REPORTS } from './state.js';

/** The largest report of a row in either direction, about as large as in the example. */
const LARGEST = 2.2;

/**
 * The first number of each value, times a factor. They are made up where there is no row.
 * @param {import('../../page/row.js').Row | undefined} row
 * @param {import('../../page/row.js').Keys} [keys]
 * @returns {{ reports: readonly number[], factor: number }} the factor of made-up reports is 0
 */
export function reportsOf(row, keys) {
  const { places } = exampleOf(row, keys);
  const values = row?.v;
  if (!row || !values || !places.length) return { reports: REPORTS, factor: 0 };
  const channels = values.length / row.words.length;
  const first = places.map((j) => values[j * channels]);
  const largest = Math.max(...first.map(Math.abs));
  const factor = largest > 0 ? Number((LARGEST / largest).toPrecision(2)) : 1;
  const scaled = (/** @type {number} */ x) => Number((factor * x).toFixed(3));
  // the list has one length, and the reports beyond the keys are not shown
  const reports = REPORTS.map((report, at) => (at < first.length ? scaled(first[at]) : report));
  return { reports, factor };
}

/**
 * Where the reports come from, in words.
 * @param {ReturnType<typeof reportsOf>} own of the row @param {readonly number[]} shown
 */
export function originOf({ reports, factor }, shown) {
  if (!factor) return 'These reports are made up.';
  const dragged = shown.some((x, at) => x !== reports[at]) ? ' A report was dragged.' : '';
  return `A report is the first number of the word’s value, times ${factor}.${dragged}`;
}
