/** The bell: every pair (query, key) a dot at its distance; the curve is exp(−x²/2σ²). */
import { axes, dots, line } from '../../plot/chart.js';
import { colourAt, isDark } from '../../plot/colour.js';
import { html, setAttributes, svg } from '../../plot/dom.js';
import { short } from '../../plot/format.js';
import { extent, linear, logOfLog } from '../../plot/scale.js';
import { onWidth } from '../../plot/width.js';
import { D, N } from './compute.js';

/** @typedef {import('../../plot/scale.js').Scale} Scale */
/** @typedef {import('./compute.js').Comparison} Comparison */
/** @typedef {import('./compute.js').Setting} Setting */

const HEIGHT = 456;
const MARGIN = { left: 62, right: 12, top: 36, bottom: 52 };

export class Bell {
  constructor() {
    /**
     * @type {{ x: Scale, y: Scale, height: (log: number) => number } | undefined}
     */
    this.scales = undefined;
    /** @type {{ i: number, j: number } | undefined} */
    this.cell = undefined;
    this.picture = svg('svg', { role: 'img', height: HEIGHT });
    this.caption = html('figcaption');
    this.element = html('figure', { class: 'bell' }, this.picture, this.caption);
    this.width = 0;
    onWidth(this.element, (width) => {
      this.width = width;
      this.draw();
    });
  }

  /** @param {Comparison} found @param {Setting} setting */
  show(found, setting) {
    const { q, k, softmax, sigma2 } = found;
    const norms = new Float64Array(N);
    for (let j = 0; j < N; j++) norms[j] = Math.hypot(...k.subarray(j * D, (j + 1) * D));
    /**
     * Heights as natural logarithms: a cold bell is far below the smallest float64.
     * @type {{ x: number, log: number, i: number, j: number }[]}
     */
    const points = [];
    for (let i = 0; i < N; i++) {
      const distances = Array.from({ length: N }, (_, j) =>
        Math.hypot(...q.subarray(i * D, (i + 1) * D).map((x, c) => x - k[j * D + c])),
      );
      // The row constant is the divisor of the row's weights. If the key norm was restored, its
      // factor is divided out.
      const factor = (/** @type {number} */ j) =>
        setting.restore ? norms[j] ** 2 / (2 * sigma2) : 0;
      const exponents = distances.map((x, j) => factor(j) - x ** 2 / (2 * sigma2));
      const top = Math.max(...exponents);
      const constant = top + Math.log(exponents.reduce((sum, e) => sum + Math.exp(e - top), 0));
      distances.forEach((x, j) =>
        points.push({ x, log: Math.log(softmax[i * N + j]) + constant - factor(j), i, j }),
      );
    }
    this.data = { points, norms, sigma2, setting };
    this.draw();
  }

  draw() {
    if (!this.data || !this.width) return;
    const { points, norms, sigma2, setting } = this.data;
    const { width, picture } = this;
    const exponent = (/** @type {number} */ x) => (-x * x) / (2 * sigma2);
    const farthest = Math.max(...points.map((p) => p.x));
    const x = linear([0, farthest * 1.06], [MARGIN.left, width - MARGIN.right]);
    const [lowest, highest] = extent(points.map((p) => p.log));
    const low = Math.min(exponent(x.domain[1]), lowest);
    const high = Math.max(0, highest);
    const span = /** @type {const} */ ([HEIGHT - MARGIN.bottom, MARGIN.top]);
    // Over many decades only a logarithmic axis shows whether dots lie on the curve; over few, dots
    // far above are left out and counted.
    const steep = high - low > Math.log(1e3);
    const bottom = Math.exp(low);
    const ceiling = Math.min(Math.exp(high), 1.6);
    const margin = (ceiling - bottom) * 0.06;
    const y = steep
      ? logOfLog([low / Math.LN10, high / Math.LN10 + 0.2], span)
      : linear([Math.max(0, bottom - margin), ceiling + margin], span);
    const height = (/** @type {number} */ log) => (steep ? log / Math.LN10 : Math.exp(log));
    this.scales = { x, y, height };
    const inside = points.filter(
      (p) => height(p.log) <= y.domain[1] && height(p.log) >= y.domain[0],
    );
    const outside = points.length - inside.length;
    const place = (/** @type {{ x: number, log: number }} */ p) =>
      /** @type {[number, number]} */ ([x.at(p.x), y.at(Math.max(y.domain[0], height(p.log)))]);

    setAttributes(picture, { width, viewBox: `0 0 ${width} ${HEIGHT}` });
    const steps = Array.from(
      { length: 101 },
      (_, s) => x.domain[0] + ((x.domain[1] - x.domain[0]) * s) / 100,
    );
    picture.replaceChildren(
      axes({
        x,
        y,
        xLabel: 'distance of query and key',
        yLabel: `weight × row constant${steep ? ', logarithmic' : ''}`,
      }),
      line(
        steps.map((s) => place({ x: s, log: exponent(s) })),
        'curve',
      ),
    );
    if (setting.unitKeys) picture.append(dots(inside.map(place), 'dot-k'));
    else {
      const [smallest, largest] = extent(norms);
      const dark = isDark();
      for (let j = 0; j < N; j++) {
        const path = dots(inside.filter((p) => p.j === j).map(place), 'dot-norm');
        path.style.stroke = colourAt(
          'weights',
          dark,
          0.25 + (0.65 * (norms[j] - smallest)) / (largest - smallest || 1),
        );
        picture.append(path);
      }
    }
    this.mark();
    const T = short(setting.T);
    // in many dimensions random directions hardly agree
    const near =
      setting.unitKeys && setting.unitQueries
        ? ` The directions are random. In ${D} dimensions they are nearly at right angles, so ` +
          'all distances are near √2.'
        : '';
    const holds = setting.unitKeys || setting.restore;
    const restored = setting.restore ? ' The key-norm factor exp(‖k‖²/2σ²) is divided out.' : '';
    const lengths = `${short(Math.min(...norms))} to ${short(Math.max(...norms))}`;
    const text = holds
      ? `${points.length} pairs, one curve.${restored}`
      : 'Keys of unequal norm leave the curve: a longer key gets more weight than its distance ' +
        `earns. Colour: ‖k‖ from ${lengths}.`;
    const plural = outside !== 1;
    const zero =
      `${outside} ${plural ? 'weights are' : 'weight is'} too small for the number format ` +
      `and ${plural ? 'have' : 'has'} no dot.`;
    const beyond = `${outside} ${plural ? 'dots lie' : 'dot lies'} outside the frame.`;
    const missing = outside ? ` ${steep ? zero : beyond}` : '';
    this.caption.textContent =
      `${text} T = ${T}, width ${short(Math.sqrt(sigma2))}.` + near + missing;
    picture.setAttribute(
      'aria-label',
      `Weight times row constant against distance, ${points.length} pairs, ` +
        `with the curve exp(−x²/2σ²). ${text}`,
    );
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
