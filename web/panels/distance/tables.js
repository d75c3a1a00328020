/**
 * The note's run recomputed beside its published figures, and the eight settings of the three
 * switches.
 */
import { html, setText } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';
import { compare } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {import('./compute.js').Setting} Setting */

/** The note's figures for n = 32, d = 64, d_v = 16, T = 1, float64. */
const PUBLISHED = [8, 1.39e-17, 1.22e-16, 1.66e-16, 8.29e-16];
const ROWS = ['σ²', 'max |ΔW|', '‖ΔW‖', 'max |ΔO|', '‖ΔO‖'];

export class NoteTable {
  constructor() {
    this.body = html('tbody');
    this.element = html(
      'table',
      { class: 'numbers' },
      html(
        'caption',
        {},
        'The note’s run: n = 32, d = 64, dᵥ = 16, T = 1, unit rows. Same sizes, another random ' +
          'draw: the figures agree in magnitude, not digit for digit.',
      ),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ...['', 'published', 'here, float64', 'here, float32'].map((name) =>
            html('th', { scope: 'col' }, name),
          ),
        ),
      ),
      this.body,
    );
  }

  /** @param {Engine} engine @param {number} seed */
  show(engine, seed) {
    const setting = { seed, T: 1, unitQueries: true, unitKeys: true, restore: false };
    const columns = /** @type {const} */ (['float64', 'float32']).map((precision) => {
      const {
        sigma2,
        engineSays: { weights, output },
      } = compare(engine, setting, precision);
      return {
        precision,
        values: [sigma2, weights.max, weights.frobenius, output.max, output.frobenius],
      };
    });
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
        const button = html('button', { type: 'button', class: 'tile' });
        button.addEventListener('click', () => choose({ unitQueries, unitKeys, restore }));
        return { name, unitQueries, unitKeys, restore, button };
      }),
    );
    const rows = NORMALISED.map(([name], r) =>
      html(
        'tr',
        {},
        html('th', { scope: 'row' }, name),
        ...this.cells.slice(2 * r, 2 * r + 2).map(({ button }) => html('td', {}, button)),
      ),
    );
    this.element = html(
      'table',
      { class: 'truth' },
      html(
        'caption',
        {},
        'All eight settings, float64: max |ΔW|. ' +
          'Only the keys need equal norms; the query’s cancels in its row.',
      ),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ...['normalised', 'as they are', 'key norm restored'].map((name) =>
            html('th', { scope: 'col' }, name),
          ),
        ),
      ),
      html('tbody', {}, ...rows),
    );
  }

  /** @param {Engine} engine @param {Setting} setting the present one */
  show(engine, setting) {
    let ratio = 0;
    let measured = 0;
    let allowed = 0;
    let holding = 0;
    let apart = 0;
    for (const { name, unitQueries, unitKeys, restore, button } of this.cells) {
      const found = compare(engine, { ...setting, unitQueries, unitKeys, restore }, 'float64');
      const assumed = unitKeys || restore;
      const state = assumed ? (found.holds ? 'holds' : 'violated') : 'off';
      if (assumed) {
        if (found.holds) holding++;
        if (!(found.weights.ratio <= ratio)) ({ ratio, measured, allowed } = found.weights);
      } else apart = Math.max(apart, found.weights.max);
      button.dataset.state = state;
      button.dataset.value = String(found.weights.max);
      const difference = assumed ? scientific(found.weights.max) : short(found.weights.max, 2);
      setText(button, `${{ holds: '✓', off: '◌', violated: '✗' }[state]} ${difference}`);
      const verdict = { holds: 'holds', off: 'assumption off', violated: 'violated' }[state];
      const keys = restore ? 'key norm restored' : 'as they are';
      button.setAttribute('aria-label', `${name} normalised, ${keys}: ${verdict}, ${difference}`);
      button.setAttribute(
        'aria-pressed',
        String(
          unitQueries === setting.unitQueries &&
            unitKeys === setting.unitKeys &&
            restore === setting.restore,
        ),
      );
    }
    return {
      ratio: holding === 6 ? Math.min(ratio, 1) : Infinity,
      measured,
      allowed,
      holding,
      apart,
    };
  }
}
