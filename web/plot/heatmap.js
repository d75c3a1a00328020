/**
 * A map of weights: query i (down) reads from key j (across). One pixel per cell, painted through a
 * colour table and stretched by whole device pixels; masked cells are left transparent over a
 * hatch; NaN has its own colour.
 *
 * Keyboard: one tab stop, or one for several maps (rove.js). The arrow keys move, Home and End go
 * to the row's ends. PageUp and PageDown go to the neighbouring map. Enter locks, Escape releases,
 * T opens the table twin.
 */
import { crossHair } from './cross-hair.js';
import { announce, html, svg } from './dom.js';
import { paintCells } from './heatmap-paint.js';
import { tableTwin } from './heatmap-table.js';

/** @typedef {import('./colour-scale.js').ColourScale} ColourScale */

/**
 * @typedef {object} MapData
 * @property {number} rows
 * @property {number} cols
 * @property {ArrayLike<number>} weights (rows, cols), or other numbers that are coloured
 * @property {ArrayLike<number>} counts (rows): keys each row may read
 * @property {(i: number, j: number) => boolean} masked
 * @property {ColourScale} scale
 * @property {Factors} [of] where the numbers are weights times the lengths of values
 *
 * @typedef {object} Factors
 * @property {ArrayLike<number>} weights (rows, cols)
 * @property {ArrayLike<number>} lengths (cols)
 *
 * @typedef {object} MapActions
 * @property {(i: number, j: number) => void} move the reader points at a cell
 * @property {(i: number, j: number) => void} lock
 * @property {() => void} release
 * @property {() => boolean} [locked] is a cell locked, so that the keys do not move
 * @property {(step: number) => void} [page] to the next or previous map
 * @property {(i: number, j: number) => string} describe a cell, for the live region
 * @property {HTMLElement} [tableHost] where the table opens; default: under the map
 */

/**
 * The map whose numbers are in a table.
 * @type {WeakMap<HTMLElement, Heatmap>}
 */
const shownIn = new WeakMap();

export class Heatmap {
  /** @param {string} label @param {MapActions} actions */
  constructor(label, actions) {
    this.actions = actions;
    this.label = label;
    this.cell = { i: 0, j: 0 };
    /** Makes this one the tab stop of its group. */
    this.stop = (/** @type {Heatmap} */ _map) => {};
    /** CSS pixels per cell, and cells pooled into one pixel. */
    this.side = 1;
    this.pool = 1;
    /** @type {MapData | undefined} */
    this.data = undefined;
    this.canvas = html('canvas', { 'aria-hidden': 'true' });
    this.overlay = svg('svg', { 'aria-hidden': 'true', class: 'map-overlay' });
    this.cursor = html('div', {
      class: 'map-cursor',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'cell cursor',
    });
    this.box = html('div', { class: 'map-box' }, this.canvas, this.overlay, this.cursor);
    this.twin = html('div', { class: 'map-table', hidden: true });
    this.element = html(
      'div',
      { class: 'map', role: 'group', 'aria-roledescription': 'attention map' },
      this.box,
      actions.tableHost ? null : this.twin,
    );
    this.setLabel(label);
    this.listen();
  }

  /** @param {string} label */
  setLabel(label) {
    this.label = label;
    this.element.setAttribute('aria-label', label);
    const page = this.actions.page ? 'Page keys go to the next map, ' : '';
    this.cursor.setAttribute(
      'aria-label',
      `${label}. Arrow keys move, ${page}Enter locks, Escape releases, T opens a table.`,
    );
  }

  /** Paints, as large as fits `width` CSS pixels. @param {MapData} data @param {number} width */
  show(data, width) {
    this.data = data;
    const { rows, cols } = data;
    const ratio = devicePixelRatio || 1;
    const pixels = Math.max(1, Math.floor(width * ratio));
    this.pool = Math.ceil(cols / pixels);
    const w = Math.ceil(cols / this.pool);
    const h = Math.ceil(rows / this.pool);
    const zoom = Math.max(1, Math.floor(pixels / w));
    this.side = zoom / ratio / this.pool;
    this.canvas.width = w;
    this.canvas.height = h;
    const size = { width: `${(w * zoom) / ratio}px`, height: `${(h * zoom) / ratio}px` };
    Object.assign(this.box.style, size);
    const sides = [size.width, size.height].map(parseFloat);
    this.overlay.setAttribute('viewBox', `0 0 ${sides.join(' ')}`);
    this.paint(w, h);
    this.cell = { i: Math.min(this.cell.i, rows - 1), j: Math.min(this.cell.j, cols - 1) };
    const host = this.actions.tableHost ?? this.twin;
    if (!host.hidden && shownIn.get(host) === this) this.openTable();
  }

