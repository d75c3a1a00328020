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
  ['note', 'looser bound'],
  ['operator', 'weakest bound'],
]);
/** Two rows of weights have at most this distance. */
export const FARTHEST = Math.SQRT2;
/** Of names beside the lines, and below a narrow chart. */
const ROW = 18;
const SAMPLE = 26;

/**
 * Heights of names, moved so far that none is on another or below the axis.
 * @param {number[]} wanted
 */
function spaced(wanted) {
  const found = [...wanted];
  const order = found.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b]);
  order.forEach((at, place) => {
    if (place) found[at] = Math.max(wanted[at], found[order[place - 1]] + ROW);
  });
  order.reverse().forEach((at, place) => {
    const limit = place ? found[order[place - 1]] - ROW : HEIGHT - MARGIN.bottom;
    found[at] = Math.min(found[at], limit);
  });
  return found;
}

export class Picture {
  constructor() {
    this.figure = new Figure('losses', (width) => this.draw(width));
    /** @type {Shared | undefined} */
    this.found = undefined;
    /** Whether the last query is that of the row. */
    this.ofRow = false;
  }

  /** @param {Shared} found @param {boolean} ofRow */
  show(found, ofRow) {
    this.found = found;
    this.ofRow = ofRow;
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    const { found, ofRow } = this;
    if (!found) return;
    const { measured, bounds } = found;
    const lost = measured.weights2;
    // the queries in the order of their change: the bounds are lines above them
    const order = Array.from(lost, (_, i) => i).sort((a, b) => lost[a] - lost[b]);
    const positive = Array.from(lost).filter((x) => x > 0);
    const lowest = positive.length ? Math.min(...positive) : 1e-3;
    const highest = Math.max(FARTHEST, ...bounds.operator.values);
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
    const { length } = lost;
    const row = ofRow ? `, that of the row is ${short(lost[length - 1])}` : '';
    const ends = BOUNDS.map(([name]) => place(bounds[name].values).at(-1)?.[1] ?? 0);
    const names = [...BOUNDS.map(([, label]) => label), 'seen'];
    const heights = spaced([...ends, y.at(Math.max(floor, worst))]);
    this.figure.fill(
      {
        height: narrow ? HEIGHT + names.length * ROW : HEIGHT,
        label:
          `The change of the looks of ${length} queries, at most ${short(worst)}${row}, and ` +
          `three bounds on it. Nothing can change by more than ${short(FARTHEST)}.`,
        caption:
          `Each dot is the look of a query${ofRow ? ', and the ring is around the row’s' : ''}. ` +
          'Its change is the root of the sum of the squared changes of its weights. ' +
          (lost.some((x) => x === 0) ? 'A dot at the bottom has not changed at all. ' : '') +
          'Above the shade’s edge, at √2 ≈ 1.41, a bound says nothing, because no two looks are ' +
          `farther apart. The weakest bound is there for ${vacuous} of ${length} queries.`,
      },
      svg('rect', {
        x: MARGIN.left,
        y: y.at(y.domain[1]),
        width: right - MARGIN.left,
        height: y.at(FARTHEST) - y.at(y.domain[1]),
        class: 'vacuous-space',
      }),
      axes({
        x: { ...x, ticks: () => [] },
        y,
        xLabel: 'queries, by their change',
        yLabel: 'change of the look, logarithmic',
      }),
      svg(
        'text',
        { x: MARGIN.left + 8, y: y.at(y.domain[1]) + 16, class: 'strong' },
        'a bound up here says nothing',
      ),
      ...BOUNDS.map(([name]) => line(place(bounds[name].values), `curve bound-line ${name}`)),
      dots(place(lost), 'lost'),
      ofRow && ring(place(lost)[order.indexOf(length - 1)]),
      ...(narrow
        ? key(names)
        : names.map((name, at) => svg('text', { x: right + 8, y: heights[at] + 4 }, name))),
    );
  }
}

/** Around the query of the row. @param {readonly [number, number]} place */
const ring = ([cx, cy]) => svg('circle', { cx, cy, r: 7, class: 'lost-row' });

/** The names of the lines, below a narrow chart. @param {string[]} names */
function key(names) {
  return names.flatMap((name, at) => {
    const y = HEIGHT - 4 + at * ROW;
    const x = MARGIN.left;
    const bound = BOUNDS[at];
    return [
      bound
        ? line(
            [
              [x, y],
              [x + SAMPLE, y],
            ],
            `curve bound-line ${bound[0]}`,
          )
        : dots([[x + SAMPLE / 2, y]], 'lost'),
      svg('text', { x: x + SAMPLE + 8, y: y + 4 }, name),
    ];
  });
}
