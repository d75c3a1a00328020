/** The legend of a colour scale: its own 256 colours, its own ticks, nothing written by hand. */
import { isDark, table } from './colour.js';
import { html, setAttributes, svg } from './dom.js';
import { short } from './format.js';
import { onWidth } from './width.js';

/** @typedef {import('./colour-scale.js').ColourScale} ColourScale */

const PAD = 24;
/**
 * A label with more characters than LONG, centred on an end of the bar, is too wide for the
 * padding. It hangs over by OVER only.
 */
const LONG = 5;
const OVER = 16;

export class Legend {
  /** @param {number} [maxWidth] of the bar, in CSS pixels */
  constructor(maxWidth = 256) {
    this.width = maxWidth;
    this.canvas = html('canvas', { width: 256, height: 1, 'aria-hidden': 'true' });
    this.title = html('p', { class: 'legend-title' });
    this.ticks = svg('svg', { height: 34, 'aria-hidden': 'true' });
    this.extra = html('p', { class: 'legend-extra' });
    this.element = html(
      'div',
      { class: 'legend', role: 'img' },
      this.title,
      html('div', { class: 'legend-bar' }, this.canvas, this.ticks),
      this.extra,
    );
    /** @type {ColourScale | undefined} */
    this.scale = undefined;
    /** @type {[cell?: { weight: number, count: number }, count?: number]} what is marked on it */
    this.marked = [];
    this.widen(maxWidth);
    onWidth(this.element, (width) => this.widen(Math.min(maxWidth, width - 2 * PAD)));
  }

  /** @param {number} width of the bar */
  widen(width) {
    this.width = width;
    this.canvas.style.width = `${width}px`;
    this.ticks.setAttribute('width', String(width + 2 * PAD));
    this.mark(...this.marked);
  }

  /** @param {ColourScale} scale @param {string} [extra] the other things that the map shows */
  show(scale, extra = '') {
    this.scale = scale;
    const context = this.canvas.getContext('2d');
    if (context) {
      const colours = table(scale.ramp, isDark());
      const image = context.createImageData(256, 1);
      for (let x = 0; x < 256; x++)
        image.data.set([colours[3 * x], colours[3 * x + 1], colours[3 * x + 2], 255], 4 * x);
      context.putImageData(image, 0, 0);
    }
    const detail = scale.detail ?? '';
    this.title.replaceChildren(scale.title, html('span', { 'data-depth': 'understand' }, detail));
    this.extra.textContent = extra;
    const first = scale.ticks[0].label;
    const last = scale.ticks[scale.ticks.length - 1].label;
    setAttributes(this.element, {
      'data-kind': scale.kind,
      'data-low': scale.domain[0],
      'data-high': scale.domain[1],
      'aria-label': `Colour: ${scale.title}${detail}, from ${first} to ${last}. ${extra}`,
    });
    this.mark();
  }

  /**
   * Draws the ticks, the uniform weight and the cell pointed at.
   * @param {{ weight: number, count: number }} [cell]
   * @param {number} [count] keys per row, where all rows have as many
   */
  mark(cell, count) {
    const { scale } = this;
    this.marked = [cell, count];
    this.ticks.replaceChildren();
    if (!scale) return;
    const x = (/** @type {number} */ v) => PAD + Math.min(1, Math.max(0, scale.t(v))) * this.width;
    const last = scale.ticks.length - 1;
    for (const [i, tick] of scale.ticks.entries()) {
      const at = x(tick.value);
      const long = tick.label.length > LONG;
      const [anchor, shift] =
        long && i === 0 ? ['start', -OVER] : long && i === last ? ['end', OVER] : ['middle', 0];
      this.ticks.append(
        svg('line', { x1: at, x2: at, y1: 12, y2: 16, class: 'axis' }),
        svg(
          'text',
          { x: at + shift, y: 29, 'text-anchor': anchor, 'data-value': tick.value },
          tick.label,
        ),
      );
    }
    if (count && scale.kind !== 'magnitude' && scale.ramp === 'weights') {
      const at = x(scale.value(1 / count, count));
      this.ticks.append(
        svg(
          'line',
          { x1: at, x2: at, y1: 0, y2: 12, class: 'legend-uniform' },
          svg('title', {}, `1/n = ${short(1 / count)}`),
        ),
      );
    }
    if (cell && Number.isFinite(cell.weight)) {
      const at = x(scale.value(cell.weight, cell.count));
      this.ticks.append(svg('path', { d: `M${at},11l-5,-8h10Z`, class: 'legend-cell' }));
    }
  }
}
