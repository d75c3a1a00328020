/** Small line charts over the steps of training, one quantity each. */
import { STEPS } from '../../../training/induction/recipe.js';
import { axes, line } from '../../plot/chart.js';
import { html, svg } from '../../plot/dom.js';
import { fixed, percent } from '../../plot/format.js';
import { linear } from '../../plot/scale.js';
import { onWidth } from '../../plot/width.js';

const HEIGHT = 132;
const EDGE = { left: 40, right: 14, top: 12, bottom: 26 };

/**
 * @typedef {object} Series
 * @property {string} name class of its line
 * @property {readonly (readonly [number, number])[]} points step and value
 */

class Curve {
  /**
   * @param {string} title in words
   * @param {number} top the largest value that it shows
   * @param {boolean} [deep] for readers who want to understand
   */
  constructor(title, top, deep = false) {
    this.top = top;
    this.value = html('strong', {});
    this.figure = svg('svg', { 'aria-hidden': 'true', height: HEIGHT });
    this.element = html(
      'figure',
      { class: 'born-curve', 'data-depth': deep ? 'understand' : null },
      html('figcaption', {}, title, ' ', this.value),
      this.figure,
    );
    /** @type {readonly Series[]} */
    this.series = [];
    this.width = 0;
    onWidth(this.element, (width) => {
      this.width = width;
      this.draw();
    });
  }

  /** @param {readonly Series[]} series @param {number} now @param {string} said */
  show(series, now, said) {
    this.series = series;
    this.value.dataset.value = String(now);
    this.value.textContent = said;
    this.draw();
  }

  draw() {
    const { width, series } = this;
    if (!width) return;
    const x = linear([0, STEPS], [EDGE.left, width - EDGE.right]);
    const y = linear([0, this.top], [HEIGHT - EDGE.bottom, EDGE.top]);
    this.figure.setAttribute('width', String(width));
    const lines = series.map(({ points, name }) =>
      line(
        points.map(([step, value]) => [x.at(step), y.at(Math.min(this.top, value))]),
        `curve ${name}`,
      ),
    );
    this.figure.replaceChildren(axes({ x, y, xTicks: 4, yTicks: 2 }), ...lines);
  }
}

/** Where the largest value is. @param {ArrayLike<number>} values */
export const best = (values) =>
  Array.from(values).reduce((at, value, i, all) => (value > all[at] ? i : at), 0);

/** Loss, the scores of heads, and ρ and χ of one of them. */
export class Curves {
  constructor() {
    this.loss = new Curve('How wrong it is, in nats:', 4);
    this.heads = new Curve(
      'The strongest look of a head at the letter before (dashed), and at the one after its last ' +
        'occurrence:',
      1,
    );
    this.rho = new Curve('ρ of that head, in nats:', 4, true);
    this.chi = new Curve('χ of that head, the variance of its scores:', 2, true);
    this.elements = [this.loss, this.heads, this.rho, this.chi].map(({ element }) => element);
  }

  /** @param {readonly import('./run.js').Point[]} points @param {number} at a head */
  show(points, at) {
    const last = points[points.length - 1];
    /** @param {(point: import('./run.js').Point) => number} of @returns {Series['points']} */
    const over = (of) => points.map((point) => [point.step, of(point)]);
    const before = (/** @type {import('./run.js').Point} */ point) =>
      Math.max(...point.previousToken);
    const after = (/** @type {import('./run.js').Point} */ point) => Math.max(...point.induction);
    const right = percent(Math.exp(-last.loss));
    this.loss.show(
      [{ name: 'ink', points: over(({ loss }) => loss) }],
      last.loss,
      `${fixed(last.loss, 2)}. The right letter gets ${right}.`,
    );
    this.heads.show(
      [
        { name: 'dashed', points: over(before) },
        { name: 'ink', points: over(after) },
      ],
      after(last),
      `${percent(before(last))}, ${percent(after(last))}`,
    );
    for (const name of /** @type {const} */ (['rho', 'chi']))
      this[name].show(
        [{ name: 'ink', points: over((point) => point[name][at]) }],
        last[name][at],
        fixed(last[name][at], 2),
      );
  }
}
