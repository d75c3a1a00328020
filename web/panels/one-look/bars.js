/**
 * A bar per key, and on it the marks of three other ways to it. Weights below 1/60, where
 * there are any, have a logarithmic strip below.
 */
import { axes, MARKS } from '../../plot/chart.js';
import { html, setAttributes, svg } from '../../plot/dom.js';
import { fixed, scientific } from '../../plot/format.js';
import { largestOf } from '../../plot/ties.js';
import { LETTER } from '../../plot/names.js';
import { linear, log } from '../../plot/scale.js';
import { onWidth } from '../../plot/width.js';

const SMALL = 1 / 60;
const TOP = 10;
const HEIGHT = 250;
const GAP = 34;
const STRIP = 84;
const FOOT = 46;
/** The space for the axis. */
const LEFT = 44;
/** The space for the name of the uniform weight. */
const RIGHT = 34;
/** A bar of less space has a short number. */
const NARROW = 52;
const STRIP_TOP = TOP + HEIGHT + GAP;
const BOTTOM = STRIP_TOP + STRIP;
const SHAPES = /** @type {const} */ (['circle', 'triangle', 'plus']);

/** @typedef {ReturnType<typeof frameOf>} Frame */

export class Bars {
  /** @param {readonly string[]} names of the bar and the three marks */
  constructor(names) {
    this.picture = svg('svg', { role: 'img' });
    const legend = html(
      'p',
      { class: 'marks-legend', 'data-depth': 'understand' },
      ...names.map((name, i) => html('span', {}, sign(i), ` ${name}`)),
    );
    this.element = html(
      'figure',
      { class: 'bars' },
      this.picture,
      html('figcaption', {}, 'The shares, rounded. Together they are 1.'),
      legend,
    );
    this.width = 560;
    /** @type {ArrayLike<number>[]} */
    this.routes = [];
    /** @type {readonly string[]} */
    this.words = [];
    const again = () => this.routes.length && this.show(this.routes, this.words);
    onWidth(this.element, (width) => {
      this.width = width;
      again();
    });
    document.addEventListener('depthchange', again);
  }

  /**
   * @param {ArrayLike<number>[]} routes four lists of weights
   * @param {readonly string[]} words of the keys
   */
  show(routes, words) {
    this.routes = routes;
    this.words = words;
    const { width, picture } = this;
    const p = Array.from(routes[0]);
    const frame = frameOf(p, width);
    picture.replaceChildren(
      ...frameParts(frame, p.length),
      ...p.flatMap((weight, j) => [
        bar(frame, weight, j),
        ...(frame.bare ? [] : marks(frame, routes, j)),
        ...names(frame, words[j], weight, j),
      ]),
    );
    const height = BOTTOM + FOOT;
    setAttributes(picture, {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'aria-label': inWords(p, words, frame.bare),
    });
  }
}

/** The bar of the legend, or a mark of it. @param {number} i */
const sign = (i) =>
  svg(
    'svg',
    { width: 18, height: 18, 'aria-hidden': 'true' },
    i
      ? MARKS[SHAPES[i - 1]](9, 9, 6)
      : svg('rect', { x: 2, y: 3, width: 14, height: 12, class: 'bar' }),
  );

/** The scales, and the space of a key. @param {number[]} p weights @param {number} width */
function frameOf(p, width) {
  // readers who only look see bars alone
  const bare = !document.documentElement.dataset.depth;
  const left = bare ? LEFT - 10 : LEFT;
  const right = width - (bare ? 2 : RIGHT);
  const step = (right - left) / p.length;
  const any = !bare && p.some((weight) => weight < SMALL);
  // without a strip the bars are taller, and the figure keeps its size
  const ground = TOP + (any ? HEIGHT : HEIGHT + GAP + STRIP);
  const smallest = p.reduce((low, v) => (v > 0 && v < low ? v : low), 1e-4);
  const lowest = 10 ** Math.floor(Math.log10(smallest) - 0.2);
  return {
    bare,
    any,
    left,
    right,
    step,
    ground,
    narrow: step < NARROW,
    x: linear([0, p.length], [left, right]),
    y: linear([0, 1], [ground, TOP]),
    strip: log([lowest, SMALL], [BOTTOM, STRIP_TOP]),
  };
}

