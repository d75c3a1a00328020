/**
 * The row: one query of one head, and its weight on every key. A panel that shows rows puts one
 * here, and every panel that can start from a row takes it from here.
 */
import { headName } from '../../src/js/model/inside/head-name.js';
import { button } from './controls.js';
import { privateFlag, privateText } from './signal.js';
import { html } from '../plot/dom.js';
import { short } from '../plot/format.js';

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
 * @property {readonly number[]} [ids] of the tokens of its words, for the model
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

/** A row has more keys than one sees words. @param {Row} row @param {number} maxKeys */
function bestOf({ words }, maxKeys) {
  const others = words[0].trim()
    ? 'Commas and pieces of words'
    : 'Commas, pieces of words and the start';
  return (
    ` The ${maxKeys} best of its ${words.length} keys, made to add up to 1. ` +
    `${others} have keys, too.`
  );
}

/**
 * @typedef {object} Keys of a row that a panel can show
 * @property {number} minKeys
 * @property {number} maxKeys the best ones, where a row has more
 */

/**
 * @typedef {object} Followed a setting that takes its value from the row
 * @property {import('./signal.js').Signal<boolean>} byHand whether the reader has given it another
 *   one
 * @property {() => void} again takes the value of the row, after a reset
 * @property {() => string} [note] more about the row, behind its name
 */

/**
 * The line under a panel's title that names the row; empty where the panel shows its own example.
 * @param {RowBus} bus
 * @param {Keys} keys
 * @param {readonly Followed[]} [followed] settings that make another row of it
 * @param {import('./signal.js').Signal<string>} [unfit] why the panel does not show
 *   this row, and its figure instead; '' where it does
 */
export function breadcrumb(bus, { minKeys, maxKeys }, followed = [], unfit = privateText()) {
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
    if (unfit.value) return element.replaceChildren(unfit.value);
    const back = button('this panel’s own example', () => bus.set(undefined), 'link');
    const part = n > maxKeys ? bestOf(row, maxKeys) : '';
    const byHand = followed.some((each) => each.byHand.value);
    const notes = byHand ? [] : followed.map(({ note }) => note?.() ?? '');
    element.replaceChildren(
      byHand ? 'Changed by hand from the row: ' : 'The row: ',
      html('strong', {}, pathOf(row)),
      `.${part}${notes.join('')} `,
      back,
    );
  };
  bus.on(show);
  for (const { byHand } of followed) byHand.on(show);
  unfit.on(show);
  show();
  return element;
}

/**
 * A setting takes its value from the row, until the reader gives it another one.
 * @template T
 * @param {RowBus} bus
 * @param {import('./signal.js').Signal<T>} signal
 * @param {(row: Row) => T} of
 * @returns {Followed}
 */
export function follow(bus, signal, of) {
  const initial = signal.text(signal.initial);
  const byHand = privateFlag();
  let accepted = initial;
  /** @type {T} */
  let wanted = signal.initial;
  const compare = () =>
    byHand.set(bus.value !== undefined && signal.text() !== signal.text(wanted));
  const again = () => {
    wanted = bus.value ? of(bus.value) : signal.initial;
    if ([accepted, initial].includes(signal.text())) {
      signal.follow(wanted);
      accepted = signal.text();
    }
    compare();
  };
  bus.on(again);
  signal.on(compare);
  again();
  return { byHand, again };
}

/**
 * Of a figure with the temperature of the row. “One look” has it only at 0 and ∞.
 * @param {Row | undefined} row
 */
export const ownTemperature = (row) =>
  row && row.temperature > 0 && row.temperature < Infinity
    ? ' T is that of the row, and “One look” has another one, which fits its circle.'
    : '';

/**
 * The temperature of a figure is that of the row, or its limit next to it.
 * @param {RowBus} bus
 * @param {import('./signal.js').Signal<number>} T
 * @returns {Followed}
 */
export function followTemperature(bus, T) {
  const note = () => {
    const { temperature } = bus.value ?? { temperature: T.value };
    const nearest = T.codec.clamp(temperature);
    if (nearest === temperature) return ownTemperature(bus.value);
    const ends = nearest > temperature ? 'begins' : 'ends';
    return (
      ` The row has T = ${short(temperature)}, and this figure ${ends} at ${short(nearest)}, ` +
      'so its weights differ.'
    );
  };
  return { ...follow(bus, T, ({ temperature }) => temperature), note };
}
