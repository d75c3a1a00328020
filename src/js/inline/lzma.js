/**
 * LZMA (Igor Pavlov, LZMA specification), with the parameters lc = 0, lp = 0 and pb = 0 and without
 * a header. It halves what gzip leaves of several kernels that are nearly the same.
 */

/** Places of the probabilities. Lengths have LOW, MIDDLE and HIGH after their two choices. */
const IS_MATCH = 0;
const IS_REPEAT = 12;
const REPEAT_0 = 24;
const REPEAT_1 = 36;
const REPEAT_2 = 48;
const REPEAT_0_LONG = 60;
const SLOT = 72;
const SPECIAL = SLOT + 4 * 64;
const ALIGN = SPECIAL + 128;
const LENGTH = ALIGN + 16;
const REPEAT_LENGTH = LENGTH + 2 + 8 + 8 + 256;
const LITERAL = REPEAT_LENGTH + 2 + 8 + 8 + 256;
const COUNT = LITERAL + 0x300;

/** The binary range decoder with its adaptive probabilities. */
class Bits {
  #probabilities = new Uint16Array(COUNT).fill(1024);
  #range = 0xffffffff;
  #code = 0;
  /** The first byte says nothing. */
  #at = 1;
  #packed;

  /** @param {Uint8Array} packed */
  constructor(packed) {
    this.#packed = packed;
    while (this.#at < 5) this.#append();
  }

  #append() {
    this.#code = this.#code * 256 + this.#packed[this.#at++];
  }

  #normalize() {
    if (this.#range >= 2 ** 24) return;
    this.#range *= 256;
    this.#append();
  }

  /** @param {number} place of its probability */
  bit(place) {
    const p = this.#probabilities;
    const bound = (this.#range >>> 11) * p[place];
    const bit = this.#code < bound ? 0 : 1;
    if (bit) {
      this.#range -= bound;
      this.#code -= bound;
      p[place] -= p[place] >> 5;
    } else {
      this.#range = bound;
      p[place] += (2048 - p[place]) >> 5;
    }
    this.#normalize();
    return bit;
  }

  /** @param {number} count of bits of equal probability */
  direct(count) {
    let value = 0;
    for (; count; count--) {
      this.#range >>>= 1;
      const bit = this.#code < this.#range ? 0 : 1;
      if (bit) this.#code -= this.#range;
      value = 2 * value + bit;
      this.#normalize();
    }
    return value;
  }

  /** A number whose highest bit comes first. @param {number} place @param {number} count of bits */
  tree(place, count) {
    let node = 1;
    for (let i = 0; i < count; i++) node = 2 * node + this.bit(place + node);
    return node - 2 ** count;
  }

  /** A number whose lowest bit comes first. @param {number} place @param {number} count of bits */
  reverseTree(place, count) {
    let node = 1;
    let value = 0;
    for (let i = 0; i < count; i++) {
      const bit = this.bit(place + node);
      node = 2 * node + bit;
      value += bit * 2 ** i;
    }
    return value;
  }

  /** @param {number} place LENGTH or REPEAT_LENGTH */
  length(place) {
    if (!this.bit(place)) return 2 + this.tree(place + 2, 3);
    if (!this.bit(place + 1)) return 10 + this.tree(place + 10, 3);
    return 18 + this.tree(place + 18, 8);
  }

  /** How far back a match lies, from 0. @param {number} length of the match */
  distance(length) {
    const slot = this.tree(SLOT + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const base = (2 + (slot & 1)) * 2 ** count;
    if (slot < 14) return base + this.reverseTree(SPECIAL + base - slot, count);
    return base + 16 * this.direct(count - 4) + this.reverseTree(ALIGN, 4);
  }

  /**
   * A byte. After a match its bits are predicted from the next matched byte, until one differs.
   * @param {number} [matched]
   */
  literal(matched) {
    let node = 1;
    for (let i = 7; matched !== undefined && i >= 0 && node < 0x100; i--) {
      const expected = (matched >> i) & 1;
      const bit = this.bit(LITERAL + 0x100 * (1 + expected) + node);
      node = 2 * node + bit;
      if (bit !== expected) break;
    }
    while (node < 0x100) node = 2 * node + this.bit(LITERAL + node);
    return node - 0x100;
  }
}

/**
 * @param {Uint8Array} packed
 * @param {number} length bytes that are wanted, from the first one
 */
export function unpack(packed, length) {
  const out = new Uint8Array(length);
  const bits = new Bits(packed);
  let state = 0;
  let recent = [0, 0, 0, 0];
  for (let at = 0; at < length;) {
    if (!bits.bit(IS_MATCH + state)) {
      out[at] = bits.literal(state < 7 ? undefined : out[at - recent[0] - 1]);
      at++;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (!bits.bit(IS_REPEAT + state)) {
      count = bits.length(LENGTH);
      recent = [bits.distance(count), ...recent.slice(0, 3)];
      state = state < 7 ? 7 : 10;
    } else {
      const which = !bits.bit(REPEAT_0 + state)
        ? 0
        : !bits.bit(REPEAT_1 + state)
          ? 1
          : 2 + bits.bit(REPEAT_2 + state);
      const short = !which && !bits.bit(REPEAT_0_LONG + state);
      recent.unshift(...recent.splice(which, 1));
      count = short ? 1 : bits.length(REPEAT_LENGTH);
      state = state < 7 ? (short ? 9 : 8) : 11;
    }
    for (const end = Math.min(at + count, length); at < end; at++)
      out[at] = out[at - recent[0] - 1];
  }
  return out;
}
