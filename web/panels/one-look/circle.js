/**
 * The picture of distance: the query's Gaussian over the plane, and six keys on a circle it can be
 * turned on.
 */
import { isDark, table } from '../../plot/colour.js';
import { html, setAttributes, svg } from '../../plot/dom.js';
import { draggable } from '../../plot/drag.js';
import { fixed, short } from '../../plot/format.js';
import { largestOf } from '../../plot/ties.js';
import { onWidth } from '../../plot/width.js';
import { turned } from '../../page/signal.js';
import { nameKeys } from './key-names.js';

const SIZE = 440;
const R = 165;
const MIDDLE = SIZE / 2;
/** The field's value 1 is this far up the ramp, so that the query can be seen on it. */
const TOP = 0.66;
/** The width up to which the field is that strong. */
const SIGMA = 0.56;
/** At T = 0 the bell has no width; its picture has about a pixel. */
const NARROWEST = 1e-5;

/** @param {readonly [number, number] | ArrayLike<number>} point */
const place = (point) => [MIDDLE + R * point[0], MIDDLE - R * point[1]];

/**
 * How many of the two rings, σ and 2σ around the query, can be seen in the frame.
 * @param {ArrayLike<number>} q @param {number} sigma
 */
function ringsInside(q, sigma) {
  const edge = MIDDLE / R;
  const corner = Math.hypot(edge + Math.abs(q[0]), edge + Math.abs(q[1]));
  return [1, 2].filter((ring) => ring * sigma < corner && sigma > 0).length;
}

export class Circle {
  /**
   * @param {{ turnQuery: (degrees: number) => void, turnKey: (j: number, degrees: number) => void
   *   }} actions
   */
  constructor({ turnQuery, turnKey }) {
    this.canvas = html('canvas', {
      width: SIZE,
      height: SIZE,
      'aria-hidden': 'true',
    });
    this.rings = [1, 2].map(() => svg('circle', { class: 'ring' }));
    this.edges = svg('g', { class: 'edges' });
    const frame = { viewBox: `0 0 ${SIZE} ${SIZE}`, role: 'group' };
    this.picture = svg(
      'svg',
      frame,
      svg('circle', { cx: MIDDLE, cy: MIDDLE, r: R, class: 'orbit' }),
      ...this.rings,
      this.edges,
    );
    this.keys = Array.from({ length: 6 }, (_, j) =>
      this.handle(`key ${j + 1}`, 'key', (degrees) => turnKey(j, degrees)),
    );
    this.picture.append(...this.keys);
    this.query = this.handle('query', 'query', turnQuery);
    this.query.append(
      svg('rect', { x: -11, y: -11, width: 22, height: 22, transform: 'rotate(45)' }),
      svg('text', { y: 5, 'text-anchor': 'middle' }, 'q'),
    );
    // Tab comes to it before the keys, and it lies above one that has its direction
    const above = svg(
      'svg',
      { ...frame, 'aria-label': 'the query, above its keys', class: 'circle-above' },
      this.query,
    );
    this.glowing = html('span');
    this.note = '';
    this.formula = html('span', { 'data-depth': 'understand' });
    this.caption = html('figcaption', {}, this.glowing, this.formula);
    /** Units of the drawing to a pixel: labels and handles keep their size on the screen. */
    this.zoom = 1;
    this.element = html(
      'figure',
      { class: 'circle' },
      html('div', { class: 'circle-frame' }, this.canvas, above, this.picture),
      this.caption,
    );
    onWidth(this.element, (width) => {
      this.zoom = Math.max(0.88, SIZE / width);
      this.picture.style.setProperty('--zoom', String(this.zoom));
      this.canvas.width = this.canvas.height = Math.round(width * (devicePixelRatio || 1));
      if (this.shown) this.show(...this.shown);
    });
  }

  /**
   * Something that can be turned around the circle, by hand or by arrow keys.
   * @param {string} label @param {string} name @param {(degrees: number) => void} turn
   */
  handle(label, name, turn) {
    const group = svg('g', {
      class: `handle ${name}`,
      tabindex: 0,
      role: 'slider',
      'aria-label': `${label}: direction`,
      'aria-valuemin': 0,
      'aria-valuemax': 360,
      'aria-orientation': 'horizontal',
    });
    group.addEventListener('keydown', (event) => {
      const step = {
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: 30,
        PageDown: -30,
      }[event.key];
      const end = { Home: 0, End: 360 }[event.key];
      if (step === undefined && end === undefined) return;
      event.preventDefault();
      const by = Math.abs(step ?? 0) === 1 && event.shiftKey ? 10 : 1;
      turn(
        end ?? turned(Math.round(Number(group.getAttribute('aria-valuenow'))) + (step ?? 0) * by),
      );
    });
    draggable(group, (clientX, clientY) => {
      const box = this.picture.getBoundingClientRect();
      const x = clientX - box.left - box.width / 2;
      const y = box.top + box.height / 2 - clientY;
      turn(turned(Math.round((2 * Math.atan2(y, x) * 180) / Math.PI) / 2));
    });
    return group;
  }

