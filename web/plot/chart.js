/**
 * The little that our charts need beyond SVG itself: a frame with axes, and marks drawn as single
 * paths.
 */
import { svg } from './dom.js';

/** @typedef {import('./scale.js').Scale} Scale */

/**
 * @param {object} options
 * @param {Scale} options.x @param {Scale} options.y
 * @param {string} [options.xLabel] @param {string} [options.yLabel]
 * @param {number} [options.xTicks] @param {number} [options.yTicks]
 * @param {boolean} [options.grid] hairlines at the y ticks
 */
export function axes({ x, y, xLabel, yLabel, xTicks = 5, yTicks = 4, grid = true }) {
  const [left, right] = x.range;
  const [bottom, top] = y.range;
  const group = svg('g', { class: 'axes' });
  for (const tick of y.ticks(yTicks)) {
    const at = y.at(tick.value);
    if (grid) group.append(svg('line', { x1: left, x2: right, y1: at, y2: at, class: 'grid' }));
    group.append(svg('text', { x: left - 8, y: at + 4, 'text-anchor': 'end' }, tick.label));
  }
  group.append(svg('line', { x1: left, x2: right, y1: bottom, y2: bottom, class: 'axis' }));
  for (const tick of x.ticks(xTicks)) {
    const at = x.at(tick.value);
    group.append(
      svg('line', { x1: at, x2: at, y1: bottom, y2: bottom + 4, class: 'axis' }),
      svg('text', { x: at, y: bottom + 18, 'text-anchor': 'middle' }, tick.label),
    );
  }
  if (xLabel)
    group.append(
      svg('text', { x: right, y: bottom + 36, 'text-anchor': 'end', class: 'axis-name' }, xLabel),
    );
  if (yLabel)
    group.append(
      svg('text', { x: left - 8, y: top - 12, 'text-anchor': 'start', class: 'axis-name' }, yLabel),
    );
  return group;
}

/** @param {readonly (readonly [number, number])[]} points in pixels @param {string} name */
export function line(points, name) {
  const d = points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(2)},${y.toFixed(2)}`).join('');
  return svg('path', { d, class: name });
}

/**
 * All dots of one colour as one path: a round-capped line of no length is a dot.
 * @param {readonly (readonly [number, number])[]} points
 */
export function dots(points, /** @type {string} */ name) {
  const d = points.map(([x, y]) => `M${x.toFixed(2)},${y.toFixed(2)}h0`).join('');
  return svg('path', { d, class: `dots ${name}` });
}

/**
 * Counts per bin of a scale cut into `bins` equal parts. Values outside go to the nearest end.
 * @param {Iterable<number>} values @param {Scale} x @param {number} bins
 */
export function histogram(values, x, bins) {
  const counts = new Array(bins).fill(0);
  const [low, high] = x.range;
  for (const value of values) {
    const place = Math.floor(((x.at(value) - low) / (high - low)) * bins);
    counts[Math.min(bins - 1, Math.max(0, place))]++;
  }
  return counts;
}

/** @param {readonly number[]} counts @param {Scale} x @param {Scale} y @param {string} name */
export function bars(counts, x, y, name) {
  const [low, high] = x.range;
  const width = (high - low) / counts.length;
  const group = svg('g', { class: name });
  counts.forEach((count, bin) => {
    if (!count) return;
    const top = y.at(count);
    group.append(
      svg('rect', {
        x: low + bin * width + 0.5,
        y: top,
        width: Math.max(0.5, width - 1),
        height: y.range[0] - top,
      }),
    );
  });
  return group;
}

/**
 * Three marks, one shape each, centred on (x, y), about twice r wide.
 * @type {Record<string, (x: number, y: number, r: number) => SVGElement>}
 */
export const MARKS = {
  circle: (x, y, r) => svg('circle', { cx: x, cy: y, r: 0.92 * r, class: 'mark' }),
  triangle: (x, y, r) =>
    svg('path', {
      d: `M${x - 1.08 * r},${y + 0.87 * r}L${x},${y - 1.13 * r}L${x + 1.08 * r},${y + 0.87 * r}Z`,
      class: 'mark',
    }),
  plus: (x, y, r) =>
    svg('path', { d: `M${x - r},${y}h${2 * r}M${x},${y - r}v${2 * r}`, class: 'mark open' }),
};
