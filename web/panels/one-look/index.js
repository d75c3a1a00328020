/**
 * One query, six keys, four ways to the same weights: softmax and a Gaussian of distances in
 * WebAssembly, the best compromise and the best use of a budget in this page's own float64.
 */
import { numberField, slot, temperature } from '../../page/controls.js';
import { exampleOf } from '../../math/example.js';
import { bestUseOf, compromise, spending } from '../../math/roads.js';
import { FLAT, STEEP } from '../distance/compute.js';
import { html } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { privateFlag, turned } from '../../page/signal.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { Bars } from './bars.js';
import { Circle } from './circle.js';
import { codeOf } from './code.js';
import { atTheLimit, circleOf, derive } from './compute.js';
import { COLDEST, HOTTEST } from './state.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof import('./state.js').state>} State */

export const ROUTES = ['softmax', 'closeness', 'best compromise', 'best use of a budget'];

/** Small numbers keep their digits: 0.0003 is not 0.000. @param {number} nats */
const inNats = (nats) => (nats === 0 || nats >= 0.0005 ? fixed(nats, 3) : scientific(nats));

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine, state, row, keys }) {
  return show(root, await engine(), { state, row, keys });
}

const statements = () => ({
  agree: new Statement({
    id: 'C0',
    claim: 'softmax, closeness and the best compromise give the same weights',
    allowance:
      `Allowed per weight: u·(${FLAT} + ${STEEP}/T)·w, u = 2⁻⁵³. The first two run in ` +
      'WebAssembly, by dot products and by distances. The climb below knows no exponential.',
    oracles: [compromise, atTheLimit],
  }),
  budget: new Statement({
    id: 'C0-budget',
    claim: 'no use of the same budget wins more',
    allowance:
      `Told only what softmax spends, the search below spends as much and wins as much. ` +
      `Allowed, in nats and in units of T: u·(${FLAT} + ${STEEP}/T).`,
    oracles: [bestUseOf, spending],
  }),
  spent: new Statement({
    id: 'C0-spent',
    claim: 'the statistics of the fused pass agree with the weights',
    allowance:
      'KL, log n − H, ⟨z⟩/T − lse + log n, and the sum below over the weights. ' +
      `Allowed: u·(${FLAT} + ${STEEP}/T).`,
    oracles: [spending],
  }),
});

/**
 * @param {HTMLElement} root @param {Engine} engine
 * @param {Pick<import('../../page/panels.js').Context, 'row' | 'keys'> & { state: State }} context
 */
