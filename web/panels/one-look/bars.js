/**
 * A bar per key, and on it the marks of three other ways to it. Weights below 1/60, where
 * there are any, have a logarithmic strip below.
 */
import { axes, MARKS } from '../../plot/chart.js';
import { html, setAttributes, svg } from '../../plot/dom.js';
import { fixed, scientific } from '../../plot/format.js';
import { linear, log } from '../../plot/scale.js';
import { onWidth } from '../../plot/width.js';

const SMALL = 1 / 60;
const TOP = 10;
const HEIGHT = 250;
const GAP = 34;
const STRIP = 84;
const FOOT = 46;
const SHAPES = /** @type {const} */ (['circle', 'triangle', 'plus']);

export class Bars {
  /** @param {readonly string[]} names of the bar and the three marks */
  constructor(names) {
    this.picture = svg('svg', { role: 'img' });
    this.legend = html('p', { class: 'marks-legend', 'data-depth': 'understand' });
    names.forEach((name, i) => {
      const sign = svg(
        'svg',
        { width: 18, height: 18, 'aria-hidden': 'true' },
        i
          ? MARKS[SHAPES[i - 1]](9, 9, 6)
          : svg('rect', { x: 2, y: 3, width: 14, height: 12, class: 'bar' }),
      );
      this.legend.append(html('span', {}, sign, ` ${name}`));
    });
    this.element = html('figure', { class: 'bars' }, this.picture, this.legend);
    this.width = 560;
    /** @type {ArrayLike<number>[]} */
    this.routes = [];
    /** @type {readonly string[]} */
    this.words = [];
    const again = () => this.routes.length && this.show(this.routes, this.words);
    onWidth(this.element, (width) => {
      this.width = width;
      again();
    });
    document.addEventListener('depthchange', again);
  }

  /**
   * @param {ArrayLike<number>[]} routes four lists of weights
   * @param {readonly string[]} words of the keys
   */
  show(routes, words) {
    this.routes = routes;
    this.words = words;
    const p = Array.from(routes[0]);
    const n = p.length;
    const { width, picture } = this;
    const left = 44;
    const right = width - 34;
    const step = (right - left) / n;
    const bar = Math.min(72, step * 0.82);
    const narrow = step < 48;
    // readers who only look see bars alone
    const bare = !document.documentElement.dataset.depth;
    const any = !bare && p.some((weight) => weight < SMALL);
    // without a strip the bars are taller, and the figure keeps its size
    const tall = any ? HEIGHT : HEIGHT + GAP + STRIP;
    const y = linear([0, 1], [TOP + tall, TOP]);
    const x = linear([0, n], [left, right]);
    const smallest = p.reduce((low, v) => (v > 0 && v < low ? v : low), 1e-4);
    const stripTop = TOP + HEIGHT + GAP;
    const bottom = stripTop + STRIP;
    const strip = log([10 ** Math.floor(Math.log10(smallest) - 0.2), SMALL], [bottom, stripTop]);

    picture.replaceChildren(
      axes({
        x: { ...x, ticks: () => [] },
        y: {
          ...y,
          ticks: () =>
            linear([0, 1], [0, 1])
              .ticks(4)
              .filter((t) => t.value > 0),
        },
      }),
    );
    if (!bare)
      picture.append(
        svg('line', {
          x1: left,
          x2: right,
          y1: y.at(1 / n),
          y2: y.at(1 / n),
          class: 'uniform-line',
        }),
        svg('text', { x: right + 5, y: y.at(1 / n) + 4 }, '1/n'),
      );
    if (any)
      picture.append(
        svg('rect', {
          x: left,
          y: stripTop,
          width: right - left,
          height: STRIP,
          class: 'strip',
        }),
        svg('text', { x: left, y: stripTop - 8, class: 'axis-name' }, 'below 1/60, logarithmic'),
      );
    for (const tick of any ? strip.ticks(3) : []) {
      picture.append(
        svg('line', {
          x1: left,
          x2: right,
          y1: strip.at(tick.value),
          y2: strip.at(tick.value),
          class: 'grid',
        }),
        svg('text', { x: left - 8, y: strip.at(tick.value) + 4, 'text-anchor': 'end' }, tick.label),
      );
    }
    p.forEach((weight, j) => {
      const middle = x.at(j + 0.5);
      const low = any && weight < SMALL;
      const scale = low ? strip : y;
      const at = (/** @type {number} */ v) => (v > 0 ? Math.min(bottom, scale.at(v)) : bottom);
      if (low)
        picture.append(
          svg('line', {
            x1: middle - bar / 2,
            x2: middle + bar / 2,
            y1: at(weight),
            y2: at(weight),
            class: 'bar-line',
          }),
        );
      else
        picture.append(
          svg('rect', {
            x: middle - bar / 2,
            y: at(weight),
            width: bar,
            height: Math.max(0, TOP + tall - at(weight)),
            class: 'bar',
          }),
        );
      SHAPES.forEach((shape, i) => {
        const value = routes[i + 1][j];
        if (!bare && Number.isFinite(value))
          picture.append(
            MARKS[shape](middle + (i - 1) * Math.min(18, step * 0.31), at(value), narrow ? 4.2 : 6),
          );
      });
      picture.append(
        svg(
          'text',
          {
            x: middle,
            y: bottom + 20,
            'text-anchor': 'middle',
            class: 'strong',
          },
          words[j],
        ),
        svg(
          'text',
          { x: middle, y: bottom + 37, 'text-anchor': 'middle' },
          narrow
            ? weight < 0.01
              ? '<.01'
              : fixed(weight, 2)
            : weight < 1e-3
              ? scientific(weight)
              : fixed(weight, step > 56 ? 4 : 3),
        ),
      );
    });
    const height = bottom + FOOT;
    setAttributes(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    const best = p.indexOf(Math.max(...p));
    const weights = p.map((v, j) => `${words[j]} ${fixed(v, 3)}`).join(', ');
    picture.setAttribute(
      'aria-label',
      `Weights of ${n} keys: ${weights}; the largest on ${words[best]}. ` +
        (bare ? '' : 'The other three ways mark the same heights.'),
    );
  }
}
