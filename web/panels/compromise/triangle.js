/** The triangle of all ways to share out 1 among three keys, as a landscape. */
import { isDark, table } from '../../plot/colour.js';
import { html, redraw, setAttributes, svg } from '../../plot/dom.js';
import { draggable, pointIn } from '../../plot/drag.js';
import { line } from '../../plot/chart.js';
import { short } from '../../plot/format.js';
import { onWidth } from '../../plot/width.js';
import { objective } from './compute.js';

/** @typedef {ReturnType<typeof import('./compute.js').fallShort>} Short */
/** @typedef {readonly [number, number, number]} Mix */

const MARGIN = { side: 26, top: 34, bottom: 40 };
const BANDS = 14;
/** How far up the ramp the top of the landscape is: marks have to be seen on it. */
const STRONGEST = 0.62;
const TICKS = [0.2, 0.5, 1, 2, 5];
/** From the diamond and from T = ∞, in pixels, for a mark that is not to be covered. */
const CLEAR = 18;

/** Onto the triangle: no share below 0, and all add up to 1. @param {Mix} mix @returns {Mix} */
export function inside(mix) {
  const [a, b, c] = mix.map((x) => Math.max(0, x));
  const sum = a + b + c || 1;
  return [a / sum, b / sum, c / sum];
}

export class Triangle {
  /** @param {(mix: Mix) => void} move */
  constructor(move) {
    this.canvas = html('canvas', { 'aria-hidden': 'true' });
    this.picture = svg('svg', { role: 'group' });
    this.caption = html('figcaption');
    this.frame = html('div', { class: 'triangle-frame' }, this.canvas, this.picture);
    this.element = html('figure', { class: 'triangle' }, this.frame, this.caption);
    this.width = 0;
    this.high = 0;
    this.move = move;
    this.dot = this.handle();
    /** @type {Parameters<Triangle['show']>[0] | undefined} */
    this.shown = undefined;
    onWidth(this.element, (width) => {
      this.width = Math.min(560, width);
      this.high = Math.round(((this.width - 2 * MARGIN.side) * Math.sqrt(3)) / 2);
      this.draw();
    });
  }

  /** @param {Mix | ArrayLike<number>} mix @returns {[number, number]} */
  place(mix) {
    const base = MARGIN.top + this.high;
    const side = this.width - 2 * MARGIN.side;
    return [MARGIN.side + side * (mix[1] + mix[2] / 2), base - this.high * mix[2]];
  }

  /** @param {number} px @param {number} py @returns {Mix} may lie outside */
  mixAt(px, py) {
    const side = this.width - 2 * MARGIN.side;
    const c = (MARGIN.top + this.high - py) / this.high;
    const b = (px - MARGIN.side) / side - c / 2;
    return [1 - b - c, b, c];
  }

  handle() {
    const group = svg(
      'g',
      { class: 'handle mix', tabindex: 0, role: 'slider', 'aria-label': 'your compromise' },
      svg('circle', { r: 15, class: 'target' }),
      svg('circle', { r: 7, class: 'dot' }),
    );
    draggable(group, (clientX, clientY) => {
      const [x, y] = pointIn(this.picture, this.width, clientX, clientY);
      this.move(inside(this.mixAt(x, y)));
    });
    group.addEventListener('keydown', (event) => {
      const step = event.shiftKey ? 0.1 : 0.01;
      const move = {
        ArrowRight: [-step / 2, step / 2, 0],
        ArrowLeft: [step / 2, -step / 2, 0],
        ArrowUp: [-step / 2, -step / 2, step],
        ArrowDown: [step / 2, step / 2, -step],
      }[event.key];
      if (!move || !this.shown) return;
      event.preventDefault();
      const [a, b, c] = this.shown.mix;
      this.move(inside([a + move[0], b + move[1], c + move[2]]));
    });
    return group;
  }

  /**
   * @param {{ mix: Mix, names: readonly string[], z: Float64Array, T: number, found: Short,
   *   path: readonly { T: number, p: ArrayLike<number> }[] }} scene
   */
  show(scene) {
    this.shown = scene;
    this.draw();
  }

