/**
 * The numbers of one look: four below the bars, and tables of the weights by each way and of the
 * values.
 */
import { slot } from '../../page/controls.js';
import { numbersRow, numbersTable, paragraph, scrolling } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';

/** @typedef {ReturnType<typeof import('./compute.js').derive>} Found */

/** Small numbers keep their digits: 0.0003 is not 0.000. @param {number} nats */
const inNats = (nats) => (nats === 0 || nats >= 0.0005 ? fixed(nats, 3) : scientific(nats));

export class Slots {
  constructor() {
    this.keys = slot('as wide as equal shares for', '0.000 of 6 keys');
    this.H = slot('entropy H', '0.000 nats');
    this.rho = slot('commitment ρ', '0.000 nats');
    this.lse = slot('log-sum-exp', '−00.000');
    const deep = [this.H, this.rho, this.lse].map(({ element }) => element);
    for (const element of deep) element.dataset.depth = 'understand';
    this.element = paragraph('slots', this.keys.element, ...deep);
  }

  /** @param {Found} found @param {number} n keys */
  show({ entropy, rho, lse }, n) {
    const kept = Math.exp(entropy);
    this.keys.show(kept, `${fixed(kept, kept > n - 0.01 && kept < n ? 3 : 2)} of ${n} keys`);
    this.H.show(entropy, `${inNats(entropy)} nats`);
    this.rho.show(rho, `${inNats(rho)} nats`);
    this.lse.show(lse, fixed(lse, 3));
  }
}

export class RoutesTable {
  /** @param {readonly string[]} routes their names */
  constructor(routes) {
    this.routes = routes;
    const { element, body } = numbersTable({
      name: 'routes',
      caption: 'The weights by each way, float64',
      columns: ['key', ...routes],
    });
    this.element = scrolling('Weights by each way', element);
    this.body = body;
  }

  /** @param {Found['routes']} weights of each route @param {readonly string[]} words */
  show(weights, words) {
    const cell = (/** @type {number} */ value, /** @type {number} */ r, /** @type {number} */ j) =>
      html(
        'td',
        { 'data-value': value, 'data-route': this.routes[r], 'data-key': j },
        String(value),
      );
    this.body.replaceChildren(
      ...words.map((word, j) =>
        numbersRow(word, ...weights.map((route, r) => cell(route[j], r, j))),
      ),
    );
  }
}

export class ValuesTable {
  constructor() {
    const { element, body } = numbersTable({
      name: 'values',
      caption: 'The values, and the output',
      columns: ['word', 'across', 'up'],
    });
    this.element = scrolling('Values and the output', element);
    this.body = body;
  }

  /** @param {Found} found @param {readonly string[]} words */
  show({ values, output }, words) {
    const row = (/** @type {string} */ name, /** @type {ArrayLike<number>} */ point) =>
      numbersRow(name, ...Array.from(point, (x) => html('td', { 'data-value': x }, short(x, 6))));
    this.body.replaceChildren(
      ...words.map((word, j) => row(word, values.subarray(2 * j, 2 * j + 2))),
      row('the output', output),
    );
  }
}
