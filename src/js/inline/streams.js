/**
 * A wasm file, step by step. Each byte of its code belongs to one of several streams: one has the
 * instructions, another the numbers of local variables, and so on. A stream is more like itself
 * than the whole file is, so a packer makes less of it.
 *
 * Source: WebAssembly Core Specification 2.0, section 5.4, and the proposal for threads.
 */

export const STREAMS = 10;

/** All but code; the beginnings of functions; instructions, with the alignment of addresses. */
const [REST, HEAD, CODE] = [0, 1, 2];
/** Numbers of local variables, added offsets of addresses, and integers. */
const [LOCAL, OFFSET, CONSTANT] = [3, 4, 5];
/** Floats and vectors, depths of branches, numbers of functions, and all others. */
const [FIXED, BRANCH, CALL, OTHER] = [6, 7, 8, 9];

const CODE_SECTION = 10;
const [BRANCH_TABLE, CALL_INDIRECT, F32, F64] = [0x0e, 0x11, 0x43, 0x44];
const [MEMORY, VECTOR, ATOMIC] = [0xfc, 0xfd, 0xfe];
/**
 * Bytes behind the instructions that initialise, copy and fill memory.
 * @type {Record<number, number>}
 */
const OF_MEMORY = { 8: 2, 10: 2, 11: 1 };

/** By instruction, the stream of the only number behind it; 0 where that is not all. */
const NUMBER = new Uint8Array(256)
  .fill(OTHER, 0x02, 0x05) // block, loop, if
  .fill(BRANCH, 0x0c, 0x0e)
  .fill(CALL, 0x10, 0x11)
  .fill(LOCAL, 0x20, 0x23)
  .fill(OTHER, 0x23, 0x25) // global variables
  .fill(OTHER, 0x3f, 0x41) // the size of memory
  .fill(CONSTANT, 0x41, 0x43);

class Walk {
  /** @param {(stream: number) => number} next the next byte of a stream */
  constructor(next) {
    this.next = next;
    this.at = 0;
  }

  /** @param {number} stream */
  byte(stream) {
    this.at++;
    return this.next(stream);
  }

  /** @param {number} stream @param {number} count */
  bytes(stream, count) {
    for (; count > 0; count--) this.byte(stream);
  }

  /** A number in LEB128. @param {number} stream */
  number(stream) {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(stream);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  address() {
    this.number(CODE);
    this.number(OFFSET);
  }

  instruction() {
    const code = this.byte(CODE);
    if (NUMBER[code] > 0) this.number(NUMBER[code]);
    else if (code >= 0x28 && code <= 0x3e) this.address();
    else if (code === VECTOR) this.vector(this.number(CODE));
    else if (code === F32) this.bytes(FIXED, 4);
    else if (code === F64) this.bytes(FIXED, 8);
    else if (code === ATOMIC) this.atomic(this.number(CODE));
    else if (code === MEMORY) this.bytes(OTHER, OF_MEMORY[this.byte(CODE)] ?? 0);
    else if (code === CALL_INDIRECT) this.bytes(OTHER, 2);
    else if (code === BRANCH_TABLE)
      for (let n = this.number(BRANCH); n >= 0; n--) this.number(BRANCH);
  }

  /** @param {number} code */
  vector(code) {
    if (code <= 11 || code === 92 || code === 93) this.address();
    else if (code === 12 || code === 13) this.bytes(FIXED, 16);
    else if (code >= 21 && code <= 34) this.byte(OTHER);
    else if (code >= 84 && code <= 91) {
      this.address();
      this.byte(OTHER);
    }
  }

  /** @param {number} code */
  atomic(code) {
    if (code === 3) this.byte(OTHER);
    else this.address();
  }

  body() {
    const size = this.number(HEAD);
    const end = this.at + size;
    for (let kinds = this.number(HEAD); kinds > 0; kinds--) {
      this.number(HEAD);
      this.byte(HEAD);
    }
    while (this.at < end) this.instruction();
  }

  /** @param {number} length of the file */
  file(length) {
    this.bytes(REST, 8);
    while (this.at < length) {
      const section = this.byte(REST);
      const size = this.number(REST);
      if (section !== CODE_SECTION) this.bytes(REST, size);
      else for (let bodies = this.number(REST); bodies > 0; bodies--) this.body();
    }
  }
}

/**
 * Goes through a file, and takes each of its bytes from a stream. It needs only the bytes that are
 * taken, so it can split a file, and it can join one of its streams.
 * @param {number} length of the file
 * @param {(stream: number) => number} next the next byte of a stream, from 0 to STREAMS
 */
export function walk(length, next) {
  new Walk(next).file(length);
}
