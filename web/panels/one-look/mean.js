/**
 * The values in their plane, larger for a larger share, and the output at their mean. A line to
 * each value is as thick as its share, as the lines from the query to the keys are.
 */
import { html, svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { short } from '../../plot/format.js';
import { placeNames } from '../../plot/names.js';
import { slot } from '../../page/controls.js';
import { paragraph } from '../../page/layout.js';
import { originOf } from './values.js';

/** @typedef {ReturnType<typeof import('./compute.js').derive>} Found */
/** @typedef {{ x: number, y: number, r: number, share: number, text: string }} Dot */
/** @typedef {{ found: Found, words: readonly string[], own: boolean }} Shown */

/** On a phone the circle is seen together with the output. */
const HEIGHT = 0.8;
/** The outermost value lies at this part of the way from the middle to the edge. */
const REACH = 0.72;
const MARK = 9;

/** The area of a dot grows with its share, and a dot of no share can still be seen. */
const radiusOf = (/** @type {number} */ p) => Math.sqrt(60 + 900 * p);

export class Mean {
  constructor() {
    this.figure = new Figure('mean', (width) => this.draw(width));
    this.across = slot('output, across', '−0.0000');
    this.up = slot('up', '−0.0000');
    const numbers = paragraph('slots', this.across.element, this.up.element);
    numbers.dataset.depth = 'understand';
    this.figure.element.append(
      paragraph('sentence', 'The output is the mean of the values, each counted by its share.'),
      legend(),
      this.figure.caption,
      numbers,
    );
    this.element = this.figure.element;
    /** @type {Shown | undefined} */
    this.shown = undefined;
  }

  /** @param {Shown} shown */
  show(shown) {
    this.shown = shown;
    const [across, up] = shown.found.output;
    this.across.show(across, short(across));
    this.up.show(up, short(up));
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    if (!this.shown) return;
    const { found, words, own } = this.shown;
    const { values, output, routes } = found;
    const height = Math.round(HEIGHT * width);
    const [right, down] = [width / 2, height / 2];
    const farthest = (/** @type {number} */ c) =>
      Math.max(1e-30, ...values.filter((_, at) => at % 2 === c).map(Math.abs));
    const unit = REACH * Math.min(right / farthest(0), down / farthest(1));
    const at = (/** @type {ArrayLike<number>} */ point) => ({
      x: right + unit * point[0],
      y: down - unit * point[1],
    });
    const mean = at(output);
    const dots = words.map((text, j) => {
      const share = routes[0][j];
      return { text, share, r: radiusOf(share), ...at(values.subarray(2 * j, 2 * j + 2)) };
    });
    const strings = dots.map((dot) => ({ from: mean, to: dot, thick: 12 * dot.share }));
    const named = [...dots, { text: 'output', r: MARK, ...mean }];
    this.figure.fill(
      { height, label: inWords(found, words), caption: originOf(own) },
      svg('path', { d: `M0,${down}h${width}M${right},0v${height}`, class: 'grid' }),
      ...dots.flatMap((dot) => lines(dot, mean)),
      // small dots lie above large ones
      ...[...dots].sort((a, b) => b.share - a.share).map(drawn),
      diamond(mean),
      ...placeNames(named, { width, height, lines: strings }).map(({ left, right, bottom }, i) =>
        svg(
          'text',
          { x: (left + right) / 2, y: bottom - 4, 'text-anchor': 'middle', class: 'strong' },
          named[i].text,
        ),
      ),
    );
  }
}

/**
 * From the mean to the edge of a dot, which can be seen through.
 * @param {Dot} dot @param {{ x: number, y: number }} to
 */
function lines({ x, y, r, share, text }, to) {
  const apart = Math.hypot(to.x - x, to.y - y);
  if (apart <= r) return [];
  const edge = { x: x + ((to.x - x) * r) / apart, y: y + ((to.y - y) * r) / apart };
  const ends = { x1: to.x, y1: to.y, x2: edge.x, y2: edge.y };
  return [
    svg('line', { ...ends, class: 'edge-hair' }),
    svg('line', { ...ends, class: 'edge', 'stroke-width': 12 * share, 'data-word': text }),
  ];
}

/** @param {Dot} dot */
const drawn = ({ x, y, r, share, text }) =>
  svg('circle', {
    cx: x,
    cy: y,
    r,
    class: 'dot',
    'fill-opacity': Math.sqrt(share),
    'data-word': text,
  });

/** The mark of an output, as in other figures. @param {{ x: number, y: number }} point */
const diamond = ({ x, y }, size = MARK) =>
  svg('path', {
    d: `M${x},${y - size}l${size},${size}l${-size},${size}l${-size},${-size}Z`,
    class: 'answer',
  });

/** The two marks of the figure. */
function legend() {
  const sign = (/** @type {Element} */ mark) =>
    svg('svg', { width: 18, height: 18, 'aria-hidden': 'true' }, mark);
  const dot = svg('circle', { cx: 9, cy: 9, r: 7, class: 'dot' });
  return html(
    'p',
    { class: 'marks-legend' },
    html('span', {}, sign(dot), ' a value, larger for a larger share'),
    html('span', {}, sign(diamond({ x: 9, y: 9 }, 7)), ' the output'),
  );
}

/** @param {Found} found @param {readonly string[]} words */
function inWords({ values, output }, words) {
  const place = (/** @type {ArrayLike<number>} */ point) =>
    `${short(point[0])} across and ${short(point[1])} up`;
  const each = words.map((word, j) => `${word} ${place(values.subarray(2 * j, 2 * j + 2))}`);
  return `Values of ${words.length} words: ${each.join(', ')}. Their mean: ${place(output)}.`;
}
