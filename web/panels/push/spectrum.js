/**
 * The slope of softmax at one row, as its eigenvalues: how far the weights move in each direction
 * of a push. On both sides of a bar are the weights over T, as eigenvalues and weights alternate.
 */
import { line } from '../../plot/chart.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { short } from '../../plot/format.js';
import { linear } from '../../plot/scale.js';

/** @typedef {import('./scatter.js').Moves} Moves */

const HEIGHT = 230;
const MARGIN = { left: 46, right: 14, top: 34, bottom: 34 };
/** Of the space of a bar. */
const BAR = 0.4;
const MARK = 0.5;

export class Spectrum {
  constructor() {
    this.figure = new Figure('spectrum', (width) => this.draw(width));
    /** @type {{ found: Moves, T: number, words: readonly string[] } | undefined} */
    this.shown = undefined;
  }

  /** @param {Moves} found @param {number} T @param {readonly string[]} words of the row */
  show(found, T, words) {
    this.shown = { found, T, words };
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    if (!this.shown) return;
    const { found, T, words } = this.shown;
    const slopes = Array.from(found.eigenvalues).sort((a, b) => a - b);
    const steepest = slopes[slopes.length - 1];
    const told = slopes.map((x) => short(x, 3)).join(', ');
    const sorted = Array.from(found.weights).sort((a, b) => a - b);
    const y = linear([0, found.note], [HEIGHT - MARGIN.bottom, MARGIN.top]);
    // half of the last mark stands behind the last bar
    const step = (width - MARGIN.left - MARGIN.right) / (slopes.length + MARK / 2);
    const middle = (/** @type {number} */ at) => MARGIN.left + (at + 0.5) * step;
    const level = (/** @type {number} */ value, /** @type {string} */ name) =>
      line(
        [
          [MARGIN.left, y.at(value)],
          [width - MARGIN.right, y.at(value)],
        ],
        name,
      );
    const beside = (/** @type {number} */ value) =>
      svg('text', { x: MARGIN.left - 8, y: y.at(value) + 4, 'text-anchor': 'end' }, short(value));
    this.figure.fill(
      {
        height: HEIGHT,
        label:
          `The look of “${words.at(-1)}” at ${words.join(', ')}, pushed in each of its own ` +
          `directions at T ${short(T)}. Its weights move by ${told} times the push. ` +
          `No look moves by more than ${short(found.bound)} times the push.`,
        caption:
          `One look, at ${words.join(', ')}. Some pushes move all weights in their own ` +
          `direction. There are ${slopes.length} of them. A bar says how far one moves the ` +
          'weights for a push of 1. The first pushes all scores alike, and moves nothing. ' +
          `At T = ${short(T)} that is ${short(steepest, 3)} at most. ` +
          'No bar of any look is above the solid line. The dashed line is 1/T.',
      },
      svg(
        'text',
        { x: MARGIN.left - 8, y: MARGIN.top - 18, 'text-anchor': 'start', class: 'axis-name' },
        'move for each unit of push',
      ),
      ...[0, found.bound, found.note].map(beside),
      level(0, 'axis'),
      level(found.bound, 'curve wall'),
      level(found.note, 'curve other-bound'),
      ...slopes.map((value, at) =>
        svg('rect', {
          x: middle(at) - (BAR * step) / 2,
          width: BAR * step,
          y: y.at(Math.max(0, value)),
          height: y.at(0) - y.at(Math.max(0, value)),
          class: 'slope',
          'data-value': value,
        }),
      ),
      ...sorted.map((p, at) =>
        svg('line', {
          x1: middle(at + 0.5) - (MARK / 2) * step,
          x2: middle(at + 0.5) + (MARK / 2) * step,
          y1: y.at(p / T),
          y2: y.at(p / T),
          class: 'tick-weight',
          'data-depth': 'understand',
          'data-value': p / T,
        }),
      ),
    );
  }
}
