/**
 * The row: one query of one head, and its weight on every key. A panel that shows rows puts one
 * here, and every panel that can start from a row takes it from here.
 */
import { headName } from '../../src/js/model/inside/head-name.js';
import { button } from './controls.js';
import { html } from '../plot/dom.js';

/**
 * @typedef {object} Row
 * @property {string} source the model's name, or the panel the row was made in
 * @property {number} layer -1 where there are no layers
 * @property {number} head
 * @property {number} position of the query
 * @property {readonly string[]} words of the keys, the last of them the query's own
 * @property {number} temperature of the look, at which it has these weights
 * @property {Float64Array} weights (n)
 * @property {Float64Array} scores (n), the logits q·k/√d before any temperature
 * @property {number} [scale] of the dot product of q and a key
 * @property {Float32Array} [q] (d)
 * @property {Float32Array} [k] (n, d)
 * @property {Float32Array} [v] (n, dv)
 */

export class RowBus {
  constructor() {
    /** @type {Row | undefined} */
    this.value = undefined;
    /** @type {Set<(row: Row | undefined) => void>} */
    this.listeners = new Set();
  }

  /** @param {Row | undefined} row undefined: every panel goes back to its own example */
  set(row) {
    this.value = row;
    for (const listener of this.listeners) listener(row);
  }

  /**
   * @param {(row: Row | undefined) => void} listener
   * @returns {() => void} stops listening
   */
  on(listener) {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** Where a row comes from: “layer 2, head 5 · ‘to’ · stories”. @param {Row} row */
export function pathOf({ layer, head, position, words, source }) {
  const word = words[words.length - 1]?.trim();
  const query = word ? `‘${word}’` : `query ${position}`;
  return [headName({ layer, head }, 'long'), query, source].filter(Boolean).join(' · ');
}

/**
 * @typedef {object} Keys of a row that a panel can show
 * @property {number} minKeys
 * @property {number} maxKeys the best ones, where a row has more
 */

/**
 * The line under a panel's title that names the row; empty where the panel shows its own example.
 * @param {RowBus} bus
 * @param {Keys} keys
 * @param {import('./signal.js').Signal<boolean>} [byHand] whether the reader has made another row
 *   of it
 */
export function breadcrumb(bus, { minKeys, maxKeys }, byHand) {
  const element = html('p', { class: 'crumb', hidden: true });
  const show = () => {
    const row = bus.value;
    element.hidden = !row;
    if (!row) return;
    const n = row.words.length;
    if (n < minKeys) {
      const needed = `${minKeys} are needed here. So this is an example.`;
      return element.replaceChildren(`The row has ${n} keys, and ${needed}`);
    }
    const back = button('this panel’s own example', () => bus.set(undefined), 'link');
    const part = n > maxKeys ? ` The ${maxKeys} best of its ${n} keys, made to add up to 1.` : '';
    element.replaceChildren(
      byHand?.value ? 'Changed by hand from the row: ' : 'The row: ',
      html('strong', {}, pathOf(row)),
      `.${part} `,
      back,
    );
  };
  bus.on(show);
  byHand?.on(show);
  show();
  return element;
}

/**
 * A setting takes its value from the row, until the reader gives it another one.
 * @template T
 * @param {RowBus} bus
 * @param {import('./signal.js').Signal<T>} signal
 * @param {(row: Row) => T} of
 */
export function follow(bus, signal, of) {
  const initial = signal.text(signal.initial);
  let accepted = initial;
  const copy = () => {
    if (![accepted, initial].includes(signal.text())) return;
    signal.follow(bus.value ? of(bus.value) : signal.initial);
    accepted = signal.text();
  };
  bus.on(copy);
  copy();
}
