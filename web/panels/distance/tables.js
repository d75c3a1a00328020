/**
 * The note's run recomputed beside its published figures, and the eight settings of the three
 * switches.
 */
import { numbersRow, numbersTable } from '../../page/layout.js';
import { html, setAttributes, setText } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';

/** @typedef {ReturnType<typeof import('./worker.js').note>} Note */
/** @typedef {ReturnType<typeof import('./compute.js').truths>} Truths */
/** @typedef {import('./compute.js').Setting} Setting */

/** The note's figures for n = 32, d = 64, d_v = 16, T = 1, float64. */
const PUBLISHED = [8, 1.39e-17, 1.22e-16, 1.66e-16, 8.29e-16];
const ROWS = ['σ²', 'max |ΔW|', '‖ΔW‖', 'max |ΔO|', '‖ΔO‖'];

export class NoteTable {
  constructor() {
    const { element, body } = numbersTable({
      name: 'numbers',
      caption:
        'The run of the third source of the page: n = 32, d = 64, dᵥ = 16, T = 1, unit rows. ' +
        'Same sizes, another random draw: the figures agree in magnitude, not digit for digit.',
      columns: ['quantity', 'published', 'here, float64', 'here, float32'],
    });
    this.element = element;
    this.body = body;
  }

  /** @param {Note} columns */
  show(columns) {
    this.body.replaceChildren(
      ...ROWS.map((name, r) =>
        html(
          'tr',
          {},
          html(
            'th',
            { scope: 'row', class: 'name' },
            name,
            name.startsWith('‖') && html('sub', {}, 'F'),
          ),
          html(
            'td',
            { 'data-value': PUBLISHED[r] },
            r ? scientific(PUBLISHED[r], 2) : String(PUBLISHED[r]),
          ),
          ...columns.map(({ precision, values }) =>
            html(
              'td',
              { 'data-value': values[r], 'data-precision': precision, 'data-row': name },
              r ? scientific(values[r], 2) : short(values[r]),
            ),
          ),
        ),
      ),
    );
  }
}

const NORMALISED = /** @type {const} */ ([
  ['both', true, true],
  ['only k', false, true],
  ['only q', true, false],
  ['neither', false, false],
]);

/** Every setting of the three switches, computed; a click sets them. */
export class TruthTable {
  /**
   * @param {(setting: { unitQueries: boolean, unitKeys: boolean, restore: boolean }) => void}
   *   choose
   */
  constructor(choose) {
    this.cells = NORMALISED.flatMap(([name, unitQueries, unitKeys]) =>
      [false, true].map((restore) => {
        const button = html('button', { type: 'button', class: 'tile', 'data-step': true });
        button.addEventListener('click', () => choose({ unitQueries, unitKeys, restore }));
        return { name, unitQueries, unitKeys, restore, button };
      }),
    );
    const rows = NORMALISED.map(([name], r) =>
      numbersRow(
        name,
        ...this.cells.slice(2 * r, 2 * r + 2).map(({ button }) => html('td', {}, button)),
      ),
    );
    this.element = numbersTable(
      {
        name: 'truth',
        caption:
          'The largest difference of a weight between softmax and the bell, max |ΔW|, in all ' +
          'eight settings, float64. Only the keys need equal norms; that of the query changes ' +
          'both sides alike. ◌: the keys have other norms, so the two should differ.',
        columns: ['normalised', 'as they are', 'key norm restored'],
      },
      ...rows,
    ).element;
  }

  /**
   * Six settings have the assumption, and must hold. The two without it must differ.
   * @param {Truths} truths @param {Setting} setting the present one
   */
  show(truths, setting) {
    const found = { ratio: 0, measured: 0, allowed: 0, holding: 0, apart: 0, differing: 0 };
    for (const { name, unitQueries, unitKeys, restore, weights, holds } of truths) {
      const assumed = unitKeys || restore;
      const differs = weights.ratio > 1;
      const state = assumed ? (holds ? 'holds' : 'violated') : differs ? 'off' : 'violated';
      if (assumed) {
        if (holds) found.holding++;
        if (!(weights.ratio <= found.ratio)) {
          const { ratio, measured, allowed } = weights;
          Object.assign(found, { ratio, measured, allowed });
        }
      } else {
        found.apart = Math.max(found.apart, weights.max);
        if (differs) found.differing++;
      }
      const tile = this.cells.find(
        (cell) =>
          cell.unitQueries === unitQueries &&
          cell.unitKeys === unitKeys &&
          cell.restore === restore,
      );
      if (!tile) continue;
      const { button } = tile;
      button.dataset.state = state;
      button.dataset.value = String(weights.max);
      const difference = assumed ? scientific(weights.max) : short(weights.max, 2);
      setText(button, `${{ holds: '✓', off: '◌', violated: '✗' }[state]} ${difference}`);
      const verdict = { holds: 'holds', off: 'assumption off', violated: 'violated' }[state];
      const keys = restore ? 'key norm restored' : 'as they are';
      setAttributes(button, {
        'aria-label': `${name} normalised, ${keys}: ${verdict}, ${difference}`,
        'aria-pressed': String(
          unitQueries === setting.unitQueries &&
            unitKeys === setting.unitKeys &&
            restore === setting.restore,
        ),
      });
    }
    return found;
  }
}
