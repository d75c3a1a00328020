/** How far weights move against how far scores were pushed, under the line they cannot cross. */
import { axes, dots, line } from '../../plot/chart.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { short } from '../../plot/format.js';
import { linear } from '../../plot/scale.js';

/** @typedef {ReturnType<typeof import('./worker.js').bump>} Moves */

const HEIGHT = 316;
const MARGIN = { left: 46, right: 14, top: 36, bottom: 50 };
const FAR = 2.7;
/** Pixels: the height that a label needs between two lines, and its length. */
const BETWEEN = 15;
const LABEL = 70;

/**
 * The distance between two lines that begin at the same point. It is measured where a label begins
 * that ends with the first of them.
 * @param {[number, number][]} one
 * @param {[number, number][]} other
 */
function distance([[x, y], [endX, endY]], [, [otherX, otherY]]) {
  const [ax, ay, bx, by] = [endX - x, endY - y, otherX - x, otherY - y];
  const atEnd = Math.abs(ax * by - ay * bx) / Math.hypot(bx, by);
  return atEnd * (1 - LABEL / Math.hypot(ax, ay));
}

export class Scatter {
  constructor() {
    this.figure = new Figure('pushes', (width) => this.draw(width));
    /** @type {{ found: Moves, T: number } | undefined} */
    this.shown = undefined;
  }

  /** @param {Moves} found @param {number} T */
  show(found, T) {
    this.shown = { found, T };
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    if (!this.shown) return;
    const { found, T } = this.shown;
    const x = linear([0, FAR], [MARGIN.left, width - MARGIN.right]);
    const y = linear([0, Math.SQRT2], [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const end = Math.min(FAR, Math.SQRT2 / found.bound);
    /** @type {[number, number][]} */
    const wall = [
      [x.at(0), y.at(0)],
      [x.at(end), y.at(end * found.bound)],
    ];
    const beyond = [...wall, [x.at(end), y.at(Math.SQRT2)], [x.at(0), y.at(Math.SQRT2)]];
    const share = Math.floor((1e4 * found.maxRatio) / found.bound) / 100;
    const other = Math.min(FAR, Math.SQRT2 / found.note);
    /** @type {[number, number][]} */
    const dashed = [
      [x.at(0), y.at(0)],
      [x.at(other), y.at(other * found.note)],
    ];
    const [px, py] = wall[1];
    // The label is at the end, where the other line is farthest away. If that is near, it is below.
    const between = distance(wall, dashed) >= BETWEEN;
    const slope = Math.atan2(wall[1][1] - wall[0][1], wall[1][0] - wall[0][0]);
    this.figure.fill(
      {
        height: HEIGHT,
        label:
          `How far weights move against how far scores are pushed, ${found.moved.length} pairs ` +
          `of rows at T ${short(T)}. None moves by more than ${short(found.bound)} times the push.`,
        caption:
          `${found.moved.length} made-up looks, each pushed once. No dot is above the line. The ` +
          `boldest, at a tie of two keys, reaches ${short(share, 4)}\u202f% of it. The dashed ` +
          'line is the bound 1/T, twice as steep.',
      },
      svg('path', { d: `M${beyond.map((p) => p.join()).join('L')}Z`, class: 'forbidden' }),
      axes({ x, y, xLabel: 'push on the scores', yLabel: 'move of the weights' }),
      dots(
        Array.from(found.pushed, (push, i) => [x.at(push), y.at(found.moved[i])]),
        'pushed',
      ),
      line(wall, 'curve wall'),
      line(dashed, 'curve other-bound'),
      svg(
        'text',
        {
          x: -4,
          y: between ? -5 : 17,
          transform: `translate(${px},${py}) rotate(${(slope * 180) / Math.PI})`,
          'text-anchor': 'end',
          class: 'strong over-dots',
        },
        `slope ${short(found.bound)}`,
      ),
    );
  }
}