  /**
   * @param {ReturnType<typeof import('./compute.js').derive>} found
   * @param {readonly string[]} words of the keys
   * @param {number} queryDegrees
   * @param {readonly number[]} keyDegrees
   */
  show(found, words, queryDegrees, keyDegrees) {
    this.shown = /** @type {const} */ ([found, words, queryDegrees, keyDegrees]);
    const { q, k, sigma2, routes, output } = found;
    const { zoom } = this;
    const p = routes[0];
    const [qx, qy] = place(q);
    const sigma = Math.sqrt(sigma2);
    this.glow(q, sigma2);
    const seen = ringsInside(q, sigma);
    // a browser would look for the mouse on all dashes of a ring, also of one that is far away
    this.rings.forEach((ring, i) =>
      setAttributes(ring, { cx: qx, cy: qy, r: i < seen ? R * sigma * (i + 1) : 0 }),
    );
    this.edges.replaceChildren();
    this.keys.forEach((group, j) =>
      setAttributes(group, { display: j < words.length ? 'inline' : 'none' }),
    );
    const dots = words.map((text, j) => {
      const [x, y] = place(k.subarray(2 * j, 2 * j + 2));
      return { x, y, text, share: p[j], r: zoom * Math.sqrt(60 + 900 * p[j]) };
    });
    dots.forEach(({ x, y, r, share, text }, j) => {
      const ends = { x1: qx, y1: qy, x2: x, y2: y };
      this.edges.append(
        svg('line', { ...ends, class: 'edge-hair' }),
        svg('line', { ...ends, class: 'edge', 'stroke-width': 12 * share * zoom }),
      );
      const group = this.keys[j];
      group.replaceChildren(
        svg('circle', { cx: x, cy: y, r: Math.max(r, 13 * zoom), class: 'target' }),
        svg('circle', { cx: x, cy: y, r, class: 'dot' }),
        svg('text', { 'text-anchor': 'middle' }, text),
      );
      setAttributes(group, {
        'aria-label': `key ${j + 1}, “${text}”: direction`,
        'aria-valuenow': keyDegrees[j],
        'aria-valuetext': `${short(keyDegrees[j], 4)} degrees, weight ${fixed(share, 3)}`,
      });
    });
    const texts = dots.map((_, j) => /** @type {SVGElement} */ (this.keys[j].lastChild));
    const query = { x: qx, y: qy, r: 15 * zoom };
    const picture = { texts, side: SIZE, zoom };
    nameKeys(dots, query, picture).forEach((line, j) => this.keys[j].prepend(line));
    this.query.setAttribute('transform', `translate(${qx},${qy}) scale(${zoom})`);
    setAttributes(this.query, {
      'aria-valuenow': queryDegrees,
      'aria-valuetext':
        `${short(queryDegrees, 4)} degrees, ` +
        `output ${short(output[0])} across and ${short(output[1])} up`,
    });
    const quoted = words.map((word) => `“${word}”`);
    const { value, list, all } = largestOf(p, quoted);
    const largest = `the largest weight is ${fixed(value, 3)}, on ${list}`;
    this.picture.setAttribute(
      'aria-label',
      `A query and ${words.length} keys on a circle; ` +
        `${all ? `all weights are ${fixed(value, 3)}` : largest}. ` +
        `The query’s bell has width ${fixed(sigma, 3)}.`,
    );
    this.tell(q, sigma2);
  }

  /** @param {Float64Array} q @param {number} sigma2 */
  tell(q, sigma2) {
    const sigma = Math.sqrt(sigma2);
    const name = ['', 'Dashed: σ. ', 'Dashed: σ and 2σ. '][ringsInside(q, sigma)];
    const glow = 'The glow is closeness to the query, q. Turn q or drag a key. ';
    this.glowing.textContent = this.note + glow;
    this.formula.textContent =
      `It is exp(−‖x − q‖²/2σ²), painted fainter as it spreads. ${name}` +
      `σ² = T√d = ${short(sigma2)} at T = ${short(sigma2 / Math.SQRT2)}.`;
  }

  /**
   * The field itself, over the whole frame. It is a product of one factor per axis.
   * @param {Float64Array} q
   * @param {number} sigma2
   */
  glow(q, sigma2) {
    // as the density: a wide bell is low, so that keys can be seen on a hot field
    const peak = TOP * Math.min(1, SIGMA / Math.sqrt(sigma2));
    const context = this.canvas.getContext('2d');
    const size = this.canvas.width;
    if (!context) return;
    const colours = table('weights', isDark());
    const image = context.createImageData(size, size);
    const words = new Uint32Array(image.data.buffer);
    const packed = Uint32Array.from({ length: 256 }, (_, i) => {
      return colours[3 * i] | (colours[3 * i + 1] << 8) | (colours[3 * i + 2] << 16) | (255 << 24);
    });
    const factor = (/** @type {number} */ centre, /** @type {number} */ sign) =>
      Float64Array.from({ length: size }, (_, at) => {
        const x = (sign * (((at + 0.5) / size) * SIZE - MIDDLE)) / R;
        return Math.exp(-((x - centre) ** 2) / (2 * Math.max(sigma2, NARROWEST)));
      });
    const across = factor(q[0], 1);
    const down = factor(q[1], -1);
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++)
        words[y * size + x] = packed[Math.round(255 * peak * across[x] * down[y])];
    }
    context.putImageData(image, 0, 0);
  }
}
