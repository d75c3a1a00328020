/**
 * Softmax map, Gaussian map and their difference, with one cross-hair over all three. A histogram
 * counts the differences in rounding units.
 */
import { axes, bars, histogram } from '../../plot/chart.js';
import { magnitudeScale, stretchedScale } from '../../plot/colour-scale.js';
import { html, setAttributes, setText, svg } from '../../plot/dom.js';
import { short } from '../../plot/format.js';
import { Heatmap } from '../../plot/heatmap.js';
import { Legend } from '../../plot/legend.js';
import { rove } from '../../plot/rove.js';
import { extent, linear, log } from '../../plot/scale.js';
import { onWidth } from '../../plot/width.js';
import { N, UNITS } from './compute.js';

/** @typedef {import('./compute.js').Comparison} Comparison */

const NAMES = /** @type {const} */ (['softmax', 'Gaussian', 'difference']);
const HEIGHT = 176;
const MARGIN = { left: 40, right: 12, top: 30, bottom: 50 };
const BINS = 48;
const LARGEST = 320;
const NARROW = 400; // as in panels.css: three maps in a row on a phone, too

export class KernelMaps {
  /** @param {(cell: { i: number, j: number }) => void} onCell */
  constructor(onCell) {
    this.locked = false;
    this.cell = { i: 12, j: 19 };
    this.onCell = onCell;
    /** @type {Comparison | undefined} */
    this.found = undefined;
    this.width = 0;
    this.tableHost = html('div', { class: 'map-table', hidden: true });
    this.maps = NAMES.map(
      (name, at) =>
        new Heatmap(`${name === 'difference' ? 'Difference of the two' : `${name} weights`}`, {
          move: (i, j) => this.move({ i, j }),
          lock: (i, j) => {
            this.locked = !(this.locked && this.cell.i === i && this.cell.j === j);
            this.point({ i, j });
          },
          release: () => {
            this.locked = false;
            this.point(this.cell);
          },
          page: (step) => {
            const next = this.maps[(at + step + 3) % 3];
            next.cell = { ...this.cell };
            next.cursor.focus();
            next.say();
          },
          locked: () => this.locked,
          describe: (i, j) => `${name}. ${this.describe(i, j)}`,
          tableHost: this.tableHost,
        }),
    );
    rove(this.maps);
    this.legends = [new Legend(208), new Legend(208)];
    this.readout = html('p', { class: 'map-readout' });
    this.chart = svg('svg', { role: 'img', height: HEIGHT });
    this.chartCaption = html('figcaption');
    this.histogram = html(
      'figure',
      { class: 'histogram', 'data-depth': 'doubt' },
      this.chart,
      this.chartCaption,
    );
    this.row = html(
      'div',
      { class: 'three-maps' },
      ...this.maps.map((map, at) =>
        html(
          'figure',
          {},
          map.element,
          html('figcaption', {}, ['softmax', 'Gaussian', '|difference|'][at]),
        ),
      ),
    );
    this.element = html(
      'div',
      { class: 'kernel-maps', 'data-depth': 'understand' },
      this.row,
      this.readout,
      html('div', { class: 'two-legends' }, ...this.legends.map((each) => each.element)),
      this.histogram,
    );
    onWidth(this.element, (width) => {
      this.width = width;
      this.draw();
    });
  }

  /** @param {Comparison} found @param {'float64' | 'float32'} precision @param {boolean} assumed */
  show(found, precision, assumed) {
    this.found = found;
    this.precision = precision;
    this.assumed = assumed;
    this.draw();
  }

  draw() {
    const { found, width } = this;
    if (!found || !width) return;
    const { softmax, gaussian } = found;
    const difference = Float64Array.from(softmax, (w, at) => Math.abs(w - gaussian[at]));
    const both = stretchedScale(extent([...softmax, ...gaussian]));
    const nonzero = Array.from(difference).filter((x) => x > 0);
    const delta = magnitudeScale(extent(nonzero.length ? nonzero : [1e-18, 1e-16]));
    const counts = new Int32Array(N).fill(N);
    const shared = { rows: N, cols: N, counts, masked: () => false };
    const side = Math.floor((width - 2 * (width < NARROW ? 8 : 16)) / 3);
    [softmax, gaussian, difference].forEach((weights, at) =>
      this.maps[at].show(
        { ...shared, weights, scale: at < 2 ? both : delta },
        Math.max(64, Math.min(LARGEST, side)),
      ),
    );
    this.legends[0].show(both);
    const zeros = difference.filter((x) => x === 0).length;
    this.legends[1].show(delta, `${zeros} of ${difference.length} weights agree to the last bit.`);
    this.drawHistogram(difference);
    this.point(this.cell);
  }