function show(root, engine, { state, row, keys }) {
  /** @type {ReturnType<typeof derive>} */
  let latest;
  let { words } = exampleOf(undefined, keys);
  /** The link of the circle as the row laid it. */
  let laid = '';
  const now = () => [state.q, state.k, state.T].map((each) => each.text()).join();
  const byHand = privateFlag();
  const circle = new Circle({
    turnQuery: (degrees) => state.q.set([degrees]),
    turnKey: (j, degrees) =>
      state.k.set(state.k.value.map((old, at) => (at === j ? degrees : old))),
  });
  const bars = new Bars(ROUTES);
  const slots = {
    keys: slot('it reads about', '0.000 of 6 keys'),
    H: slot('H', '0.000 nats'),
    rho: slot('ρ', '0.000 nats'),
    lse: slot('log-sum-exp', '−00.000'),
  };
  for (const name of /** @type {const} */ (['H', 'rho', 'lse']))
    slots[name].element.dataset.depth = 'understand';
  const knob = temperature(
    state.T,
    (T) => `T ${short(T)}; about ${latest ? fixed(Math.exp(latest.entropy), 1) : ''} keys`,
    { min: COLDEST, max: HOTTEST, ends: true },
  );
  const checks = statements();
  const numbers = html('tbody');
  const table = html(
    'table',
    { class: 'routes' },
    html('caption', {}, 'The weights by each way, float64'),
    html(
      'thead',
      {},
      html(
        'tr',
        {},
        html('th', { scope: 'col' }, 'key'),
        ...ROUTES.map((name) => html('th', { scope: 'col' }, name)),
      ),
    ),
    numbers,
  );
  const angles = html(
    'div',
    { class: 'controls' },
    numberField(entry(state.q, 0), { label: 'query, degrees' }),
    ...state.k.initial.map((_, j) =>
      numberField(entry(state.k, j), { label: `key ${j + 1}, degrees` }),
    ),
  );
  root.replaceChildren(
    html(
      'div',
      { class: 'hero-left' },
      circle.element,
      html('div', { class: 'controls' }, knob.element),
    ),
    html(
      'div',
      { class: 'hero-right' },
      bars.element,
      html('p', { class: 'slots' }, ...Object.values(slots).map((each) => each.element)),
    ),
    // Both need more space than half the figure.
    html(
      'div',
      { class: 'hero-below' },
      html('div', { class: 'statements' }, ...Object.values(checks).map((each) => each.element)),
      html(
        'details',
        { class: 'more', 'data-depth': 'understand' },
        html('summary', {}, 'the numbers, and angles to type'),
        html(
          'div',
          {
            class: 'table-scroll',
            tabindex: 0,
            role: 'region',
            'aria-label': 'Weights by each way',
          },
          table,
        ),
        angles,
      ),
    ),
  );

  const draw = () => {
    const n = words.length;
    const found = (latest = derive(engine, {
      T: state.T.value,
      q: state.q.value[0],
      k: state.k.value.slice(0, n),
    }));
    byHand.set(laid !== '' && now() !== laid);
    const kept = Math.exp(found.entropy);
    circle.show(found, words, state.q.value[0], state.k.value);
    bars.show(found.routes, words);
    slots.keys.show(kept, `${fixed(kept, kept > n - 0.01 && kept < n ? 3 : 2)} of ${n} keys`);
    slots.H.show(found.entropy, `${inNats(found.entropy)} nats`);
    slots.rho.show(found.rho, `${inNats(found.rho)} nats`);
    slots.lse.show(found.lse, fixed(found.lse, 3));
    checks.agree.show({
      ...found.agree,
      text:
        `they agree to ${scientific(found.agree.measured)}, ` +
        `allowed ${scientific(found.agree.allowed)}`,
    });
    const limit = {
      verdict: /** @type {const} */ ('none'),
      text: 'at this limit T has no price',
    };
    checks.budget.show({ ...found.budget, ...(found.finite ? {} : limit) });
    checks.spent.show({
      ...found.spent,
      data: { rho: found.rho, lse: found.lse },
    });
    numbers.replaceChildren(
      ...words.map((word, j) =>
        html(
          'tr',
          {},
          html('th', { scope: 'row' }, word),
          ...found.routes.map((route, r) =>
            html(
              'td',
              {
                'data-value': route[j],
                'data-route': ROUTES[r],
                'data-key': j,
              },
              String(route[j]),
            ),
          ),
        ),
      ),
    );
    knob.refresh();
  };
  onFrame([state.T, state.q, state.k], draw);
  /** The circle takes the directions and the temperature that give the weights of the row. */
  const lay = () => {
    const example = exampleOf(row.value, keys);
    words = example.words;
    const { q, k, T } = state;
    const own = { q: q.initial, k: k.initial, T: T.initial };
    const to = example.own ? own : circleOf(example.scores, row.value?.temperature ?? 1);
    q.follow(to.q);
    k.follow(k.initial.map((degrees, j) => to.k[j] ?? degrees));
    T.follow(to.T);
    laid = example.own ? '' : now();
    circle.note = laid && 'The angles are chosen to give the weights of the row. ';
    draw();
  };
  onFrame([row], lay);
  document.addEventListener('themechange', draw);
  if (row.value) lay();
  else draw();
  return {
    byHand,
    reset: () => row.value && lay(),
    state: () => ({ words, ...latest }),
    code: () =>
      codeOf({ T: state.T.value, q: state.q.value, k: state.k.value.slice(0, words.length) }),
    exports: { svg: () => bars.picture },
  };
}

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
