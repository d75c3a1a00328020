/** Small line charts over the steps of training, one quantity each. */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { STEPS } from '../../../training/induction/recipe.js';
import { axes, line } from '../../plot/chart.js';
import { html, setText, svg } from '../../plot/dom.js';
import { fixed, percent } from '../../plot/format.js';
import { linear } from '../../plot/scale.js';
import { onWidth } from '../../plot/width.js';
import { best } from './leader.js';
import { headAt, LISTS } from './letters.js';

const HEIGHT = 104;
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
   * @param {object} [options]
   * @param {boolean} [options.deep] for readers who want to understand
   * @param {readonly [line: string, words: string][]} [options.key] of a curve with two lines: the
   *   class of each, and words before its value
   */
  constructor(title, top, { deep = false, key } = {}) {
    this.top = top;
    this.title = html('span', {}, title);
    this.values = Array.from({ length: key?.length ?? 1 }, () => html('strong', {}));
    const lines = key?.map(([name, words], i) =>
      html('span', { class: 'born-key' }, html('i', { class: name }), `${words}: `, this.values[i]),
    );
    this.figure = svg('svg', { 'aria-hidden': 'true', height: HEIGHT });
    this.element = html(
      'figure',
      { class: 'born-curve', 'data-depth': deep ? 'understand' : null },
      html('figcaption', {}, this.title, ' ', ...(lines ?? this.values)),
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

  /**
   * @param {readonly Series[]} series
   * @param {...readonly [value: number, said: string]} now for each line that has a value
   */
  show(series, ...now) {
    this.series = series;
    now.forEach(([value, said], i) => {
      this.values[i].dataset.value = String(value);
      this.values[i].textContent = said;
    });
    this.draw();
  }

  draw() {
    const { width, series } = this;
    if (!width) return;
    const x = linear([0, STEPS], [EDGE.left, width - EDGE.right]);
    const y = linear([0, this.top], [HEIGHT - EDGE.bottom, EDGE.top]);
    this.figure.setAttribute('width', String(width));
    const marks = series.flatMap(({ points, name }) => {
      const places = points.map(([step, value]) => [x.at(step), y.at(Math.min(this.top, value))]);
      const [cx, cy] = places[places.length - 1];
      const end = svg('circle', { cx, cy, r: 3, 'data-step': points[points.length - 1][0] });
      return [line(/** @type {[number, number][]} */ (places), `curve ${name}`), end];
    });
    this.figure.replaceChildren(axes({ x, y, xTicks: 4, yTicks: 2 }), ...marks);
  }
}

/** Loss, the scores of heads, and ρ and χ of one of them: each a mean over lists. */
export class Curves {
  constructor() {
    this.loss = new Curve(
      'How wrong it is, in nats: 0 is sure and right. Mean of letters that come again:',
      4,
    );
    this.heads = new Curve(`The largest mean share of a head, in ${LISTS} lists`, 1, {
      key: [
        ['dashed', 'from all letters, on the one before'],
        ['ink', 'from letters that come again, on the one that followed'],
      ],
    });
    this.rho = new Curve('', 4, { deep: true });
    this.chi = new Curve('', 2, { deep: true });
    this.elements = [this.loss, this.heads, this.rho, this.chi].map(({ element }) => element);
  }

  /**
   * @param {readonly import('./run.js').Point[]} points
   * @param {number} at the head of ρ and χ
   */
  show(points, at) {
    const last = points[points.length - 1];
    /** @param {(point: import('./run.js').Point) => number} of @returns {Series['points']} */
    const over = (of) => points.map((point) => [point.step, of(point)]);
    const before = (/** @type {import('./run.js').Point} */ point) =>
      Math.max(...point.previousToken);
    const after = (/** @type {import('./run.js').Point} */ point) => Math.max(...point.induction);
    const strongest = (/** @type {ArrayLike<number>} */ shares) =>
      `${percent(shares[best(shares)])} by head ${headName(headAt(best(shares)))}`;
    const right = percent(Math.exp(-last.loss));
    this.loss.show(
      [{ name: 'ink', points: over(({ loss }) => loss) }],
      [last.loss, `${fixed(last.loss, 2)}, as if each right letter got ${right}`],
    );
    this.heads.show(
      [
        { name: 'dashed', points: over(before) },
        { name: 'ink', points: over(after) },
      ],
      [before(last), strongest(last.previousToken)],
      [after(last), strongest(last.induction)],
    );
    const head = `of head ${headName(headAt(at))}`;
    const all = `mean from the second letter on, in ${LISTS} lists:`;
    setText(this.rho.title, `ρ ${head}, in nats, ${all}`);
    setText(this.chi.title, `χ ${head}, the variance of its scores, ${all}`);
    for (const name of /** @type {const} */ (['rho', 'chi']))
      this[name].show(
        [{ name: 'ink', points: over((point) => point[name][at]) }],
        [last[name][at], fixed(last[name][at], 2)],
      );
  }
}
