/** Why this key: the products of the channels as bars, and lengths and distance beside them. */
import { options } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import {
  besideWords,
  block,
  numbersTable,
  onSight,
  paragraph,
  scrolling,
} from '../../page/layout.js';
import { Statement } from '../../page/statement.js';
import { axes } from '../../plot/chart.js';
import { html, setText, svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { fixed } from '../../plot/format.js';
import { oneStop } from '../../plot/one-stop.js';
import { linear } from '../../plot/scale.js';
import { best, byDistance, compare, partsOf, products, shownOf } from './why-compute.js';
import { drawnLook, lookOf, lookOfModel } from './why-look.js';
import { compared, inWords, scored, splitRows, summed } from './why-words.js';

/** @typedef {import('./why-compute.js').Look} Look */
/** @typedef {import('./why-words.js').Parts} Parts */

const HEIGHT = 260;
const MARGIN = { left: 44, right: 8, top: 26, bottom: 44 };
/** More keys would be too many buttons. The best ones are shown, in their order. */
const MAX_KEYS = 12;

const statements = () => ({
  sum: new Statement({
    id: 'why-sum',
    claim: 'the bars of each key add up to the score that the wasm code gives it',
    allowance:
      'Allowed per key: u·(d + 4)·Σ|q·k|·scale, u = 2⁻²⁴. That code computes in float32, and ' +
      'the bars are added in float64.',
    oracles: [products],
  }),
  split: new Statement({
    id: 'why-split',
    claim: 'lengths and distance give each key the same score',
    allowance:
      'Allowed per key: u·(d + 8)·(½‖q‖² + ½‖k‖² + ½‖q − k‖² + Σ|q·k|)·scale, u = 2⁻⁵³. Both ' +
      'sides are float64.',
    oracles: [byDistance],
  }),
});

export class Why {
  /** @param {any} state @param {import('../../page/panels.js').Context} context */
  constructor(state, { row, model, engine }) {
    this.state = state;
    this.row = row;
    this.model = model;
    this.engine = engine;
    /** Of the model, once somebody looked. @type {Look | undefined} */
    this.live = undefined;
    /** The model that it is of. @type {unknown} */
    this.of = undefined;
    this.visible = false;
    this.checks = statements();
    this.figure = new Figure('why-bars', (width) => this.draw(width));
    this.said = paragraph('look-said');
    this.sum = paragraph('look-key');
    this.beside = paragraph('look-key');
    this.note = paragraph('look-key');
    this.keys = block('why-keys word-buttons');
    this.keys.setAttribute('role', 'group');
    this.keys.setAttribute('aria-label', 'Keys of this look');
    this.renew = oneStop(this.keys);
    const { element, body } = numbersTable({
      name: 'why-split',
      caption: 'The score from lengths and distance. All are times the scale, and rounded.',
      columns: ['part', 'this key', 'mean of all keys'],
    });
    this.body = body;
    this.table = scrolling('Lengths and distance', element);
    this.table.dataset.depth = 'understand';
    const order = options(state.whyOrder, 'Bars', { size: 'by size', channel: 'in their order' });
    this.element = block(
      'why',
      html('h3', {}, 'Why this key?'),
      this.said,
      this.keys,
      this.note,
      besideWords(this.figure.element, this.sum, order, this.beside, this.table),
    );
  }

  /** Follows the row, the seed and the model. */
  listen() {
    const { state, row, model, element } = this;
    const show = onFrame([state.whyKey, state.whyOrder, state.seed, row], () => void this.show());
    model.on(() => {
      if (model.phase === 'ready' && this.of && this.of !== model.loading) void this.read(show);
    });
    onSight(element, (visible) => {
      this.visible = visible;
      void this.read(show);
    });
    return this.show();
  }

  /** The model’s own look, where nobody sent one. @param {() => void} show */
  async read(show) {
    const { model, row } = this;
    if (!this.visible || row.value || (this.live && this.of === model.loading)) return;
    try {
      await model.use(async (remote, signal) => {
        const of = model.loading;
        const live = await lookOfModel(remote, signal);
        if (live) Object.assign(this, { live, of });
      });
      show();
    } catch {
      // without a model the drawn numbers stay
    }
  }

  /** The look that is on show. */
  get look() {
    return lookOf(this.row.value) ?? this.live ?? drawnLook(this.state.seed.value);
  }

  /** The key that is on show: the chosen one, or the one that gets most. @param {Look} look */
  keyOf({ words, weights }) {
    const { value } = this.state.whyKey;
    return value >= 0 && value < words.length ? value : best(weights);
  }

  async show() {
    const { look, checks } = this;
    const j = this.keyOf(look);
    const parts = partsOf(look, j);
    this.shown = { look, j, parts };
    this.said.replaceChildren(...scored(look, j, parts));
    setText(this.sum, summed(look, parts));
    this.beside.replaceChildren(...compared(parts));
    this.body.replaceChildren(...splitRows(parts));
    this.showKeys(look, j);
    this.figure.again();
    const { kernel, split } = compare(await this.engine(), look);
    checks.sum.show(kernel);
    checks.split.show(split);
  }

  /** @param {Look} look @param {number} chosen */
  showKeys({ words, weights, head }, chosen) {
    const { keys, state } = this;
    const shown = Array.from(weights, (p, j) => ({ p: j === chosen ? 2 : p, j }))
      .sort((a, b) => b.p - a.p || a.j - b.j)
      .slice(0, MAX_KEYS)
      .map(({ j }) => j)
      .sort((a, b) => a - b);
    const focused = keys.contains(document.activeElement);
    keys.replaceChildren(
      ...shown.map((j) => {
        const pressed = String(j === chosen);
        const about = { type: 'button', class: 'why-key word-button', 'aria-pressed': pressed };
        const button = html('button', about, words[j]);
        button.addEventListener('click', () => state.whyKey.set(j));
        return button;
      }),
    );
    this.renew();
    if (focused) {
      /** @type {HTMLElement | null} */
      const pressed = keys.querySelector('button[aria-pressed="true"]');
      pressed?.focus();
    }
    this.element.dataset.of = head ? 'model' : 'drawn';
    const limited = shown.length < words.length ? `${shownOf(weights, shown)}. ` : '';
    const random = head
      ? ''
      : ' These numbers are random. Choose a word of the story for a look of the model.';
    setText(this.note, `${limited}Press another key.${random}`);
  }

  /** @param {number} width */
  draw(width) {
    if (!this.shown) return;
    const { look, j, parts } = this.shown;
    const values = Array.from(parts.bars, (x, c) => ({ x, c }));
    if (this.state.whyOrder.value === 'size') values.sort((a, b) => b.x - a.x);
    this.figure.fill({ height: HEIGHT, label: inWords(look, j, parts) }, ...barsOf(values, width));
  }
}

/** @param {readonly { x: number, c: number }[]} values a bar each @param {number} width */
function barsOf(values, width) {
  const all = values.map(({ x }) => x);
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const across = linear([0, values.length], [MARGIN.left, width - MARGIN.right]);
  const y = linear([low, high || 1], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const step = across.at(1) - across.at(0);
  const every = Math.ceil(26 / step);
  const ticks = () =>
    values
      .map(({ c }, i) => ({ value: i + 0.5, label: String(c) }))
      .filter((_, i) => i % every === 0);
  const largest = all.reduce((at, x, i) => (Math.abs(x) > Math.abs(all[at]) ? i : at), 0);
  const zero = y.at(0);
  const ends = { x1: MARGIN.left, x2: width - MARGIN.right };
  return [
    axes({ x: { ...across, ticks }, y, xLabel: 'channel' }),
    ...values.map(({ x, c }, i) =>
      svg('rect', {
        x: across.at(i) + 0.12 * step,
        width: 0.76 * step,
        y: Math.min(zero, y.at(x)),
        height: Math.abs(y.at(x) - zero),
        class: x < 0 ? 'why-bar below' : 'why-bar',
        'data-value': x,
        'data-channel': c,
      }),
    ),
    svg('line', { ...ends, y1: zero, y2: zero, class: 'axis' }),
    nameOf(all[largest], across.at(largest + 0.5), y.at(all[largest]), width),
  ];
}

/** The number of the largest bar, beyond its end. */
function nameOf(
  /** @type {number} */ value,
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ width,
) {
  const anchor = x < width / 2 ? 'start' : 'end';
  const at = { x: anchor === 'start' ? x - 6 : x + 6, 'text-anchor': anchor };
  return svg('text', { ...at, y: value < 0 ? y - 4 : y - 6, class: 'strong' }, fixed(value, 2));
}
