/**
 * Everything a reader can change is a signal with a name; the ones that differ from their default
 * are written into the URL's fragment, `#section?T=2&causal=0`, so that a link is the whole state.
 * Values from a URL are clamped, and the page says so.
 */

/**
 * @template T
 * @typedef {object} Codec
 * @property {(text: string) => T | undefined} parse undefined when the text is not of this kind
 * @property {(value: T) => string} format
 * @property {(value: T) => T} clamp
 * @property {string} range in words, for the notice
 */

/** @typedef {number | (() => number)} Limit fixed, or as a signal has it that was added before */

/** @template T */
export class Signal {
  /** @param {string} key @param {T} initial @param {Codec<T>} codec */
  constructor(key, initial, codec) {
    this.key = key;
    this.initial = initial;
    this.codec = codec;
    /** Moved by the page itself, for show: no part of the reader's state. */
    this.passing = false;
    /** @type {T} */
    this.value = initial;
    /** @type {Set<(value: T) => void>} */
    this.listeners = new Set();
  }

  /** Clamps, and tells the listeners if something changed. @param {T} value */
  set(value) {
    const next = this.codec.clamp(value);
    if (this.codec.format(next) === this.codec.format(this.value)) return;
    this.value = next;
    for (const listener of this.listeners) listener(next);
  }

  /** @param {(value: T) => void} listener */
  on(listener) {
    this.listeners.add(listener);
  }

  get range() {
    return this.codec.range;
  }

  /**
   * As a link has it: clamped once more, for a limit may have come down since.
   * @param {T} [value]
   */
  text(value = this.value) {
    return this.codec.format(this.codec.clamp(value));
  }

  get isDefault() {
    return this.text() === this.text(this.initial);
  }
}

/** @param {number} low @param {number} high @param {number} value */
const clamp = (low, high, value) => Math.min(high, Math.max(low, value));

/** @param {Limit} limit */
const now = (limit) => (typeof limit === 'number' ? limit : limit());

/** The same direction from 0 to 360; both of these stay as they are. @param {number} degrees */
export const turned = (degrees) =>
  degrees >= 0 && degrees <= 360 ? degrees : ((degrees % 360) + 360) % 360;

/** @param {string} text */
const parseNumber = (text) =>
  /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;

export class Store {
  constructor() {
    /** @type {Map<string, Signal<any>>} */
    this.signals = new Map();
    /** The part of the fragment before `?`: where on the page the link points. */
    this.section = '';
  }

  /**
   * @template T
   * @param {string} key
   * @param {T} initial
   * @param {Codec<T>} codec
   * @returns {Signal<T>}
   */
  add(key, initial, codec) {
    const signal = new Signal(key, initial, codec);
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

  /** @param {string} key @param {boolean} initial */
  flag(key, initial) {
    return this.add(key, initial, {
      parse: (text) => (text === '1' ? true : text === '0' ? false : undefined),
      format: (value) => (value ? '1' : '0'),
      clamp: (value) => value,
      range: '0 or 1',
    });
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
    this.section = bare ? '' : cut < 0 ? text : text.slice(0, cut);
    const given = new URLSearchParams(bare ? text : cut < 0 ? '' : text.slice(cut + 1));
    const notices = [];
    for (const key of new Set(given.keys())) {
      if (!this.signals.has(key)) notices.push(`there is no setting “${key}”`);
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
    return notices;
  }

  /** The fragment of the present state; only what differs from the defaults. */
  fragment() {
    const parts = [];
    for (const signal of this.signals.values()) {
      if (!signal.isDefault && !signal.passing)
        parts.push(`${signal.key}=${encodeURIComponent(signal.text())}`);
    }
    const query = parts.join('&');
    return this.section || query ? `#${this.section}${query ? `?${query}` : ''}` : '';
  }

  /**
   * Writes the state into the address bar, at most twice a second (Safari throttles faster
   * writers).
   */
  follow() {
    let timer = 0;
    const write = () => {
      timer = 0;
      const url = location.pathname + location.search + this.fragment();
      if (url !== location.pathname + location.search + location.hash)
        history.replaceState(null, '', url);
    };
    for (const signal of this.signals.values()) {
      signal.on(() => {
        if (!timer && !signal.passing) timer = window.setTimeout(write, 500);
      });
    }
  }
}

/**
 * Calls `run` once in the next frame after any of the signals changed: dragging costs one
 * computation per frame, and the last value always arrives.
 * @param {readonly { on: (ask: () => void) => void }[]} signals
 * @param {() => void} run
 */
export function onFrame(signals, run) {
  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      run();
    });
  };
  for (const signal of signals) signal.on(ask);
  return ask;
}
