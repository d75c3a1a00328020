/**
 * Everything a reader can change is a signal with a name; the ones that differ from their default
 * are written into the URL's fragment, `#section?v=1&T=2`, so that a link is the whole state.
 * Values from a URL are clamped, and the page says so.
 */

import { FLAG, Signal } from './signal.js';

/** @template T @typedef {import('./signal.js').Codec<T>} Codec */

/** Of links. A link of another version may mean other things by the same names. */
const VERSION = '1';

/** @typedef {number | (() => number)} Limit fixed, or as a signal has it that was added before */

/** @param {number} low @param {number} high @param {number} value */
const clamp = (low, high, value) => Math.min(high, Math.max(low, value));

/** @param {Limit} limit */
const now = (limit) => (typeof limit === 'number' ? limit : limit());

/** @param {string} text */
const parseNumber = (text) =>
  /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^Infinity$/.test(text) ? Number(text) : undefined;

export { Signal };

export class Store {
  constructor() {
    /** @type {Map<string, Signal<any>>} */
    this.signals = new Map();
    /** The part of the fragment before `?`: where on the page the link points. */
    this.section = '';
    /** The section whose signals are being added. */
    this.adding = '';
    /** @type {(() => string | undefined)[]} */
    this.rules = [];
  }

  /**
   * The signals that `make` adds act on this section.
   * @template T
   * @param {string} section
   * @param {(store: Store) => T} make
   */
  of(section, make) {
    this.adding = section;
    const made = make(this);
    this.adding = '';
    return made;
  }

  /**
   * A rule about several signals. It mends what breaks it, and tells so.
   * @param {() => string | undefined} mend
   */
  rule(mend) {
    this.rules.push(mend);
  }

  /**
   * @template T
   * @param {string} key
   * @param {T} initial
   * @param {Codec<T>} codec
   * @returns {Signal<T>}
   */
  add(key, initial, codec) {
    if (this.signals.has(key)) throw new Error(`two settings have the name “${key}”`);
    const signal = new Signal(key, initial, codec);
    signal.section = this.adding;
    this.signals.set(key, signal);
    return signal;
  }

  /**
   * @param {string} key
   * @param {number} initial
   * @param {{ min: number, max: Limit, integer?: boolean }} limits
   */
  number(key, initial, { min, max, integer = false }) {
    return this.add(key, initial, {
      parse: parseNumber,
      format: String,
      clamp: (value) => clamp(min, now(max), integer ? Math.round(value) : value),
      get range() {
        return `a ${integer ? 'whole ' : ''}number from ${min} to ${now(max)}`;
      },
    });
  }

  /**
   * A temperature between limits, or one of the two that need no limit: exactly 0, or infinity.
   * @param {string} key @param {number} initial @param {{ min: number, max: number }} limits
   */
  temperature(key, initial, { min, max }) {
    return this.add(key, initial, {
      parse: parseNumber,
      format: String,
      clamp: (value) => (value === 0 || value === Infinity ? value : clamp(min, max, value)),
      range: `a number from ${min} to ${max}, or 0, or Infinity`,
    });
  }

  /** @param {string} key @param {boolean} initial */
  flag(key, initial) {
    return this.add(key, initial, FLAG);
  }

  /** @template {string} T @param {string} key @param {T} initial @param {readonly T[]} options */
  choice(key, initial, options) {
    return this.add(key, initial, {
      parse: (text) => options.find((option) => option === text),
      format: (value) => value,
      clamp: (value) => value,
      range: `one of ${options.join(', ')}`,
    });
  }

  /**
   * As many numbers as `initial` has, or none where `initial` is empty and `length` tells how many
   * there would be. `wrap` makes of a number outside the limits the one inside that means the same.
   * @param {string} key
   * @param {readonly number[]} initial
   * @param {{ min: number, max: Limit, length: number, wrap?: (value: number) => number }} limits
   */
  numbers(key, initial, { min, max, length, wrap = Number }) {
    return this.add(key, initial, {
      parse: (text) => {
        const values = text.split('_').map(parseNumber);
        return values.length === length && values.every((v) => v !== undefined)
          ? values.map(wrap)
          : undefined;
      },
      format: (values) => values.join('_'),
      clamp: (values) => values.map((v) => clamp(min, now(max), v)),
      get range() {
        return `${length} numbers from ${min} to ${now(max)}, joined by _`;
      },
    });
  }

  /**
   * Takes the state of a fragment; every signal it does not name goes back to its default.
   * @returns {string[]} notices
   * @param {string} fragment
   */
  read(fragment) {
    const text = fragment.replace(/^#/, '');
    const cut = text.indexOf('?');
    const bare = cut < 0 && text.includes('=');
    const section = bare ? '' : cut < 0 ? text : text.slice(0, cut);
    const given = new URLSearchParams(bare ? text : cut < 0 ? '' : text.slice(cut + 1));
    const notices = [];
    const version = given.get('v') ?? VERSION;
    given.delete('v');
    if (version !== VERSION)
      notices.push(`it is of version ${version.slice(0, 40)}, and this page reads ${VERSION}`);
    for (const key of new Set(given.keys())) {
      const times = given.getAll(key).length;
      if (!this.signals.has(key)) notices.push(`there is no setting “${key}”`);
      else if (times > 1) notices.push(`${key} is given ${times} times, and the first is used`);
    }
    for (const signal of this.signals.values()) {
      const raw = given.get(signal.key);
      const parsed = raw === null ? signal.initial : signal.codec.parse(raw);
      const value = parsed === undefined ? signal.initial : signal.codec.clamp(parsed);
      if (
        raw !== null &&
        (parsed === undefined || signal.codec.format(value) !== signal.codec.format(parsed))
      ) {
        const used = signal.codec.format(value) || 'left out';
        notices.push(
          `${signal.key} = ${raw.slice(0, 40)} is not ${signal.range}, so it is ${used}`,
        );
      }
      signal.set(value);
    }
    const mended = this.rules.map((mend) => mend());
    // signals that changed have named their own sections
    this.section = section;
    return [...notices, ...mended.filter((each) => each !== undefined)];
  }

  /** Every signal of a section has its default again. @param {string} section */
  reset(section) {
    for (const signal of this.signals.values())
      if (signal.section === section) signal.set(signal.initial);
  }

  /** The fragment of the present state; only what differs from the defaults. */
  fragment(section = this.section) {
    const parts = [];
    for (const signal of this.signals.values())
      if (!signal.isDefault) parts.push(`${signal.key}=${encodeURIComponent(signal.text())}`);
    const query = parts.length ? `?v=${VERSION}&${parts.join('&')}` : '';
    return section || query ? `#${section}${query}` : '';
  }
}
