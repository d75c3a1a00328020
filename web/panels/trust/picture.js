/** A row to each witness with the bell of his report, and below them the product of all bells. */
import { axes, line } from '../../plot/chart.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { fixed, hundredths } from '../../plot/format.js';
import { handle } from '../../plot/handle.js';
import { linear } from '../../plot/scale.js';
import { logProduct } from './compute.js';
import { trusted } from './words.js';

/** @typedef {import('./compute.js').Testimony} Testimony */

const ROW = 52;
const BELL = 44;
const TOP = 26;
const PRODUCT = 96;
const FOOT = 46;
const REACH = 4;
const STEPS = 160;

/**
 * A curve, and the area below it.
 * @param {[number, number][]} points @param {number} ground @param {string} name
 */
function hill(points, ground, name) {
  const first = points[0][0];
  const last = points[points.length - 1][0];
  const area = /** @type {[number, number][]} */ ([[first, ground], ...points, [last, ground]]);
  return [line(area, `area ${name}`), line(points, name)];
}

export class Picture {
  /** @param {number} count @param {(j: number, value: number) => void} report */
  constructor(count, report) {
    this.figure = new Figure('witnesses', (width) => this.draw(width));
    this.x = linear([-REACH, REACH], [0, 1]);
    const under = (/** @type {number} */ clientX) =>
      Number(this.x.invert(this.figure.pointIn(clientX, 0)[0]).toFixed(2));
    this.handles = Array.from({ length: count }, (_, j) =>
      handle(
        {
          label: `report of witness ${j + 1}`,
          name: 'value',
          min: -REACH,
          max: REACH,
          step: 0.1,
          under,
          move: (value) => report(j, value),
        },
        svg('circle', { r: 7, class: 'dot' }),
      ),
    );
    /** @type {{ found: Testimony, words: readonly string[] } | undefined} */
    this.shown = undefined;
  }

  /** @param {Testimony} found @param {readonly string[]} words */
  show(found, words) {
    this.shown = { found, words };
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    if (!this.shown) return;
    const { found, words } = this.shown;
    const left = width < 480 ? 62 : 84;
    const right = width - 58;
    this.x = linear([-REACH, REACH], [left, right]);
    const { x } = this;
    const ground = (/** @type {number} */ j) => TOP + (j + 1) * ROW;
    const bottom = ground(found.n - 1) + PRODUCT;
    const tallest = Math.max(...found.variances.map((s) => 1 / Math.sqrt(s)));
    const rows = words.flatMap((word, j) => this.witness(word, j, ground(j), tallest));
    const height = bottom + FOOT;
    const peak = x.at(found.likely.value);
    this.figure.fill(
      {
        height,
        label:
          `${found.n} witnesses. The most likely value is ${fixed(found.likely.value, 3)}, and ` +
          `attention gives ${fixed(found.output, 3)}. ${trusted(found.weights, words).who}.`,
        caption:
          'A bell narrower than the others is a witness who is trusted more. Multiply all bells, ' +
          'and the peak of the product is the most likely value. Attention returns the diamond. ' +
          'Weights are rounded. Drag a report.',
      },
      axes({
        x,
        y: { ...linear([0, 1], [bottom, bottom]), ticks: () => [] },
        xLabel: 'value',
      }),
      ...this.product(bottom),
      svg('line', { x1: peak, x2: peak, y1: TOP, y2: bottom, class: 'peak' }),
      ...rows,
      svg('path', {
        d: `M${x.at(found.output)},${bottom - 9}l9,9l-9,9l-9,-9Z`,
        class: 'answer',
        'data-value': found.output,
      }),
      svg('text', { x: right + 12, y: TOP - 6, class: 'axis-name' }, 'weight'),
      ...this.handles.slice(0, found.n).map((each) => each.element),
    );
  }

  /** @param {string} word @param {number} j @param {number} ground @param {number} tallest */
  witness(word, j, ground, tallest) {
    const { x, shown } = this;
    if (!shown) return [];
    const { v, variances, weights } = shown.found;
    const s = Math.sqrt(variances[j]);
    const high = BELL / (s * tallest);
    const points = this.steps((at) => [
      x.at(at),
      ground - high * Math.exp(-((at - v[j]) ** 2) / (2 * variances[j])),
    ]);
    this.handles[j].place(
      x.at(v[j]),
      ground,
      v[j],
      `“${word}” reports ${fixed(v[j], 2)}, weight ${fixed(weights[j], 3)}`,
    );
    const [first, last] = x.range;
    return [
      svg('line', { x1: first, x2: last, y1: ground, y2: ground, class: 'grid' }),
      ...hill(points, ground, 'bell-value'),
      svg('text', { x: first - 10, y: ground - 2, 'text-anchor': 'end', class: 'word' }, word),
      svg(
        'text',
        { x: last + 12, y: ground - 2, class: 'strong', 'data-value': weights[j] },
        hundredths(weights[j]),
      ),
    ];
  }

  /** The product of all bells, as high as its space. @param {number} bottom */
  product(bottom) {
    const { x, shown } = this;
    if (!shown) return [];
    const { found } = shown;
    const top = logProduct(found, found.likely.value);
    const points = this.steps((at) => [
      x.at(at),
      bottom - (PRODUCT - 26) * Math.exp(logProduct(found, at) - top),
    ]);
    const [first] = x.range;
    return [
      ...hill(points, bottom, 'product'),
      svg('text', { x: first - 10, y: bottom - 2, 'text-anchor': 'end' }, 'product'),
    ];
  }

  /**
   * Points of a curve, closer together around the reports and the peak.
   * @param {(x: number) => [number, number]} place
   */
  steps(place) {
    const even = Array.from({ length: STEPS + 1 }, (_, i) => -REACH + (2 * REACH * i) / STEPS);
    const { v, likely, variances } = this.shown?.found ?? { v: [], variances: [], likely: null };
    const around = [...v, likely?.value ?? 0].flatMap((middle, j) => {
      const s = Math.sqrt(variances[j] ?? Math.min(...variances));
      return Array.from({ length: 33 }, (_, i) => middle + ((i - 16) / 8) * s);
    });
    return [...even, ...around]
      .filter((at) => Math.abs(at) <= REACH)
      .sort((a, b) => a - b)
      .map(place);
  }
}