/** Axes, the uniform weight, and the strip with its own axis. @param {Frame} frame */
function frameParts({ bare, any, left, right, x, y, strip }, /** @type {number} */ n) {
  const across = (/** @type {number} */ at, /** @type {string} */ name) =>
    svg('line', { x1: left, x2: right, y1: at, y2: at, class: name });
  const ticks = () =>
    linear([0, 1], [0, 1])
      .ticks(4)
      .filter((t) => t.value > 0);
  const parts = [axes({ x: { ...x, ticks: () => [] }, y: { ...y, ticks } })];
  const uniform = y.at(1 / n);
  if (!bare)
    parts.push(
      across(uniform, 'uniform-line'),
      svg('text', { x: right + 5, y: uniform + 4 }, '1/n'),
    );
  if (!any) return parts;
  const box = { x: left, y: STRIP_TOP, width: right - left, height: STRIP, class: 'strip' };
  parts.push(
    svg('rect', box),
    svg('text', { x: left, y: STRIP_TOP - 8, class: 'axis-name' }, 'below 1/60, logarithmic'),
  );
  for (const { value, label } of strip.ticks(3)) {
    const at = strip.at(value);
    parts.push(
      across(at, 'grid'),
      svg('text', { x: left - 8, y: at + 4, 'text-anchor': 'end' }, label),
    );
  }
  return parts;
}

/** Whether a weight is in the strip. @param {Frame} frame @param {number} weight */
const isLow = ({ any }, weight) => any && weight < SMALL;

/** How high a value is, on the scale of its key. @param {Frame} frame @param {boolean} low */
const heightOf = ({ y, strip }, low, /** @type {number} */ value) =>
  value > 0 ? Math.min(BOTTOM, (low ? strip : y).at(value)) : BOTTOM;

/** @param {Frame} frame @param {number} weight @param {number} j */
function bar(frame, weight, j) {
  const { x, step, ground } = frame;
  const middle = x.at(j + 0.5);
  const width = Math.min(72, step * 0.82);
  const low = isLow(frame, weight);
  const at = heightOf(frame, low, weight);
  const [from, to] = [middle - width / 2, middle + width / 2];
  return low
    ? svg('line', { x1: from, x2: to, y1: at, y2: at, class: 'bar-line' })
    : svg('rect', { x: from, y: at, width, height: Math.max(0, ground - at), class: 'bar' });
}

/**
 * The other ways to the weight of a key.
 * @param {Frame} frame @param {ArrayLike<number>[]} routes
 */
function marks(frame, [weights, ...others], /** @type {number} */ j) {
  const { x, step, narrow } = frame;
  const low = isLow(frame, weights[j]);
  return SHAPES.map((shape, i) => {
    const beside = (i - 1) * Math.min(18, step * 0.31);
    const value = others[i][j];
    return (
      Number.isFinite(value) &&
      MARKS[shape](x.at(j + 0.5) + beside, heightOf(frame, low, value), narrow ? 4.2 : 6)
    );
  }).filter((mark) => mark !== false);
}

/** The key and its weight, under the bar. @param {Frame} frame */
function names(
  { x, step, narrow },
  /** @type {string} */ word,
  /** @type {number} */ weight,
  /** @type {number} */ j,
) {
  const digits = () => (weight < 1e-3 ? scientific(weight) : fixed(weight, step > 56 ? 4 : 3));
  const short = () => (weight > 0 && weight < 0.005 ? '<.01' : fixed(weight, 2));
  const middle = { x: x.at(j + 0.5), 'text-anchor': 'middle' };
  // a long word is made narrower, so that it does not run into the next one
  const long = LETTER * word.length > step - 4;
  const fit = long && { textLength: step - 4, lengthAdjust: 'spacingAndGlyphs' };
  return [
    svg('text', { ...middle, ...fit, y: BOTTOM + 20, class: 'strong' }, word),
    svg('text', { ...middle, y: BOTTOM + 37 }, narrow ? short() : digits()),
  ];
}

/** @param {number[]} p @param {readonly string[]} words @param {boolean} bare */
function inWords(p, words, bare) {
  const { list, all } = largestOf(p, words);
  const weights = p.map((v, j) => `${words[j]} ${fixed(v, 3)}`).join(', ');
  return (
    `Weights of ${p.length} keys: ${weights}; ${all ? 'all equal' : `the largest on ${list}`}. ` +
    (bare ? '' : 'The other three ways mark the same heights.')
  );
}
