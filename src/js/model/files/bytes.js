import { ClearheadError } from '../../errors.js';

/**
 * The one reader both formats go through. It trusts nothing: a count is compared with the bytes
 * that are left before anything is made for it, a length is waited for before it is used, and what
 * has not arrived is never allocated. Errors name the place.
 */

/**
 * Most bytes a header may have: what is buffered is bounded even where the source does not say how
 * long it is.
 */
export const HEADER_MAX = 2 ** 28;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @typedef {import('./source.js').Stream} Stream */

export class Reader {
  /** Bytes taken so far: the place in the file. */
  at = 0;
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  #from = 0;

  /** @param {Stream} stream */
  constructor(stream) {
    this.stream = stream;
    this.name = stream.name;
  }

  /** Bytes that have arrived and are not taken. */
  get ready() {
    return this.#bytes.length - this.#from;
  }

  /** Bytes left in the file; Infinity where nobody knows. */
  get left() {
    const { exact, total } = this.stream;
    return exact && total !== undefined ? total - this.at : Infinity;
  }

  /**
   * @param {import('../../types.d.ts').ErrorCode} code
   * @param {string} what
   * @param {string | number} came
   * @param {string} expected
   * @returns {never}
   */
  refuse(code, what, came, expected) {
    throw new ClearheadError(
      code,
      `${this.name}, byte ${this.at}: ${what} is ${came}; expected ${expected}`,
    );
  }

  /**
   * Waits until n bytes are there. Await it only when `ready` is less: awaiting costs.
   * @param {number} n
   * @param {string} what they are
   */
  async need(n, what) {
    if (this.at + n > HEADER_MAX)
      this.refuse('LIMIT', what, `${n} bytes`, `a header of at most ${HEADER_MAX} bytes`);
    if (n > this.left) this.#cut(n, what);
    const parts = [this.#bytes.subarray(this.#from)];
    let ready = this.ready;
    while (ready < n) {
      const chunk = await this.stream.read();
      if (!chunk) this.#cut(n, what);
      parts.push(/** @type {any} */ (chunk));
      ready += /** @type {any} */ (chunk).length;
    }
    this.#hold(parts.length > 2 || parts[0].length ? joined(parts, ready) : (parts[1] ?? parts[0]));
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  #hold(bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#from = 0;
  }

  /** @param {number} n @param {string} what @returns {never} */
  #cut(n, what) {
    const end = this.left === Infinity ? this.at + this.ready : this.stream.total;
    throw new ClearheadError(
      'INTEGRITY',
      `${this.name}, byte ${this.at}: ${what} needs ${n} bytes, but the file ends at ${end}; it is cut off or damaged`,
    );
  }

  /**
   * @param {number} n
   * @returns {number} where the next n bytes are; they must have been waited for
   */
  #take(n) {
    const from = this.#from;
    if (n > this.ready) this.#cut(n, 'a value');
    this.#from += n;
    this.at += n;
    return from;
  }

  u8() {
    return this.#view.getUint8(this.#take(1));
  }
  i8() {
    return this.#view.getInt8(this.#take(1));
  }
  u16() {
    return this.#view.getUint16(this.#take(2), true);
  }
  i16() {
    return this.#view.getInt16(this.#take(2), true);
  }
  u32() {
    return this.#view.getUint32(this.#take(4), true);
  }
  i32() {
    return this.#view.getInt32(this.#take(4), true);
  }
  f32() {
    return this.#view.getFloat32(this.#take(4), true);
  }
  f64() {
    return this.#view.getFloat64(this.#take(8), true);
  }
  /** Exact: a number where one holds it, else a bigint. */
  u64() {
    const from = this.#take(8);
    const high = this.#view.getUint32(from + 4, true);
    return high < 2 ** 21
      ? high * 2 ** 32 + this.#view.getUint32(from, true)
      : this.#view.getBigUint64(from, true);
  }
  i64() {
    const value = this.#view.getBigInt64(this.#take(8), true);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  /** Whether a text, with its length before it, is there as a whole. */
  get textReady() {
    if (this.ready < 8) return false;
    const length =
      this.#view.getUint32(this.#from, true) + this.#view.getUint32(this.#from + 4, true) * 2 ** 32;
    return length <= this.ready - 8;
  }

  /**
   * How many things follow, each of at least `size` bytes: no more than can be there, and no more
   * than `most`.
   * @param {string} what
   * @param {number} size
   * @param {number} most
   */
  count(what, size, most) {
    const n = this.u64();
    if (typeof n === 'bigint' || n * size > this.left)
      this.refuse(
        'INTEGRITY',
        what,
        String(n),
        `what fits into the rest of the file${this.left < Infinity ? `, ${this.left} bytes` : ''}; it is cut off or damaged`,
      );
    if (n > most) this.refuse('LIMIT', what, n, `at most ${most}`);
    return n;
  }

  /** A copy of the next n bytes. @param {number} n */
  bytes(n) {
    const from = this.#take(n);
    return this.#bytes.slice(from, from + n);
  }

  /** The next n bytes as text; they must be UTF-8. @param {number} n @param {string} what */
  text(n, what) {
    const from = this.#take(n);
    if (n <= 16) {
      // most tokens are short and ASCII, and asking the decoder costs more than reading them
      let short = '';
      let at = from;
      while (at < from + n && this.#bytes[at] < 0x80)
        short += String.fromCharCode(this.#bytes[at++]);
      if (at === from + n) return short;
    }
    try {
      return utf8.decode(this.#bytes.subarray(from, from + n));
    } catch {
      this.at -= n;
      this.refuse('FORMAT', what, 'not UTF-8', 'text');
    }
  }

  /** What has arrived, untaken: to look at how a file begins. */
  peek() {
    return this.#bytes.subarray(this.#from);
  }

  /**
   * Hands the next n bytes on in pieces as they arrive, nothing kept: a piece is gone when `write`
   * is done with it.
   * @param {number} n
   * @param {string} what
   * @param {(offset: number, chunk: Uint8Array) => void | Promise<void>} [write] default: skips
   *   them
   */
  async pass(n, what, write) {
    if (n > this.left) this.#cut(n, what);
    for (let done = 0; done < n;) {
      if (!this.ready) {
        const spare = this.#bytes;
        this.#hold(new Uint8Array());
        this.#hold((await this.stream.read(spare)) ?? this.#cut(n - done, what));
      }
      const size = Math.min(n - done, this.ready);
      const from = this.#take(size);
      await write?.(done, this.#bytes.subarray(from, from + size));
      done += size;
    }
  }

  /** Lets go of what has arrived. */
  drop() {
    this.#hold(new Uint8Array());
  }

  /** Whether nothing is left. */
  async ended() {
    while (!this.ready) {
      const chunk = await this.stream.read();
      if (!chunk) return true;
      this.#hold(chunk);
    }
    return false;
  }
}

/** @param {Uint8Array[]} parts @param {number} length of all together */
export function joined(parts, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
