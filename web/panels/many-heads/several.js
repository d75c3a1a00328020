/** Queries that a reader keeps. The row under the large map is then the mean of their rows. */
import { button } from '../../page/controls.js';
import { paragraph } from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { listed, short } from '../../plot/format.js';
import { LIMIT } from './state.js';

/** @typedef {import('../../plot/heatmap.js').MapData} MapData */

/**
 * The mean of some rows. A key that all of them mask has no number.
 * @param {MapData} data @param {readonly number[]} queries
 */
export function meanRow({ cols, weights, masked }, queries) {
  return Array.from({ length: cols }, (_, j) => {
    const readers = queries.filter((i) => !masked(i, j));
    if (!readers.length) return undefined;
    return readers.reduce((sum, i) => sum + weights[i * cols + j], 0) / queries.length;
  });
}

/** @param {readonly number[]} queries */
export const namesOf = (queries) =>
  `${queries.length === 1 ? 'query' : 'queries'} ${listed(queries)}`;

export class Several {
  /** @param {import('./compute.js').MachineState} state */
  constructor({ kept, at }) {
    this.kept = kept;
    this.query = -1;
    /** Has the focus of a button that goes. @type {HTMLElement | undefined} */
    this.map = undefined;
    this.said = html('span');
    this.change = button('', () => this.toggle(), 'link');
    this.clear = button('keep none', () => kept.set([]), 'link');
    this.element = paragraph('figure-note several', this.said, this.change, ' ', this.clear);
    this.locked = () => at.value.length === 2;
  }

  toggle() {
    const { kept, query } = this;
    const others = kept.value.filter((i) => i !== query);
    kept.set(others.length < kept.value.length ? others : [...others, query]);
  }

  /** Those whose mean is on show, or none. @param {number} rows of the map */
  of(rows) {
    return this.kept.value.filter((i) => i < rows);
  }

  /** @param {MapData} data @param {number} i the query pointed at or locked @param {number} j */
  show(data, i, j) {
    const queries = this.of(data.rows);
    this.query = i;
    const weight = queries.length ? meanRow(data, queries)[j] : undefined;
    const rows = `Bars: the mean of ${namesOf(queries)}. To key ${j} it gives `;
    const given = weight === undefined ? 'nothing. ' : `${short(weight)}. `;
    const full = queries.length === LIMIT && !queries.includes(i);
    const more = full && this.locked() ? `No more than ${LIMIT} queries can be kept. ` : '';
    setText(this.said, queries.length ? rows + given + more : '');
    if (weight === undefined) delete this.said.dataset.value;
    else this.said.dataset.value = String(weight);
    const { activeElement: focus } = document; // before a browser takes it away
    this.change.hidden = full || !this.locked();
    setText(
      this.change,
      queries.includes(i) ? `let query ${i} go` : `keep query ${i}, to see several together`,
    );
    this.clear.hidden = !queries.length;
    this.keepFocus(focus);
  }

  /**
   * A button that has gone gives the focus to the other one, or else to the map.
   * @param {Element | null} focus
   */
  keepFocus(focus) {
    const { change, clear, map } = this;
    if ([change, clear].find((each) => each === focus)?.hidden)
      (change.hidden ? map : change)?.focus({ preventScroll: true });
  }
}
