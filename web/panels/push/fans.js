/** Dot products of longer and longer vectors: they fan out, and the division folds them up. */
import { histogram } from '../../plot/chart.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { fixed } from '../../plot/format.js';
import { linear } from '../../plot/scale.js';

/** @typedef {ReturnType<typeof import('./compute.js').fan>} Fan */

const ROW = 66;
const TOP = 46;
const FOOT = 46;
const BINS = 61;
const WIDEST = 40;
const GAP = 26;
const NARROW = 480;

export class Fans {
  constructor() {
    this.figure = new Figure('fans', (width) => this.draw(width));
    /** @type {Fan | undefined} */
    this.fan = undefined;
  }

  /** @param {Fan} fan */
  show(fan) {
    this.fan = fan;
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    const { fan } = this;
    if (!fan) return;
    const narrow = width < NARROW;
    const left = narrow ? 58 : 92;
    const half = (width - left - GAP) / 2;
    const sides = [
      { name: 'as they are', from: left, divide: false },
      { name: 'divided', from: left + half + GAP, divide: true },
    ];
    const bottom = TOP + fan.length * ROW;
    const last = fan[fan.length - 1];
    this.figure.fill(
      {
        height: bottom + FOOT,
        label:
          `Dot products of random vectors with ${fan.map(({ d }) => d).join(', ')} entries. ` +
          `Their variance is ${fan.map(({ variance }) => fixed(variance, 1)).join(', ')}. ` +
          'Divided by the root of the number of entries, it is 1 each time.',
        caption:
          `With ${last.d} entries and no division, a look goes ` +
          `${fixed(100 * last.unscaled.budget, 0)} % of the way from all keys alike to one. ` +
          `Divided, it goes ${fixed(100 * last.scaled.budget, 0)} % of it, and can still learn.`,
      },
      ...sides.flatMap(({ name, from, divide }) => [
        svg('text', { x: from + half / 2, y: 14, 'text-anchor': 'middle', class: 'strong' }, name),
        ...fan.map((each, r) => this.hill(each, [from, from + half], TOP + (r + 1) * ROW, divide)),
        svg('text', { x: from, y: bottom + 18, 'text-anchor': 'start' }, `−${WIDEST}`),
        svg('text', { x: from + half / 2, y: bottom + 18, 'text-anchor': 'middle' }, '0'),
        svg(
          'text',
          { x: from + half / 2, y: bottom + 36, 'text-anchor': 'middle' },
          divide ? '÷ √entries' : 'dot product',
        ),
        svg('text', { x: from + half, y: bottom + 18, 'text-anchor': 'end' }, String(WIDEST)),
      ]),
      narrow && svg('text', { x: left - 12, y: 14, 'text-anchor': 'end' }, 'entries'),
      ...fan.map(({ d }, r) =>
        svg(
          'text',
          { x: left - 12, y: TOP + (r + 1) * ROW - 3, 'text-anchor': 'end', class: 'strong' },
          narrow ? String(d) : `${d} entries`,
        ),
      ),
    );
  }

  /**
   * One histogram as a hill, of the same area in every row.
   * @param {Fan[number]} row @param {readonly [number, number]} range @param {number} ground
   * @param {boolean} divide
   */
  hill({ d, products, variance }, range, ground, divide) {
    const factor = divide ? 1 / Math.sqrt(d) : 1;
    const x = linear([-WIDEST, WIDEST], range);
    const inside = Array.from(products, (p) => p * factor).filter((p) => Math.abs(p) <= WIDEST);
    const counts = histogram(inside, x, BINS);
    const bin = (range[1] - range[0]) / BINS;
    const density = counts.map((count) => count / products.length);
    // a bell of variance 4, the narrowest without the division, is as high as a row
    const high = (/** @type {number} */ share) => ground - Math.min(1, share / 0.26) * (ROW - 12);
    const points = density.map((share, i) => `L${range[0] + (i + 0.5) * bin},${high(share)}`);
    return svg(
      'g',
      { 'data-d': d, 'data-variance': variance * factor ** 2, 'data-divided': String(divide) },
      svg('path', {
        d: `M${range[0]},${ground}${points.join('')}L${range[1]},${ground}Z`,
        class: divide ? 'hill divided' : 'hill',
      }),
      svg('line', { x1: range[0], x2: range[1], y1: ground, y2: ground, class: 'grid' }),
    );
  }
}
