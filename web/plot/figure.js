/**
 * A chart in its frame. It is drawn again when its width changes, and has a name in words.
 * Assistive technology does not see the parts of an image, so a chart with a handle is a group.
 */
import { html, redraw, setAttributes, svg } from './dom.js';
import { pointIn } from './drag.js';
import { onWidth } from './width.js';

export class Figure {
  /**
   * @param {string} name of its class
   * @param {(width: number) => void} draw called with the width, once there is something to draw
   */
  constructor(name, draw) {
    this.picture = svg('svg');
    this.caption = html('figcaption');
    this.element = html('figure', { class: name }, this.picture, this.caption);
    this.draw = draw;
    this.width = 0;
    onWidth(this.element, (width) => {
      this.width = width;
      this.draw(width);
    });
  }

  /** Draws once more, where there is a width to draw for. */
  again() {
    if (this.width) this.draw(this.width);
  }

  /** A point of the window in the units of the drawing. @param {number} x @param {number} y */
  pointIn(x, y) {
    return pointIn(this.picture, this.width, x, y);
  }

  /**
   * @param {{ height: number, label: string, caption?: string }} frame
   * @param {...(Element | null | undefined | false)} children
   */
  fill({ height, label, caption = '' }, ...children) {
    setAttributes(this.picture, {
      width: this.width,
      height,
      viewBox: `0 0 ${this.width} ${height}`,
      'aria-label': label,
    });
    redraw(
      this.picture,
      children.filter((child) => child instanceof Element),
    );
    this.picture.setAttribute('role', this.picture.querySelector('.handle') ? 'group' : 'img');
    if (this.caption.textContent !== caption) this.caption.textContent = caption;
  }
}