  /** @param {Float64Array} difference */
  drawHistogram(difference) {
    const { found, width, chart } = this;
    if (!found || !this.precision) return;
    const u = UNITS[this.precision];
    // where softmax is 0 to the format there is no unit to count in
    const apart = Array.from(difference, (x, at) => ({ x, unit: u * found.softmax[at] })).filter(
      ({ x }) => x > 0,
    );
    const units = apart.map(({ x, unit }) => x / unit).filter(Number.isFinite);
    const end = Math.min(1e40, Math.max(found.units * 3, ...units));
    const x = log([0.05, 10 ** Math.ceil(Math.log10(end))], [MARGIN.left, width - MARGIN.right]);
    const counts = histogram(units, x, BINS);
    const y = linear([0, Math.max(1, ...counts)], [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const limit = x.at(found.units);
    setAttributes(chart, { width, viewBox: `0 0 ${width} ${HEIGHT}` });
    chart.replaceChildren(
      axes({
        x,
        y,
        yTicks: 3,
        xTicks: 6,
        xLabel: 'difference of a weight, in units of its rounding',
        yLabel: 'weights',
      }),
      bars(counts, x, y, 'count'),
    );
    if (this.assumed) {
      chart.append(
        svg('line', {
          x1: limit,
          x2: limit,
          y1: MARGIN.top - 6,
          y2: HEIGHT - MARGIN.bottom,
          class: 'limit',
        }),
        svg(
          'text',
          {
            x: Math.min(width - 48, Math.max(MARGIN.left + 104, limit)),
            y: MARGIN.top - 12,
            'text-anchor': 'middle',
          },
          `allowed ${short(found.units)}`,
        ),
      );
    }
    const largest = units.length ? Math.max(...units) : 0;
    const unit = this.precision === 'float64' ? '2⁻⁵³' : '2⁻²⁴';
    const beyond = apart.length - units.length;
    const lost = difference.filter(Number.isNaN).length;
    const text =
      `${difference.length - apart.length - lost} exact, ` +
      `${units.length} apart by up to ${short(largest)} units; u = ${unit}.` +
      (beyond ? ` Without a unit, as softmax is 0 there: ${beyond}.` : '') +
      (lost ? ` Not a number: ${lost}.` : '');
    setText(this.chartCaption, text);
    chart.setAttribute('aria-label', `Histogram of the differences in units of rounding. ${text}`);
  }

  /** @param {{ i: number, j: number }} cell */
  move(cell) {
    if (!this.locked) this.point(cell);
  }

  /** @param {{ i: number, j: number }} cell */
  point(cell) {
    this.cell = cell;
    for (const map of this.maps) map.cross(cell, this.locked);
    setText(this.readout, this.describe(cell.i, cell.j));
    this.onCell(cell);
  }

  /** @param {number} i @param {number} j */
  describe(i, j) {
    const { found } = this;
    if (!found || !this.precision) return '';
    const a = found.softmax[i * N + j];
    const b = found.gaussian[i * N + j];
    const apart = Math.abs(a - b);
    // units of rounding mean something only where rounding is the reason
    const units = this.assumed
      ? `, ${short(apart / (UNITS[this.precision] * a), 2)} units of rounding`
      : '';
    const difference =
      apart === 0
        ? 'the same bits'
        : Number.isNaN(apart)
          ? 'no number to compare'
          : `apart by ${short(apart, 2)}${units}`;
    return `Query ${i}, key ${j}: softmax ${short(a, 6)}, Gaussian ${short(b, 6)}; ${difference}.`;
  }
}
