import { utf8Decoder } from '../../engine/utf8.js';
import { ClearheadError } from '../../errors.js';

/**
 * The reader of both file formats. It trusts nothing: a count is compared with the rest of the file
 * before memory is allocated for it. A length is used only when its bytes have arrived. Errors name
 * the place in the file.
 */

/** Bytes a header may have. It bounds the buffer also where the length of a source is unknown. */
const HEADER_MAX = 2 ** 28;

/** @typedef {import('./source.js').Stream} Stream */

export class Reader {
  /** Bytes consumed so far: the place in the file. */
  at = 0;
  #utf8 = utf8Decoder({ fatal: true, ignoreBOM: true });
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  #from = 0;

  /** @param {Stream} stream */
  constructor(stream) {
    this.stream = stream;
    this.name = stream.name;
  }

  /** Bytes that have arrived and are not consumed. */
  get ready() {
    return this.#bytes.length - this.#from;
  }

  /** Bytes in the rest of the file; Infinity where its length is unknown. */
  get remaining() {
    const { exact, total } = this.stream;
    return exact && total !== undefined ? total - this.at : Infinity;
  }

  /**
   * @param {import('../../types.d.ts').ErrorCode} code
   * @param {string} label
   * @param {string | number} came
   * @param {string} expected
   * @returns {never}
   */
  refuse(code, label, came, expected) {
    throw new ClearheadError(
      code,
      `${this.name}, byte ${this.at}: ${label} is ${came}; expected ${expected}`,
    );
  }

  /**
   * Waits until n bytes are there. Await it only when `ready` is less: awaiting costs.
   * @param {number} n
   * @param {string} label in errors
   */
  async need(n, label) {
    if (this.at + n > HEADER_MAX)
      this.refuse('LIMIT', label, `${n} bytes`, `a header of at most ${HEADER_MAX} bytes`);
    if (n > this.remaining) this.#cut(n, label);
    const parts = [this.#bytes.subarray(this.#from)];
    let ready = this.ready;
    while (ready < n) {
      const chunk = await this.stream.read();
      if (!chunk) return this.#cut(n, label);
      parts.push(chunk);
      ready += chunk.length;
    }
    this.#hold(parts.length > 2 || parts[0].length ? joined(parts, ready) : (parts[1] ?? parts[0]));
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  #hold(bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#from = 0;
  }

  /** @param {number} n @param {string} label @returns {never} */
  #cut(n, label) {
    const end = this.remaining === Infinity ? this.at + this.ready : this.stream.total;
    throw new ClearheadError(
      'INTEGRITY',
      `${this.name}, byte ${this.at}: ${label} needs ${n} bytes, but the file ends at ${end}; ` +
        'it is cut off or damaged',
    );
  }

  /**
   * @param {number} n
   * @returns {number} where the next n bytes are; they must have been waited for
   */
  #advance(n) {
    const from = this.#from;
    if (n > this.ready) this.#cut(n, 'a value');
    this.#from += n;
    this.at += n;
    return from;
  }

  u8() {
    return this.#view.getUint8(this.#advance(1));
  }
  i8() {
    return this.#view.getInt8(this.#advance(1));
  }
  u16() {
    return this.#view.getUint16(this.#advance(2), true);
  }
  i16() {
    return this.#view.getInt16(this.#advance(2), true);
  }
  u32() {
    return this.#view.getUint32(this.#advance(4), true);
  }
  i32() {
    return this.#view.getInt32(this.#advance(4), true);
  }
  f32() {
    return this.#view.getFloat32(this.#advance(4), true);
  }
  f64() {
    return this.#view.getFloat64(this.#advance(8), true);
  }
  /** Exact: a number where one holds it, else a bigint. */
  u64() {
    const from = this.#advance(8);
    const high = this.#view.getUint32(from + 4, true);
    return high < 2 ** 21
      ? high * 2 ** 32 + this.#view.getUint32(from, true)
      : this.#view.getBigUint64(from, true);
  }
  i64() {
    const value = this.#view.getBigInt64(this.#advance(8), true);
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
   * How many things follow, each of at least `size` bytes. The number is at most `max`, and the
   * file is long enough for it.
   * @param {string} label
   * @param {number} size
   * @param {number} max
   */
  count(label, size, max) {
    const n = this.u64();
    const rest = this.remaining < Infinity ? `, ${this.remaining} bytes` : '';
    if (typeof n === 'bigint' || n * size > this.remaining)
      this.refuse(
        'INTEGRITY',
        label,
        String(n),
        `no more than the rest of the file${rest}; it is cut off or damaged`,
      );
    if (n > max) this.refuse('LIMIT', label, n, `at most ${max}`);
    return n;
  }

  /** A copy of the next n bytes. @param {number} n */
  bytes(n) {
    const from = this.#advance(n);
    return this.#bytes.slice(from, from + n);
  }

  /** The next n bytes as text; they must be UTF-8. @param {number} n @param {string} label */
  text(n, label) {
    const from = this.#advance(n);
    if (n <= 16) {
      // most tokens are short and ASCII, and a call of the decoder takes longer than this loop
      let short = '';
      let at = from;
      while (at < from + n && this.#bytes[at] < 0x80)
        short += String.fromCharCode(this.#bytes[at++]);
      if (at === from + n) return short;
    }
    try {
      return this.#utf8.decode(this.#bytes.subarray(from, from + n));
    } catch {
      this.at -= n;
      this.refuse('FORMAT', label, 'not UTF-8', 'text');
    }
  }

  /** The bytes that have arrived, without consuming them. */
  peek() {
    return this.#bytes.subarray(this.#from);
  }

  /**
   * Passes the next n bytes on in pieces as they arrive. A piece is valid only during `write`.
   * @param {number} n
   * @param {string} label
   * @param {(offset: number, chunk: Uint8Array) => void | Promise<void>} [write] default: skips
   *   the bytes
   */
  async pass(n, label, write) {
    if (n > this.remaining) this.#cut(n, label);
    for (let done = 0; done < n;) {
      if (!this.ready) {
        const spare = this.#bytes;
        this.#hold(new Uint8Array());
        this.#hold((await this.stream.read(spare)) ?? this.#cut(n - done, label));
      }
      const size = Math.min(n - done, this.ready);
      const from = this.#advance(size);
      await write?.(done, this.#bytes.subarray(from, from + size));
      done += size;
    }
  }

  /** Drops the bytes that have arrived. */
  drop() {
    this.#hold(new Uint8Array());
  }

  /** Whether the file is at its end. */
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
