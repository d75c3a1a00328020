/**
 * One query, six keys, four derivations of the same weights: the softmax kernel and the Gaussian
 * kernel in WebAssembly, the KL-budget solver and the inverse-variance mean in this page's own
 * float64.
 */
import { numberField, slot, temperature } from '../../page/controls.js';
import { budgetWeights, inverseVarianceMean } from '../../math/oracle.js';
import { FLAT, STEEP } from '../distance/compute.js';
import { html } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { onFrame, turned } from '../../page/state.js';
import { Statement } from '../../page/statement.js';
import { Bars } from './bars.js';
import { Circle } from './circle.js';
import { derive, N } from './compute.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof import('./state.js').state>} State */

export const ROUTES = ['softmax kernel', 'Gaussian kernel', 'KL budget', 'inverse variance'];

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine, state }) {
  show(root, await engine(), state);
  return {};
}

/** @param {HTMLElement} root @param {Engine} engine @param {State} state */
function show(root, engine, state) {
  /** @type {ReturnType<typeof derive> | undefined} */
  let latest;
  const circle = new Circle({
    turnQuery: (degrees) => state.q.set([degrees]),
    turnKey: (j, degrees) =>
      state.k.set(state.k.value.map((old, at) => (at === j ? degrees : old))),
  });
  const bars = new Bars(ROUTES);
  const slots = {
    H: slot('H', '0.000 nats'),
    rho: slot('ρ', '0.000 nats'),
    keys: slot('effective keys', '0.00 of 6'),
  };
  const knob = temperature(
    state.T,
    (T) => {
      const entropy = latest ? fixed(latest.entropy, 2) : '';
      const keys = latest ? fixed(Math.exp(latest.entropy), 1) : '';
      return `T ${short(T)}; entropy ${entropy} nats; about ${keys} effective keys`;
    },
    0.05,
    20,
  );
  const statement = new Statement({
    id: 'C0',
    claim: 'four derivations agree',
    allowance:
      `Allowed per weight: u·(${FLAT} + ${STEEP}/T)·w, and for the route through the budget what ` +
      `rounding ρ by u·(${FLAT} + ${STEEP}/T) moves it: w·|z − ⟨z⟩|·δρ/(β·Var z). ` +
      'u = 2⁻⁵³. The first two routes run in WebAssembly; these two run here. ' +
      'The solver is told only ρ, the mean only the variances.',
    oracles: [budgetWeights, inverseVarianceMean],
  });
  const numbers = html('tbody');
  const table = html(
    'table',
    { class: 'routes' },
    html('caption', {}, 'The weights by each route, float64'),
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
    ...Array.from({ length: N }, (_, j) =>
      numberField(entry(state.k, j), { label: `key ${j + 1}, degrees` }),
    ),
  );
  root.replaceChildren(
    html('div', { class: 'hero-left' }, circle.element),
    html(
      'div',
      { class: 'hero-right' },
      bars.element,
      html('div', { class: 'controls' }, knob.element),
      html('p', { class: 'slots' }, ...Object.values(slots).map((each) => each.element)),
      statement.element,
    ),
    // Both need more space than half the figure.
    html(
      'div',
      { class: 'hero-below' },
      html('div', { class: 'statement-below' }, statement.oracle),
      html(
        'details',
        { class: 'more' },
        html('summary', {}, 'the numbers, and angles to type'),
        html(
          'div',
          {
            class: 'table-scroll',
            tabindex: 0,
            role: 'region',
            'aria-label': 'Weights by each route',
          },
          table,
        ),
        angles,
      ),
    ),
  );

  const draw = () => {
    const found = (latest = derive(engine, {
      T: state.T.value,
      q: state.q.value[0],
      k: state.k.value,
    }));
    circle.show(found, state.q.value[0], state.k.value);
    bars.show(found.routes);
    slots.H.show(found.entropy, `${fixed(found.entropy, 3)} nats`);
    slots.rho.show(found.rho, `${fixed(found.rho, 3)} nats`);
    slots.keys.show(Math.exp(found.entropy), `${fixed(Math.exp(found.entropy), 2)} of ${N}`);
    statement.show({
      claim: `four derivations agree to ${scientific(found.measured)}`,
      measured: found.measured,
      allowed: found.allowed,
      ratio: found.ratio,
      text: `allowed ${scientific(found.allowed)}`,
    });
    numbers.replaceChildren(
      ...Array.from({ length: N }, (_, j) =>
        html(
          'tr',
          {},
          html('th', { scope: 'row' }, `k${j + 1}`),
          ...found.routes.map((route, r) =>
            html(
              'td',
              { 'data-value': route[j], 'data-route': ROUTES[r], 'data-key': j },
              String(route[j]),
            ),
          ),
        ),
      ),
    );
    knob.refresh();
  };
  onFrame([state.T, state.q, state.k], draw);
  document.addEventListener('themechange', draw);
  draw();
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
