/** The change of each query's weights, and the change that each bound would allow. */
import { axes, dots, line } from '../../plot/chart.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { short } from '../../plot/format.js';
import { linear, log } from '../../plot/scale.js';

/** @typedef {ReturnType<typeof import('./worker.js').share>} Shared */

const HEIGHT = 360;
const MARGIN = { left: 50, right: 116, top: 36, bottom: 50 };
const NARROW = 480;
const BOUNDS = /** @type {const} */ ([
  ['sharp', 'tightest bound'],
  ['note', 'the note’s bound'],
  ['operator', 'by operator norm'],
]);

export class Picture {
  constructor() {
    this.figure = new Figure('losses', (width) => this.draw(width));
    /** @type {Shared | undefined} */
    this.found = undefined;
  }

  /** @param {Shared} found */
  show(found) {
    this.found = found;
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    const { found } = this;
    if (!found) return;
    const { measured, bounds } = found;
    const lost = measured.weights2;
    const { cap } = bounds.sharp;
    // the queries in the order of their change: the bounds are lines above them
    const order = Array.from(lost, (_, i) => i).sort((a, b) => lost[a] - lost[b]);
    const positive = Array.from(lost).filter((x) => x > 0);
    const lowest = positive.length ? Math.min(...positive) : 1e-3;
    const highest = Math.max(cap, ...bounds.operator.values);
    const narrow = width < NARROW;
    const right = width - (narrow ? 14 : MARGIN.right);
    const x = linear([0, lost.length - 1], [MARGIN.left, right]);
    const y = log([lowest / 1.5, 2 * highest], [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const floor = y.domain[0];
    const place = (/** @type {ArrayLike<number>} */ values) =>
      order.map(
        (i, at) => /** @type {[number, number]} */ ([x.at(at), y.at(Math.max(floor, values[i]))]),
      );
    const worst = Math.max(...lost);
    const { vacuous } = bounds.operator;
    this.figure.fill(
      {
        height: HEIGHT,
        label:
          `The change of the weights for ${lost.length} queries, at most ${short(worst)}, and ` +
          `three bounds above it. Nothing can change by more than ${short(cap)}.`,
        caption:
          `Each dot is a query. Above the shade’s edge, at √2, a bound says nothing: no two rows ` +
          `are farther apart. The weakest is there for ${vacuous} of ${lost.length} queries.`,
      },
      svg('rect', {
        x: MARGIN.left,
        y: y.at(y.domain[1]),
        width: right - MARGIN.left,
        height: y.at(cap) - y.at(y.domain[1]),
        class: 'vacuous-space',
      }),
      axes({
        x: { ...x, ticks: () => [] },
        y,
        xLabel: 'queries, by their change',
        yLabel: 'change of the weights, logarithmic',
      }),
      svg(
        'text',
        { x: MARGIN.left + 8, y: y.at(y.domain[1]) + 16, class: 'strong' },
        'a bound up here says nothing',
      ),
      ...BOUNDS.flatMap(([name, label]) => {
        const points = place(bounds[name].values);
        const [, end] = points[points.length - 1];
        return [
          line(points, `curve bound-line ${name}`),
          narrow
            ? svg('text', { x: right, y: end - 6, 'text-anchor': 'end', class: 'over-dots' }, label)
            : svg('text', { x: right + 8, y: end + 4 }, label),
        ];
      }),
      dots(place(lost), 'lost'),
      !narrow &&
        svg('text', { x: right + 8, y: y.at(Math.max(floor, worst)) + 4, class: 'strong' }, 'seen'),
    );
  }
}
