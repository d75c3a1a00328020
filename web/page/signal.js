/** A setting of the page: a value, its listeners, and the text that stands for it in a link. */

/**
 * @template T
 * @typedef {object} Codec
 * @property {(text: string) => T | undefined} parse undefined when the text is not of this kind
 * @property {(value: T) => string} format
 * @property {(value: T) => T} clamp
 * @property {string} range in words, for the notice
 */

/** @template T */
export class Signal {
  /** @param {string} key @param {T} initial @param {Codec<T>} codec */
  constructor(key, initial, codec) {
    this.key = key;
    this.initial = initial;
    this.codec = codec;
    /** The id of the section whose panel it belongs to. */
    this.section = '';
    /** @type {T} */
    this.value = initial;
    /** @type {Set<(value: T) => void>} */
    this.listeners = new Set();
    /** Whether another panel sets it at the moment. The link then keeps pointing to that panel. */
    this.following = false;
  }

  /** Sets the value because of a choice on another panel. @param {T} value */
  follow(value) {
    this.following = true;
    this.set(value);
    this.following = false;
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
   * The text of a value in a link. The value is clamped again, because a limit may be lower by now.
   * @param {T} [value]
   */
  text(value = this.value) {
    return this.codec.format(this.codec.clamp(value));
  }

  get isDefault() {
    return this.text() === this.text(this.initial);
  }
}

/** Of a switch. @type {Codec<boolean>} */
export const FLAG = {
  parse: (text) => (text === '1' ? true : text === '0' ? false : undefined),
  format: (value) => (value ? '1' : '0'),
  clamp: (value) => value,
  range: '0 or 1',
};

/** @type {Codec<string>} */
const TEXT = { parse: String, format: String, clamp: String, range: 'any text' };

/** A text that is in no link. */
export const privateText = () => new Signal('', '', TEXT);

/** A switch that is in no link. */
export const privateFlag = () => new Signal('', false, FLAG);

/** The same direction from 0 to 360; both of these stay as they are. @param {number} degrees */
export const turned = (degrees) =>
  degrees >= 0 && degrees <= 360 ? degrees : ((degrees % 360) + 360) % 360;
