/**
 * Writes model files for tests, valid unless told otherwise: every field can be given a wrong
 * value.
 */
import { TYPES } from '../../../src/js/model/files/formats.js';

/** Numbers of the metadata types. */
export const VALUES = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
  i64: 11,
  f64: 12,
};

/** Bytes put together piece by piece. */
export class Bytes {
  parts = [];
  length = 0;

  raw(bytes) {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
  #number(size, set) {
    const bytes = new Uint8Array(size);
    set(new DataView(bytes.buffer));
    return this.raw(bytes);
  }
  u8 = (x) => this.#number(1, (v) => v.setUint8(0, x));
  i8 = (x) => this.#number(1, (v) => v.setInt8(0, x));
  u16 = (x) => this.#number(2, (v) => v.setUint16(0, x, true));
  i16 = (x) => this.#number(2, (v) => v.setInt16(0, x, true));
  u32 = (x) => this.#number(4, (v) => v.setUint32(0, x, true));
  i32 = (x) => this.#number(4, (v) => v.setInt32(0, x, true));
  f32 = (x) => this.#number(4, (v) => v.setFloat32(0, x, true));
  f64 = (x) => this.#number(8, (v) => v.setFloat64(0, x, true));
  u64 = (x) => this.#number(8, (v) => v.setBigUint64(0, BigInt.asUintN(64, BigInt(x)), true));
  i64 = (x) => this.#number(8, (v) => v.setBigInt64(0, BigInt(x), true));
  bool = (x) => this.u8(Number(x));
  /** `length` may lie. */
  string(x, length) {
    const bytes = typeof x === 'string' ? new TextEncoder().encode(x) : x;
    return this.u64(length ?? bytes.length).raw(bytes);
  }
  /** [element type, items], `length` may lie. */
  array([type, items], length) {
    this.u32(VALUES[type] ?? type).u64(length ?? items.length);
    for (const item of items) this[type](item);
    return this;
  }
  pad(alignment) {
    return this.raw(new Uint8Array((alignment - (this.length % alignment)) % alignment));
  }
  done() {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

/** The bytes of a tensor's data: as they are, or of numbers the float32 ones. */
const asBytes = (data) =>
  data instanceof Uint8Array
    ? data
    : data instanceof Float32Array
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : asBytes(Float32Array.from(data));

/**
 * The metadata type of a JavaScript value: text, truth, arrays of text or numbers, integers as u32,
 * others as f32.
 */
function typed(value) {
  if (value?.type) return value;
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (value instanceof Float32Array) return { type: 'array', value: ['f32', [...value]] };
  if (value instanceof Int32Array) return { type: 'array', value: ['i32', [...value]] };
  if (Array.isArray(value))
    return { type: 'array', value: [typeof value[0] === 'string' ? 'string' : 'f32', value] };
  return { type: Number.isInteger(value) && value >= 0 ? 'u32' : 'f32', value };
}

/**
 * A GGUF file.
 * @param {object} content
 * @param {Record<string, any> | [string, any][]} [content.metadata] values, or { type, value } with
 *   a name of VALUES; pairs may repeat a key
 * @param {{ name: string, type?: string | number, shape: number[], data?: any, offset?: number,
 *   dims?: any[] }[]} [content.tensors]
 *   `shape` row-major; `data` bytes, or numbers for F32 (default: zeros); `offset` and `dims` may
 *   lie
 * @param {number} [content.version]
 * @param {any} [content.tensorCount]
 * @param {any} [content.keyCount]
 * @param {number} [content.alignment] of the data
 */
export function writeGguf({
  metadata = {},
  tensors = [],
  version = 3,
  tensorCount,
  keyCount,
  alignment = 32,
}) {
  const pairs = Array.isArray(metadata) ? metadata : Object.entries(metadata);
  const out = new Bytes()
    .raw(new TextEncoder().encode('GGUF'))
    .u32(version)
    .u64(tensorCount ?? tensors.length)
    .u64(keyCount ?? pairs.length);
  for (const [key, given] of pairs) {
    const { type, value } = typed(given);
    out.string(key).u32(VALUES[type] ?? type);
    if (VALUES[type] !== undefined) out[type](value);
  }
  let place = 0;
  for (const { name, type = 'F32', shape, offset, dims = [...shape].reverse() } of tensors) {
    out.string(name).u32(dims.length);
    for (const size of dims) out.u64(size);
    out.u32(TYPES[type]?.id ?? type).u64(offset ?? place);
    place += Math.ceil(sizeOf(type, shape) / alignment) * alignment;
  }
  out.pad(alignment);
  for (const { type = 'F32', shape, data } of tensors) {
    const bytes = data ? asBytes(data) : new Uint8Array(sizeOf(type, shape));
    out.raw(bytes).pad(alignment);
  }
  return out.done();
}

const sizeOf = (type, shape) =>
  (shape.reduce((a, b) => a * b, 1) / (TYPES[type]?.block ?? 1)) * (TYPES[type]?.bytes ?? 4);

/**
 * A safetensors file.
 * @param {object} content
 * @param {{ name: string, dtype?: string, shape: number[], data?: any }[]} content.tensors `data`
 *   bytes, or numbers for F32 (default: zeros)
 * @param {Record<string, string>} [content.metadata]
 * @param {string} [content.header] in place of the right one
 * @param {any} [content.headerBytes] its length, may lie
 */
export function writeSafetensors({ tensors, metadata, header, headerBytes }) {
  const entries = metadata ? [['__metadata__', metadata]] : [];
  const data = [];
  let at = 0;
  for (const { name, dtype = 'F32', shape, data: given } of tensors) {
    const bytes = given ? asBytes(given) : new Uint8Array(sizeOf(dtype, shape));
    entries.push([name, { dtype, shape, data_offsets: [at, (at += bytes.length)] }]);
    data.push(bytes);
  }
  const text = new TextEncoder().encode(header ?? JSON.stringify(Object.fromEntries(entries)));
  const out = new Bytes().u64(headerBytes ?? text.length).raw(text);
  for (const bytes of data) out.raw(bytes);
  return out.done();
}
