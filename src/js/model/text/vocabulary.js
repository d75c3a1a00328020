import { integer } from '../../check.js';
import { utf8Decoder, utf8Encoder } from '../../engine/utf8.js';
import { refuse } from '../../errors.js';

/**
 * The token of each id, and how ids become text again. A text is the bytes of its tokens one after
 * the other. Decoding in pieces gives the same as decoding the whole, and no piece ends inside a
 * character.
 */

/** Kinds of tokens, by the numbers GGUF has for them. */
export const NORMAL = 1;
export const UNKNOWN = 2;
export const CONTROL = 3;
export const USER = 4;
export const UNUSED = 5;
export const BYTE = 6;

/** The space of SentencePiece: computed, or minifiers write the character itself. */
export const SPACE = String.fromCharCode(...Uint16Array.of(0x2581));

/**
 * Byte-level vocabularies write the 256 bytes as 256 printable characters: Latin-1 where it is
 * printable, and 0x100 onwards for the rest, in order (Radford et al., GPT-2).
 */
const BYTE_CHARS = Array.from({ length: 256 }, (_, byte) =>
  (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad) ? byte : -1,
);
{
  let next = 0x100;
  BYTE_CHARS.forEach((char, byte) => char < 0 && (BYTE_CHARS[byte] = next++));
}
const BYTE_OF = new Map(BYTE_CHARS.map((char, byte) => [char, byte]));

/** Bytes as a byte-level vocabulary writes them. @param {Uint8Array} bytes */
export function written(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(BYTE_CHARS[byte]);
  return text;
}

/** The bytes that a token of a byte-level vocabulary stands for. @param {string} text */
function bytesWritten(text) {
  const bytes = [];
  for (const c of text) {
    const byte = BYTE_OF.get(/** @type {number} */ (c.codePointAt(0)));
    if (byte === undefined) bytes.push(...utf8Encoder().encode(c));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** @param {number} byte */
export const byteToken = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** The byte of <0x00> … <0xFF>, −1 of anything else. @param {string} text */
export const byteOf = (text) =>
  /^<0x[\dA-F]{2}>$/.test(text) ? parseInt(text.slice(3, 5), 16) : -1;

/**
 * An id for every row of the embedding. Models have more rows than tokens, to round their sizes,
 * and may choose any of them.
 * @param {string[]} texts
 * @param {Uint8Array} kinds
 * @param {number} [rows] of the embedding, where there is one
 * @returns {[string[], Uint8Array]}
 */
export function filledUp(texts, kinds, rows = texts.length) {
  if (texts.length > rows)
    refuse(
      'FORMAT',
      'the vocabulary',
      `${texts.length} tokens`,
      `at most ${rows}, the rows of the embedding`,
    );
  const all = new Uint8Array(rows).fill(UNUSED);
  all.set(kinds);
  return [Array.from({ length: rows }, (_, id) => texts[id] ?? ''), all];
}

export class Vocabulary {
  /** @type {(Uint8Array | undefined)[]} */
  #bytes = [];

  /**
   * @param {readonly string[]} texts of the tokens
   * @param {Uint8Array} kinds of the tokens
   * @param {{ byteLevel: boolean, stripsSpace: boolean }} way whether bytes are written as
   *   characters, else words begin with ▁; and
   *   whether the first space of a text is the vocabulary's own
   */
  constructor(texts, kinds, way) {
    this.texts = texts;
    this.kinds = kinds;
    this.way = way;
  }

  get size() {
    return this.texts.length;
  }

  /** @param {unknown} id */
  token(id) {
    return this.texts[integer('id', id, 0, this.size - 1)];
  }

  /** @param {unknown} given @param {boolean} special @returns {Uint8Array} */
  bytes(given, special) {
    const text = this.token(given);
    const id = /** @type {number} */ (given);
    const kind = this.kinds[id];
    if (kind === CONTROL || kind === UNKNOWN)
      return special ? utf8Encoder().encode(text) : new Uint8Array();
    return (this.#bytes[id] ??=
      kind === BYTE
        ? Uint8Array.of(byteOf(text))
        : this.way.byteLevel
          ? kind === USER
            ? utf8Encoder().encode(text)
            : bytesWritten(text)
          : utf8Encoder().encode(text.replaceAll(SPACE, ' ')));
  }

  /**
   * @param {import('../types.d.ts').DecodeOptions} [options]
   * @returns {import('../types.d.ts').TextStream}
   */
  stream({ special = false, continued = false } = {}) {
    const decoder = utf8Decoder({ ignoreBOM: true });
    let strip = this.way.stripsSpace && !continued;
    return {
      push: (id) => {
        const bytes = this.bytes(id, special);
        const from = strip && bytes[0] === 0x20 ? 1 : 0;
        if (bytes.length) strip = false;
        return decoder.decode(bytes.subarray(from), { stream: true });
      },
      end: () => decoder.decode(),
    };
  }

  /**
   * The whole text at once.
   * @param {unknown[]} ids
   * @param {import('../types.d.ts').DecodeOptions} [options]
   */
  decode(ids, { special = false, continued = false } = {}) {
    const pieces = ids.map((id) => this.bytes(id, special));
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return utf8Decoder({ ignoreBOM: true }).decode(
      all.subarray(this.way.stripsSpace && !continued && all[0] === 0x20 ? 1 : 0),
    );
  }
}
