/** The bell: every pair (query, key) a dot at its distance; the curve is exp(−x²/2σ²). */
import { axes, dots, line } from '../../plot/chart.js';
import { colourAt, isDark } from '../../plot/colour.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { extent, linear, logOfLog } from '../../plot/scale.js';
import { captionOf, labelOf } from './bell-words.js';
import { D, N } from './compute.js';

/** @typedef {import('./compute.js').Comparison} Comparison */
/** @typedef {import('./compute.js').Setting} Setting */

/** @typedef {{ x: number, log: number, i: number, j: number }} Pair the height as its logarithm */
/**
 * @typedef {object} Data
 * @property {Pair[]} points
 * @property {Float64Array} norms of the keys
 * @property {number} sigma2
 * @property {Setting} setting
 */

const HEIGHT = 384;
const MARGIN = { left: 62, right: 12, top: 36, bottom: 52 };

export class Bell {
  constructor() {
    /** @type {ReturnType<typeof scalesOf> | undefined} */
    this.scales = undefined;
    /** @type {{ i: number, j: number } | undefined} */
    this.cell = undefined;
    /** @type {Data | undefined} */
    this.data = undefined;
    this.figure = new Figure('bell', (width) => this.draw(width));
    this.element = this.figure.element;
    this.picture = this.figure.picture;
    // the place is kept until there is something to draw
    this.picture.setAttribute('height', String(HEIGHT));
  }

  /** @param {Comparison} found @param {Setting} setting */
  show({ q, k, softmax, sigma2 }, setting) {
    const norms = Float64Array.from({ length: N }, (_, j) =>
      Math.hypot(...k.subarray(j * D, (j + 1) * D)),
    );
    const factor = (/** @type {number} */ j) =>
      setting.restore ? norms[j] ** 2 / (2 * sigma2) : 0;
    const points = Array.from({ length: N }, (_, i) => {
      const distances = Array.from({ length: N }, (_, j) =>
        Math.hypot(...q.subarray(i * D, (i + 1) * D).map((x, c) => x - k[j * D + c])),
      );
      return heights(distances, softmax.subarray(i * N, (i + 1) * N), factor, sigma2).map(
        (log, j) => ({ x: distances[j], log, i, j }),
      );
    }).flat();
    this.data = { points, norms, sigma2, setting };
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    const { data } = this;
    if (!data) return;
    const { points, sigma2 } = data;
    const scales = scalesOf(points, sigma2, width);
    this.scales = scales;
    const { x, y, steep, height } = scales;
    const inside = points.filter(
      (p) => height(p.log) <= y.domain[1] && height(p.log) >= y.domain[0],
    );
    const place = (/** @type {{ x: number, log: number }} */ p) =>
      /** @type {[number, number]} */ ([x.at(p.x), y.at(Math.max(y.domain[0], height(p.log)))]);
    const steps = Array.from(
      { length: 101 },
      (_, s) => x.domain[0] + ((x.domain[1] - x.domain[0]) * s) / 100,
    );
    this.figure.fill(
      {
        height: HEIGHT,
        label: labelOf(data),
        caption: captionOf(data, points.length - inside.length, steep),
      },
      axes({
        x,
        y,
        xLabel: 'distance of query and key',
        yLabel: `weight × query factor${steep ? ', logarithmic' : ''}`,
      }),
      line(
        steps.map((at) => place({ x: at, log: exponent(at, sigma2) })),
        'curve',
      ),
      ...dotsOf(inside, place, data),
    );
    this.mark();
  }

  /** Rings the dot of the cell pointed at in the maps. @param {{ i: number, j: number }} [cell] */
  mark(cell = this.cell) {
    this.cell = cell;
    this.picture.querySelector('.dot-here')?.remove();
    const point = cell && this.data?.points[cell.i * N + cell.j];
    if (!point || !this.scales) return;
    const { x, y, height } = this.scales;
    const at = height(point.log);
    if (!(at <= y.domain[1] && at >= y.domain[0])) return;
    this.picture.append(
      svg('circle', { cx: x.at(point.x), cy: y.at(at), r: 6, class: 'dot-here' }),
    );
  }
}

/** The logarithm of the curve. @param {number} x @param {number} sigma2 */
const exponent = (x, sigma2) => (-x * x) / (2 * sigma2);

/**
 * Weight times row constant for each key, as natural logarithms: a cold bell is far below the
 * smallest float64. The row constant is the divisor of the row's weights. If the key norm was
 * restored, its factor is divided out.
 * @param {number[]} distances @param {ArrayLike<number>} weights of a query
 * @param {(j: number) => number} factor its logarithm @param {number} sigma2
 */
function heights(distances, weights, factor, sigma2) {
  const exponents = distances.map((x, j) => factor(j) - x ** 2 / (2 * sigma2));
  const top = Math.max(...exponents);
  const constant = top + Math.log(exponents.reduce((sum, e) => sum + Math.exp(e - top), 0));
  return exponents.map((_, j) => Math.log(weights[j]) + constant - factor(j));
}

/**
 * Over many decades only a logarithmic axis shows whether dots lie on the curve. Over few, dots far
 * above are left out and counted.
 * @param {Pair[]} points @param {number} sigma2 @param {number} width
 */
function scalesOf(points, sigma2, width) {
  const farthest = Math.max(...points.map((p) => p.x));
  const x = linear([0, farthest * 1.06], [MARGIN.left, width - MARGIN.right]);
  const [lowest, highest] = extent(points.map((p) => p.log));
  const low = Math.min(exponent(x.domain[1], sigma2), lowest);
  const high = Math.max(0, highest);
  const span = /** @type {const} */ ([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const steep = high - low > Math.log(1e3);
  const bottom = Math.exp(low);
  const ceiling = Math.min(Math.exp(high), 1.6);
  const margin = (ceiling - bottom) * 0.06;
  const y = steep
    ? logOfLog([low / Math.LN10, high / Math.LN10 + 0.2], span)
    : linear([Math.max(0, bottom - margin), ceiling + margin], span);
  const height = (/** @type {number} */ log) => (steep ? log / Math.LN10 : Math.exp(log));
  return { x, y, steep, height };
}

/**
 * Keys of unequal norm have a path each, in the colour of the norm.
 * @param {Pair[]} points @param {(p: Pair) => [number, number]} place @param {Data} data
 */
function dotsOf(points, place, { norms, setting }) {
  if (setting.unitKeys) return [dots(points.map(place), 'dot-k')];
  const [smallest, largest] = extent(norms);
  const dark = isDark();
  return Array.from(norms, (norm, j) => {
    const path = dots(points.filter((p) => p.j === j).map(place), 'dot-norm');
    const shade = 0.25 + (0.65 * (norm - smallest)) / (largest - smallest || 1);
    path.style.stroke = colourAt('weights', dark, shade);
    return path;
  });
}
