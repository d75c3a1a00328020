/**
 * The interventions that tokens were read with, to be compared: all but temperatures.
 *
 * Contents are compared number by number. Only a snapshot has a checksum in their place.
 */
import { checksum, textChecksum } from './checksum.js';

/** The bits of numbers. @param {Float32Array} x */
const bitsOf = (x) => new Int32Array(x.buffer, x.byteOffset, x.length);

/**
 * Whether two values are equal: objects by their keys, and numbers bit by bit.
 * @param {unknown} a
 * @param {unknown} b
 * @returns {boolean}
 */
function equal(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  if (a instanceof Float32Array || b instanceof Float32Array) {
    if (!(a instanceof Float32Array && b instanceof Float32Array) || a.length !== b.length)
      return false;
    const [x, y] = [bitsOf(a), bitsOf(b)];
    return x.every((word, at) => word === y[at]);
  }
  const [x, y] = [Object.entries(a), new Map(Object.entries(b))];
  return x.length === y.size && x.every(([key, value]) => y.has(key) && equal(value, y.get(key)));
}

export class Content {
  #parts;
  /** @type {number | undefined} */
  #signature;

  /**
   * @param {readonly object[] | undefined} parts which nobody changes; none of a snapshot
   * @param {number} [signature] of these
   */
  constructor(parts, signature) {
    this.#parts = parts;
    this.#signature = parts?.length === 0 ? 0 : signature;
  }

  /** A checksum of the parts. It is 0 if there are none. */
  get signature() {
    return (this.#signature ??= signatureOf(this.#parts ?? []));
  }

  /** @param {Content} other */
  equals(other) {
    if (this === other) return true;
    const [own, others] = [this.#parts, other.#parts];
    return own && others ? equal(own, others) : this.signature === other.signature;
  }
}

/** @param {readonly object[]} parts */
function signatureOf(parts) {
  /** @type {Float32Array[]} */
  const numbers = [];
  // the text has the length of each array, so that none is taken for two
  const text = JSON.stringify(parts, (_, value) => {
    if (!(value instanceof Float32Array)) return value;
    numbers.push(value);
    return { floats: value.length };
  });
  return numbers.reduce((sum, x) => checksum(bitsOf(x), sum), textChecksum(text)) || 1;
}