  /** @param {number} w @param {number} h */
  paint(w, h) {
    // the page reads its pixels back, to check them
    const context = this.canvas.getContext('2d', { willReadFrequently: true });
    if (!this.data || !context) return;
    const nans = paintCells(context, this.data, this.pool, w, h);
    this.element.dataset.nan = String(nans.length);
    this.crossOut(nans);
  }

  /**
   * Crosses through the NaN cells, where they are large enough to be crossed.
   * @param {number[][]} cells
   */
  crossOut(cells) {
    this.overlay.replaceChildren();
    const s = this.side * this.pool;
    if (!cells.length || s < 6) return;
    const d = cells.map(([x, y]) => `M${x * s},${y * s}l${s},${s}m0,${-s}l${-s},${s}`).join('');
    this.overlay.append(svg('path', { d, class: 'map-nan' }));
  }

  /**
   * Draws the cross-hair, or takes it away.
   * @param {{ i: number, j: number } | null} cell
   * @param {boolean} [locked]
   */
  cross(cell, locked = false) {
    for (const old of this.overlay.querySelectorAll('.map-cross')) old.remove();
    if (!cell || !this.data) return;
    this.cell = {
      i: Math.min(cell.i, this.data.rows - 1),
      j: Math.min(cell.j, this.data.cols - 1),
    };
    this.overlay.append(crossHair(this.cell, this.data, this.side, locked));
  }

  /** The cell under a pointer. @param {PointerEvent | MouseEvent} event */
  under(event) {
    const { data, side } = this;
    const box = this.box.getBoundingClientRect();
    if (!data) return undefined;
    const j = Math.floor((event.clientX - box.left) / side);
    const i = Math.floor((event.clientY - box.top) / side);
    return i >= 0 && j >= 0 && i < data.rows && j < data.cols ? { i, j } : undefined;
  }

  listen() {
    const { box, cursor, actions } = this;
    let touched = '';
    box.addEventListener('pointermove', (event) => {
      const cell = this.under(event);
      if (cell) actions.move(cell.i, cell.j);
    });
    box.addEventListener('click', (event) => {
      const cell = this.under(event);
      const touch = event instanceof PointerEvent && event.pointerType === 'touch';
      if (!cell) return;
      // A finger cannot hover: the first tap on a cell shows it, a second one locks it.
      const first = touch && touched !== `${cell.i} ${cell.j}`;
      touched = touch ? `${cell.i} ${cell.j}` : '';
      if (first) actions.move(cell.i, cell.j);
      else actions.lock(cell.i, cell.j);
    });
    cursor.addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { data, actions } = this;
    if (!data || event.ctrlKey || event.metaKey || event.altKey) return;
    let { i, j } = this.cell;
    if (event.key === 'Enter') {
      actions.lock(i, j);
      this.say(actions.locked?.() ? 'Locked' : 'Released');
    } else if (event.key === 'Escape') {
      actions.release();
      this.say('Released');
    } else if (event.key === 't' || event.key === 'T') this.toggleTable();
    else if (event.key === 'PageUp' || event.key === 'PageDown')
      actions.page?.(event.key === 'PageDown' ? 1 : -1);
    else if (event.key in MOVES && actions.locked?.()) this.say('Locked, Escape releases');
    else if (event.key in MOVES) {
      [i, j] = MOVES[event.key](i, j, data.cols - 1);
      i = Math.min(data.rows - 1, Math.max(0, i));
      j = Math.min(data.cols - 1, Math.max(0, j));
      this.cell = { i, j };
      actions.move(i, j);
      this.say();
    } else return;
    event.preventDefault();
  }

  /** Tells a screen reader of the cell. @param {string} [first] said before it */
  say(first) {
    const { i, j } = this.cell;
    announce(`${first ? `${first}. ` : ''}${this.actions.describe(i, j)}`);
  }

  toggleTable() {
    const host = this.actions.tableHost ?? this.twin;
    if (shownIn.get(host) === this && !host.hidden) {
      host.hidden = true;
      announce('Table closed.');
      return;
    }
    this.openTable();
    announce('Table opened below.');
  }

  openTable() {
    const host = this.actions.tableHost ?? this.twin;
    if (!this.data) return;
    shownIn.set(host, this);
    host.hidden = false;
    host.replaceChildren(tableTwin(this.data, this.label));
  }
}

/** @type {Record<string, (i: number, j: number, last: number) => [number, number]>} */
const MOVES = {
  ArrowUp: (i, j) => [i - 1, j],
  ArrowDown: (i, j) => [i + 1, j],
  ArrowLeft: (i, j) => [i, j - 1],
  ArrowRight: (i, j) => [i, j + 1],
  Home: (i) => [i, 0],
  End: (i, _, last) => [i, last],
};
