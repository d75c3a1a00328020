/**
 * The row: one query of one head, and its weight on every key. A panel that shows rows puts one
 * here, and every panel that can start from a row takes it from here.
 */
import { html } from '../plot/dom.js';

/**
 * @typedef {object} Row
 * @property {string} source the model's name, or the panel the row was made in
 * @property {number} layer -1 where there are no layers
 * @property {number} head
 * @property {number} position of the query
 * @property {readonly string[]} words of the keys, the last of them the query's own
 * @property {Float64Array} weights (n)
 * @property {Float64Array} scores (n), the logits q·k/√d before any temperature
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

/** Where a row comes from: “layer 2 · head 5 · ‘to’ · stories”. @param {Row} row */
export function pathOf({ layer, head, position, words, source }) {
  const word = words[words.length - 1]?.trim();
  const query = word ? `‘${word}’` : `query ${position}`;
  return [layer >= 0 && `layer ${layer}`, `head ${head}`, query, source]
    .filter(Boolean)
    .join(' · ');
}

/**
 * The line under a panel's title that names the row; empty where the panel shows its own example.
 * @param {RowBus} bus
 */
export function breadcrumb(bus) {
  const element = html('p', { class: 'crumb', hidden: true });
  const show = (/** @type {Row | undefined} */ row) => {
    element.hidden = !row;
    if (!row) return;
    const back = html('button', { type: 'button', class: 'link' }, 'this panel’s own example');
    back.addEventListener('click', () => bus.set(undefined));
    element.replaceChildren('The row: ', html('strong', {}, pathOf(row)), ' ', back);
  };
  bus.on(show);
  show(bus.value);
  return element;
}
