/**
 * UTF-8 for places without TextDecoder and TextEncoder, as audio worklets (WHATWG, Encoding, 8.1).
 */

const REPLACEMENT = 0xfffd;
const BYTE_ORDER_MARK = 0xfeff;

/** As TextDecoder, for its options here. */
export class Utf8Decoder {
  #fatal;
  #ignoreBOM;
  /** Bytes of a character that are still to come. */
  #missing = 0;
  #code = 0;
  /** The next byte of a character lies between these. */
  #lower = 0x80;
  #upper = 0xbf;
  #atStart = true;

  /** @param {TextDecoderOptions} options */
  constructor({ fatal = false, ignoreBOM = false }) {
    this.#fatal = fatal;
    this.#ignoreBOM = ignoreBOM;
  }

  /** @param {Uint8Array} [bytes] @param {TextDecodeOptions} [options] */
  decode(bytes = new Uint8Array(), { stream = false } = {}) {
    /** @type {number[]} */
    const codes = [];
    for (const byte of bytes) {
      if (this.#missing && (byte < this.#lower || byte > this.#upper)) this.#fail(codes);
      if (this.#missing) this.#continue(byte, codes);
      else this.#begin(byte, codes);
    }
    if (!stream && this.#missing) this.#fail(codes);
    if (this.#atStart && codes.length) {
      if (codes[0] === BYTE_ORDER_MARK && !this.#ignoreBOM) codes.shift();
      this.#atStart = false;
    }
    if (!stream) this.#atStart = true;
    let text = '';
    for (let at = 0; at < codes.length; at += 4096)
      text += String.fromCodePoint(...codes.slice(at, at + 4096));
    return text;
  }

  /** @param {number[]} codes */
  #fail(codes) {
    this.#missing = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
    if (this.#fatal) throw new TypeError('not UTF-8');
    codes.push(REPLACEMENT);
  }

  /** @param {number} byte @param {number[]} codes */
  #begin(byte, codes) {
    if (byte < 0x80) return void codes.push(byte);
    if (byte < 0xc2 || byte > 0xf4) return this.#fail(codes);
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#code = byte & (0x3f >> this.#missing);
    // no character in more bytes than it needs, no half of a surrogate pair, none beyond U+10FFFF
    if (byte === 0xe0) this.#lower = 0xa0;
    if (byte === 0xed) this.#upper = 0x9f;
    if (byte === 0xf0) this.#lower = 0x90;
    if (byte === 0xf4) this.#upper = 0x8f;
  }

  /** @param {number} byte @param {number[]} codes */
  #continue(byte, codes) {
    this.#lower = 0x80;
    this.#upper = 0xbf;
    this.#code = (this.#code << 6) | (byte & 0x3f);
    this.#missing -= 1;
    if (!this.#missing) codes.push(this.#code);
  }
}

/** The bytes of a text; half a surrogate pair becomes U+FFFD. @param {string} text */
export function encodeUtf8(text) {
  const bytes = [];
  for (const character of text) {
    const point = /** @type {number} */ (character.codePointAt(0));
    const code = point >= 0xd800 && point < 0xe000 ? REPLACEMENT : point;
    if (code < 0x80) bytes.push(code);
    else {
      const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      bytes.push(((0xff80 >> more) & 0xff) | (code >> (6 * more)));
      for (let i = more - 1; i >= 0; i--) bytes.push(0x80 | ((code >> (6 * i)) & 0x3f));
    }
  }
  return Uint8Array.from(bytes);
}

/** @param {TextDecoderOptions} options */
export const utf8Decoder = (options) =>
  typeof TextDecoder === 'function' ? new TextDecoder('utf-8', options) : new Utf8Decoder(options);

/** @type {{ encode(text: string): Uint8Array<ArrayBuffer> } | undefined} */
let encoder;
export const utf8Encoder = () =>
  (encoder ??= typeof TextEncoder === 'function' ? new TextEncoder() : { encode: encodeUtf8 });
