/**
 * All heads of all layers as small maps, which grow by a row with each token. A line is above the
 * heads that share keys and values. The maps are one tab stop, as radio buttons are.
 */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { colourAt, isDark } from '../../plot/colour.js';
import { html, setAttributes, svg } from '../../plot/dom.js';
import { onWidth } from '../../plot/width.js';
import { empty, paintRows, sizeOf } from './paint.js';
import { SCALE, SHADES } from './shade.js';
import { SHARP } from './words.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

/**
 * @typedef {{ story: Story, head: Head, i: number, rest: boolean, row: string }} Shown
 *   the row that is drawn, and everything that it depends on
 *
 * @typedef {object} HeadMap
 * @property {Head} head
 * @property {HTMLElement} button
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} mark on the row of a token
 */

export class Wall {
  /** @param {(head: Head) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.element = html('div', {
      class: 'look-wall',
      role: 'radiogroup',
      'aria-label': 'Heads. Left and right: the next head; up and down: the next layer.',
    });
    /** @type {HeadMap[]} */
    this.maps = [];
    /** @type {Story | undefined} */
    this.story = undefined;
    /** Rows that are painted, and the side of the maps in tokens and in pixels. */
    this.painted = 0;
    this.side = 0;
    this.pixels = 0;
    /** Pixels along the side of a canvas. A map grows into it, and covers its upper left. */
    this.dots = 0;
    /** The width of a map on the page. It is asked for only when it may have changed. */
    this.width = 0;
    this.chosen = 0;
    this.element.addEventListener('keydown', (event) => this.key(event));
    onWidth(this.element, () => {
      this.measure();
      this.paint();
    });
  }

  /** Maps for the heads of this story. @param {Story} story */
  build(story) {
    this.story = story;
    this.maps = story.all().map((head) => {
      const canvas = html('canvas', { 'aria-hidden': 'true' });
      const mark = html('span', { class: 'look-mark', hidden: true });
      const button = html(
        'span',
        {
          class: 'look-map',
          role: 'radio',
          'aria-label': headName(head, 'long'),
          'aria-checked': 'false',
          tabindex: -1,
        },
        canvas,
        mark,
      );
      button.addEventListener('click', () => {
        this.choose(head);
        button.focus({ preventScroll: true });
      });
      return { head, button, canvas, mark };
    });
    const perGroup = story.heads / story.kvHeads;
    const layers = Array.from({ length: story.layers }, (_, layer) => {
      const groups = Array.from({ length: story.kvHeads }, (_, group) => {
        const from = layer * story.heads + group * perGroup;
        const maps = this.maps.slice(from, from + perGroup).map(({ button }) => button);
        const shared = perGroup > 1 ? '' : ' own';
        return html('span', { class: `look-group${shared}` }, ...maps);
      });
      return html('div', { class: 'look-layer' }, ...groups);
    });
    this.element.replaceChildren(...layers);
    this.chosen = 0;
    this.measure();
    this.repaint();
  }

  measure() {
    this.width = this.maps[0]?.button.clientWidth ?? 0;
  }

  /** Paints everything anew, for another theme, size or story. */
  repaint() {
    this.painted = 0;
    this.side = 0;
    this.paint();
  }

  /** Rows from this one on have changed. @param {number} i */
  changed(i) {
    this.painted = Math.min(this.painted, i);
  }

  /** Paints the rows that are not painted yet. */
  paint() {
    const { story, maps } = this;
    if (!story || !maps.length) return;
    const size = sizeOf(story, this.width);
    const { side, pixels, dots } = size;
    if (side !== this.side || pixels !== this.pixels || dots !== this.dots) {
      Object.assign(this, size);
      this.painted = 0;
      for (const { canvas } of maps) empty(canvas, dots);
      this.element.dataset.pixels = String(pixels);
      this.element.style.setProperty('--zoom', String(dots / pixels));
    }
    for (const { canvas, head } of maps) paintRows(canvas, story, head, size, this.painted);
    this.painted = story.rows;
  }

  /**
   * Marks the head that is chosen, and the row of a token on all maps.
   * @param {Head} head @param {number} i
   * @param {(head: Head) => string} name of a head and its measure, for assistive technology
   */
  mark(head, i, name) {
    const { story, side } = this;
    if (!story) return;
    const chosen = head.layer * story.heads + head.head;
    const had = this.element.contains(document.activeElement);
    const top = `${(100 * (i + 0.5)) / side}%`;
    this.maps.forEach(({ button, mark, head: each }, at) => {
      mark.hidden = i < 0;
      mark.style.top = top;
      setAttributes(button, {
        'aria-label': name(each),
        'aria-checked': String(at === chosen),
        tabindex: at === chosen ? 0 : -1,
      });
      button.classList.toggle('chosen', at === chosen);
    });
    if (had && chosen !== this.chosen) this.maps[chosen]?.button.focus({ preventScroll: true });
    this.chosen = chosen;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { story } = this;
    if (!story || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: story.heads,
      ArrowUp: -story.heads,
    }[event.key];
    const count = this.maps.length;
    const to = { Home: 0, End: count - 1 }[event.key] ?? (step && this.chosen + step);
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0 || to >= count) return;
    this.choose(this.maps[to].head);
    // two keys may come before the next frame
    this.chosen = to;
    this.maps[to].button.focus({ preventScroll: true });
  }
}

/**
 * How sharply each head looks from one token: a cell for each head, from paper to ink.
 */
export class Board {
  /** @param {(head: Head) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.element = html('div', { class: 'look-board', 'aria-hidden': 'true' });
    const { width, height, boxes } = SCALE;
    this.shades = boxes.map((box) => svg('rect', box));
    this.scale = html(
      'p',
      { class: 'look-scale', 'aria-hidden': 'true' },
      SHARP.none,
      svg('svg', { width, height }, ...this.shades),
      SHARP.all,
    );
    /** @type {{ head: Head, cell: HTMLElement }[]} */
    this.cells = [];
  }

  /** @param {Story} story */
  build(story) {
    this.cells = story.all().map((head) => {
      const cell = html('span', { class: 'look-cell', title: headName(head, 'long') });
      cell.addEventListener('click', () => this.choose(head));
      return { head, cell };
    });
    this.element.style.setProperty('--heads', String(story.heads));
    this.element.replaceChildren(...this.cells.map(({ cell }) => cell));
  }

  /** @param {Story} story @param {number} i @param {boolean} rest @param {Head} chosen */
  show(story, i, rest, chosen) {
    const dark = isDark();
    this.shades.forEach((each, level) =>
      each.setAttribute('fill', colourAt('weights', dark, level / SHADES)),
    );
    for (const { head, cell } of this.cells) {
      const value = i < 0 ? NaN : story.sharpness(head, i, rest);
      cell.dataset.value = String(value);
      cell.style.background = Number.isNaN(value) ? '' : colourAt('weights', dark, value);
      cell.classList.toggle('chosen', head.layer === chosen.layer && head.head === chosen.head);
    }
  }
}
