/** The sheet: a row to each statement, with its comparison that comes nearest to its limit. */
import { STATEMENTS } from '../../../src/cli/statement-list.js';
import { numbersTable } from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { WORDS } from '../../page/statement.js';
import { short } from '../../plot/format.js';

/** @typedef {Awaited<ReturnType<typeof import('./worker.js').prove>>} Proof */
/** @typedef {import('../../../src/cli/lab.js').Part} Part */

/** The page's statuses, by those of the command line. */
const VERDICTS = /** @type {const} */ ({
  holds: 'holds',
  bound: 'slack',
  vacuous: 'vacuous',
  violated: 'violated',
});

/** An index is written _j or _O,h in the list. @param {string} text */
function formula(text) {
  const pieces = text.split(/_([A-Za-z](?:,[a-z])?|\d)/);
  return html('span', {}, ...pieces.map((piece, at) => (at % 2 ? html('sub', {}, piece) : piece)));
}

/** How near to the limit, as a bar. @param {number} ratio */
function gauge(ratio) {
  const inner = html('span', {});
  const part = Number.isFinite(ratio) ? Math.min(1, Math.max(0, ratio)) : 1;
  inner.style.width = `${100 * part}%`;
  return html(
    'span',
    {
      class: 'gauge',
      role: 'img',
      'aria-label': `${Math.round(100 * part)} per cent of the limit`,
    },
    inner,
  );
}

/** The two numbers of the comparison that come nearest to its limit. @param {Part} part */
const values = ({ left, right }) =>
  html(
    'div',
    { class: 'sides-values' },
    html('span', {}, `left ${left}`),
    html('span', {}, `right ${right}`),
  );

export class Sheet {
  constructor() {
    this.rows = STATEMENTS.map((statement) => {
      const verdict = html('span', { class: 'verdict' }, WORDS.waiting);
      const sides = html('td', { 'data-depth': 'understand', class: 'sides-cell' });
      const numbers = html('td', { 'data-depth': 'understand', class: 'numbers-cell' });
      const near = html('td', { class: 'near' });
      const row = html(
        'tr',
        { 'data-proof': statement.number, 'data-verdict': 'waiting' },
        html('th', { scope: 'row' }, String(statement.number)),
        html(
          'td',
          { class: 'proof-name' },
          statement.name,
          html('span', { class: 'proof-words' }, formula(statement.words)),
        ),
        html('td', { 'data-depth': 'understand' }, formula(statement.formula)),
        html('td', { class: 'verdict-cell' }, verdict),
        near,
        sides,
        numbers,
        html('td', { class: 'shown-in' }, statement.page),
      );
      return { number: statement.number, row, verdict, sides, numbers, near };
    });
    this.element = numbersTable(
      {
        name: 'sheet',
        caption:
          'Each statement is checked by several comparisons. A row shows the one that comes ' +
          'nearest to its limit.',
        columns: [
          'no.',
          'statement',
          ['formula', { 'data-depth': 'understand' }],
          'verdict',
          ['used of its limit', { class: 'near' }],
          ['nearest comparison', { 'data-depth': 'understand' }],
          ['measured, allowed', { 'data-depth': 'understand' }],
          ['shown in', { class: 'shown-in' }],
        ],
      },
      ...this.rows.map(({ row }) => row),
    ).element;
  }

  /** @param {Proof} proof */
  show({ statements }) {
    for (const { number, row, verdict, sides, numbers, near } of this.rows) {
      const found = statements.find((each) => each.number === number);
      const worst = found?.worst;
      const state = !found || !worst ? 'violated' : stateOf(found);
      row.dataset.verdict = state;
      setText(verdict, WORDS[state]);
      if (!worst) continue;
      row.dataset.left = String(worst.left);
      row.dataset.right = String(worst.right);
      row.dataset.measured = String(worst.measured);
      row.dataset.allowed = String(worst.allowed);
      row.dataset.ratio = String(worst.ratio);
      near.replaceChildren(gauge(worst.ratio));
      sides.replaceChildren(formula(worst.sides), values(worst));
      const unit = worst.unit ? ` ${worst.unit}` : '';
      setText(numbers, `${short(worst.measured)}${unit}, ${short(worst.allowed)}${unit}`);
    }
    this.element.dispatchEvent(new Event('verdict', { bubbles: true }));
  }
}

/** @param {Proof['statements'][number]} found */
const stateOf = ({ holds, worst }) => (holds ? VERDICTS[worst.verdict] : 'violated');