  draw() {
    if (!this.shown || !this.width) return;
    const { mix, names, found, path, T } = this.shown;
    const { width } = this;
    const height = MARGIN.top + this.high + MARGIN.bottom;
    setAttributes(this.picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    Object.assign(this.frame.style, { width: `${width}px`, aspectRatio: `${width} / ${height}` });
    this.paint(height);
    const corners = /** @type {Mix[]} */ ([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]).map((corner) => this.place(corner));
    const [x, y] = this.place(mix);
    const [topX, topY] = this.place(found.top);
    const [hotX, hotY] = this.place(path[path.length - 1].p);
    const said = names.map((name, j) => `${name} ${Math.round(100 * mix[j])} %`).join(', ');
    setAttributes(this.dot, {
      transform: `translate(${x},${y})`,
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      'aria-valuenow': Number((100 * mix[0]).toFixed(1)),
      'aria-valuetext': `${said}; ${short(found.gap)} below the top`,
    });
    redraw(this.picture, [
      svg('path', { d: `M${corners.join('L')}Z`, class: 'triangle-edge' }),
      line(
        path.map(({ p }) => this.place(p)),
        'mix-path',
      ),
      ...path
        .filter((each) => TICKS.includes(each.T))
        .map((each) => ({ T: each.T, at: this.place(each.p) }))
        .filter(({ at }) => Math.hypot(at[0] - topX, at[1] - topY) > CLEAR)
        .filter(({ at }) => Math.hypot(at[0] - hotX, at[1] - hotY) > CLEAR)
        .map(({ T: temperature, at }) => this.tick(short(temperature), at)),
      this.tick('T = ∞', [hotX, hotY]),
      svg('line', { x1: x, y1: y, x2: topX, y2: topY, class: 'mix-gap' }),
      svg('path', {
        d: `M${topX},${topY - 10}l10,10l-10,10l-10,-10Z`,
        class: 'answer',
        'data-value': found.top.join(' '),
      }),
      ...this.corners(corners, names),
      this.dot,
    ]);
    setAttributes(this.picture, {
      'aria-label':
        `All ways to share out one look among ${names.join(', ')}, at T ${short(T)}. The best ` +
        `compromise is ${Array.from(found.top, (p) => short(p)).join(', ')}.`,
    });
    const { p: alike } = path[path.length - 1];
    const hot =
      alike[2] > alike[0] ? ' At T = ∞ all words get the same, so the rest gets the most.' : '';
    this.caption.textContent =
      'Every point shares out one look among three. The stronger the colour, the better the ' +
      'compromise, and the diamond is softmax. The line is its way from T = 0 to ∞.' +
      `${hot} Drag the dot.`;
  }

  /**
   * The path falls to the right. Near the lower side, where it lies flat, the name is above it.
   * @param {string} label @param {[number, number]} at
   */
  tick(label, [x, y]) {
    const low = MARGIN.top + this.high - y < CLEAR;
    return svg(
      'g',
      {},
      svg('circle', { cx: x, cy: y, r: 2.6, class: 'mix-tick' }),
      svg(
        'text',
        {
          x: low ? x : x + 8,
          y: low ? y - 9 : y - 2,
          'text-anchor': low ? 'middle' : 'start',
          class: 'over-field',
        },
        label,
      ),
    );
  }

  /** @param {[number, number][]} corners @param {readonly string[]} names */
  corners([a, b, c], names) {
    const label =
      (/** @type {[number, number]} */ [x, y], /** @type {string} */ anchor) =>
      (/** @type {string} */ name) =>
        svg('text', { x, y, 'text-anchor': anchor, class: 'strong' }, name);
    return [
      label([a[0] - 14, a[1] + 22], 'start')(names[0]),
      label([b[0] + 14, b[1] + 22], 'end')(names[1]),
      label([c[0], c[1] - 12], 'middle')(names[2]),
    ];
  }

  /** The landscape of ⟨p, z⟩ + T·H(p), in bands of equal height. @param {number} height */
  paint(height) {
    if (!this.shown) return;
    const { z, T, found } = this.shown;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const [w, h] = [Math.round(this.width * ratio), Math.round(height * ratio)];
    this.canvas.width = w;
    this.canvas.height = h;
    const context = this.canvas.getContext('2d');
    if (!context) return;
    const colours = table('weights', isDark());
    const image = context.createImageData(w, h);
    const words = new Uint32Array(image.data.buffer);
    const top = objective(found.top, z, T);
    const deepest = top - Math.min(...[0, 1, 2].map((j) => z[j])) || 1;
    const bands = Uint32Array.from({ length: BANDS + 1 }, (_, band) => {
      const at = 3 * Math.round(255 * STRONGEST * (1 - band / BANDS) ** 1.5);
      return colours[at] | (colours[at + 1] << 8) | (colours[at + 2] << 16) | (255 << 24);
    });
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const mix = this.mixAt((x + 0.5) / ratio, (y + 0.5) / ratio);
        if (mix[0] < 0 || mix[1] < 0 || mix[2] < 0) continue;
        const gap = top - objective(mix, z, T);
        words[y * w + x] = bands[Math.min(BANDS, Math.floor((BANDS * gap) / deepest))];
      }
    context.putImageData(image, 0, 0);
  }
}
