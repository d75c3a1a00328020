import { TYPES } from '../../model/files/formats.js';
import { refuse } from '../../errors.js';

/**
 * Numbers as model files store them. All types are little-endian, as the memory of every engine.
 * @typedef {'F32' | 'F16' | 'Q8_0'} SavedType
 */

/** Floats and their bits. */
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The bits of the nearest float16, ties to even. @param {number} x */
export function toHalf(x) {
  float[0] = x;
  const sign = (bits[0] >>> 16) & 0x8000;
  const rest = bits[0] & 0x7fffffff;
  if (rest > 0x7f800000) return sign | 0x7e00; // NaN
  if (rest >= 0x477ff000) return sign | 0x7c00; // 65520 and above become infinite
  if (rest < 0x38800000) {
    // Subnormal halves are multiples of 2^-24. Adding 0.5 to the float rounds to one.
    float[0] = Math.abs(x) + 0.5;
    return sign | (bits[0] - 0x3f000000);
  }
  return sign | ((rest - 0x38000000 + 0xfff + ((rest >>> 13) & 1)) >>> 13);
}

/**
 * The bytes of a tensor in a file.
 * @param {SavedType} type
 * @param {{ name: string, shape: readonly number[], data: Float32Array }} tensor
 * @returns {Uint8Array}
 */
export function encode(type, { name, shape, data }) {
  if (type === 'F32') return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  if (type === 'F16') return new Uint8Array(Uint16Array.from(data, halfOf(name)).buffer);
  const columns = shape[shape.length - 1];
  if (columns % TYPES.Q8_0.block)
    refuse('SHAPE', `a row of ${name}`, `${columns} long`, 'a multiple of 32 for Q8_0');
  return quantized(name, data);
}

/** Refuses numbers that float16 does not have. @param {string} name */
const halfOf = (name) => (/** @type {number} */ x) => {
  const half = toHalf(x);
  return (half & 0x7fff) === 0x7c00 && Number.isFinite(x)
    ? refuse('RANGE', `a number of ${name}`, x, 'a size up to 65504 for float16')
    : half;
};

/**
 * Blocks of 32 bytes and a float16 scale, as quantize_row_q8_0_ref of ggml makes them, in float32.
 * @param {string} name
 * @param {Float32Array} data
 */
function quantized(name, data) {
  const { block, bytes } = TYPES.Q8_0;
  const all = new Uint8Array((data.length / block) * bytes);
  const view = new DataView(all.buffer);
  for (let from = 0, at = 0; from < data.length; from += block, at += bytes) {
    let max = 0;
    for (let i = 0; i < block; i++) {
      const size = Math.abs(data[from + i]);
      if (!Number.isFinite(size))
        refuse('RANGE', `a number of ${name}`, data[from + i], 'a finite one for Q8_0');
      max = Math.max(max, size);
    }
    const scale = Math.fround(max / 127);
    const inverse = scale ? Math.fround(1 / scale) : 0;
    view.setUint16(at, halfOf(`the scales of ${name}`)(scale), true);
    for (let i = 0; i < block; i++) {
      const x = Math.fround(data[from + i] * inverse);
      // halves are rounded away from zero, as roundf does
      view.setInt8(at + 2 + i, Math.sign(x) * Math.floor(Math.abs(x) + 0.5));
    }
  }
  return all;
}
