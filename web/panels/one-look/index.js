/**
 * One query, six keys, four ways to the same weights: softmax and a Gaussian of distances in
 * WebAssembly, the best compromise and the best use of a budget in this page's own float64. The
 * output is the mean of the values with these weights.
 */
import { numberField, temperature } from '../../page/controls.js';
import { exampleOf } from '../../math/example.js';
import { block, controlsRow, verdicts } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { fixed, short } from '../../plot/format.js';
import { privateFlag, turned } from '../../page/signal.js';
import { onFrame } from '../../page/frames.js';
import { Bars } from './bars.js';
import { statements, tell } from './checks.js';
import { Circle } from './circle.js';
import { codeOf } from './code.js';
import { circleOf, derive } from './compute.js';
import { RoutesTable, Slots, ValuesTable } from './figures.js';
import { Mean } from './mean.js';
import { COLDEST, HOTTEST } from './state.js';
import { valuesOf } from './values.js';

/** @typedef {ReturnType<typeof import('./state.js').state>} State */
/** @typedef {ReturnType<typeof derive>} Found */

export const ROUTES = ['softmax', 'closeness', 'best compromise', 'best use of a budget'];

/** Said of a circle that shows a row. */
const MADE =
  'These places and T are chosen to give the shares of the look. Its real keys have many more ' +
  'dimensions, and other lengths. “Distance” has the real distances. ';

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine, state: signals, row, keys }) {
  const state = /** @type {State} */ (signals);
  const kernels = await engine();
  const view = new View(state);
  root.replaceChildren(...view.laidOut());
  /** @type {Found} */
  let latest;
  let { words } = exampleOf(undefined, keys);
  let { values, own } = valuesOf(undefined, keys);
  /** The link of the circle as the row laid it. */
  let laid = '';
  const now = () => [state.q, state.k, state.T].map((each) => each.text()).join();
  const byHand = privateFlag();
  const setting = () => ({
    T: state.T.value,
    q: state.q.value,
    k: state.k.value.slice(0, words.length),
    values,
  });
  const draw = () => {
    latest = derive(kernels, { ...setting(), q: state.q.value[0] });
    byHand.set(laid !== '' && now() !== laid);
    view.show(latest, words, own);
  };
  /** The circle takes the directions and the temperature that give the weights of the row. */
  const lay = () => {
    const example = exampleOf(row.value, keys);
    words = example.words;
    ({ values, own } = valuesOf(row.value, keys));
    const { q, k, T } = state;
    const initial = { q: q.initial, k: k.initial, T: T.initial };
    const to = example.own ? initial : circleOf(example.scores, row.value?.temperature ?? 1);
    q.follow(to.q);
    k.follow(k.initial.map((degrees, j) => to.k[j] ?? degrees));
    T.follow(to.T);
    laid = example.own ? '' : now();
    view.circle.note = laid && MADE;
    draw();
  };
  onFrame([state.T, state.q, state.k], draw);
  onFrame([row], lay);
  document.addEventListener('themechange', draw);
  if (row.value) lay();
  else draw();
  return {
    followed: [{ byHand, again: () => void (row.value && lay()) }],
    state: () => ({ words, ...latest }),
    code: () => codeOf(setting()),
    exports: { svg: () => view.bars.picture },
  };
}

/** The circle, the values, the bars, the numbers and the statements, of the same weights. */
class View {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.circle = new Circle({
      turnQuery: (degrees) => state.q.set([degrees]),
      turnKey: (j, degrees) => entry(state.k, j).set(degrees),
    });
    this.mean = new Mean();
    this.bars = new Bars(ROUTES);
    this.slots = new Slots();
    this.table = new RoutesTable(ROUTES);
    this.values = new ValuesTable();
    this.checks = statements();
    /** The number of keys that the weights leave open. */
    this.open = '';
    this.knob = temperature(state.T, (T) => `T ${short(T)}; about ${this.open} keys`, {
      min: COLDEST,
      max: HOTTEST,
      ends: true,
    });
  }

  laidOut() {
    const { circle, mean, bars, slots, table, values, checks, knob } = this;
    const more = html(
      'details',
      { class: 'more', 'data-depth': 'understand' },
      html('summary', {}, 'the numbers, and angles to type'),
      table.element,
      values.element,
      angles(this.state),
    );
    return [
      block('hero-knob', controlsRow(knob.element)),
      block('hero-left', circle.element),
      block('hero-mean', mean.element),
      block('hero-right', bars.element, slots.element),
      // Both need more space than half the figure.
      block('hero-below', verdicts(checks), more),
    ];
  }

  /** @param {Found} found @param {readonly string[]} words @param {boolean} own values */
  show(found, words, own) {
    const { q, k } = this.state;
    this.circle.show(found, words, q.value[0], k.value);
    this.mean.show({ found, words, own });
    this.bars.show(found.routes, words);
    this.slots.show(found, words.length);
    tell(this.checks, found);
    this.table.show(found.routes, words);
    this.values.show(found, words);
    this.open = fixed(Math.exp(found.entropy), 1);
    this.knob.refresh();
  }
}

/** @param {State} state */
const angles = ({ q, k }) =>
  controlsRow(
    numberField(entry(q, 0), { label: 'query, degrees' }),
    ...k.initial.map((_, j) => numberField(entry(k, j), { label: `key ${j + 1}, degrees` })),
  );

/**
 * One entry of a list of angles, as a number of its own.
 * @param {import('../../page/state.js').Signal<readonly number[]>} list @param {number} at
 * @returns {import('../../page/controls.js').Bindable<number>}
 */
function entry(list, at) {
  return {
    get value() {
      return list.value[at];
    },
    set: (value) => list.set(list.value.map((old, i) => (i === at ? value : old))),
    on: (listener) => list.on((values) => listener(values[at])),
    range: 'a number of degrees',
    wrap: turned,
  };
}
