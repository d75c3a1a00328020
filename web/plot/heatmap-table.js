/**
 * The same numbers as a table: whole up to 32 × 32, above that the eight largest weights of each
 * row.
 */
import { html } from './dom.js';
import { short } from './format.js';

const WHOLE = 32;
const LARGEST = 8;

/** @param {import('./heatmap.js').MapData} data @param {string} label */
export function tableTwin(data, label) {
  const whole = data.rows <= WHOLE && data.cols <= WHOLE;
  const table = whole ? wholeTable(data) : largestTable(data);
  const note = whole
    ? 'Rows are queries, columns are keys.'
    : `Each query’s ${LARGEST} largest weights, as key: weight. ` +
      'Of equal ones the earlier key is first.';
  table.prepend(html('caption', {}, `${label}. ${note} “–” is masked.`));
  return html(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': `Table: ${label}` },
    table,
  );
}

/** @param {import('./heatmap.js').MapData} data */
function wholeTable({ rows, cols, weights, masked }) {
  const head = html('tr', {}, html('th', { scope: 'col' }, 'query'));
  for (let j = 0; j < cols; j++) head.append(html('th', { scope: 'col' }, String(j)));
  const body = html('tbody');
  for (let i = 0; i < rows; i++) {
    const row = html('tr', {}, html('th', { scope: 'row' }, String(i)));
    for (let j = 0; j < cols; j++) {
      const p = weights[i * cols + j];
      row.append(
        masked(i, j)
          ? html('td', { class: 'masked' }, '–')
          : html('td', { 'data-value': p }, short(p, 2)),
      );
    }
    body.append(row);
  }
  return html('table', {}, html('thead', {}, head), body);
}

/** @param {import('./heatmap.js').MapData} data */
function largestTable({ rows, cols, weights, masked }) {
  const head = html('tr', {}, html('th', { scope: 'col' }, 'query'));
  for (let rank = 1; rank <= LARGEST; rank++)
    head.append(html('th', { scope: 'col' }, `no. ${rank}`));
  const body = html('tbody');
  for (let i = 0; i < rows; i++) {
    const keys = [];
    for (let j = 0; j < cols; j++) if (!masked(i, j)) keys.push(j);
    keys.sort((a, b) => weights[i * cols + b] - weights[i * cols + a] || a - b);
    const row = html('tr', {}, html('th', { scope: 'row' }, String(i)));
    for (let rank = 0; rank < LARGEST; rank++) {
      const j = keys[rank];
      row.append(
        j === undefined
          ? html('td', { class: 'masked' }, '–')
          : html(
              'td',
              { 'data-value': weights[i * cols + j] },
              `${j}: ${short(weights[i * cols + j], 2)}`,
            ),
      );
    }
    body.append(row);
  }
  return html('table', {}, html('thead', {}, head), body);
}
