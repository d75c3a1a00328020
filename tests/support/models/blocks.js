/**
 * Weight formats as ggml describes them, written plainly: random rows as a file would hold them,
 * and their values in float64. Shares nothing with src/c.
 */

/** A float16 as a number. @param {number} h */
export function half(h) {
  const exponent = (h >> 10) & 31;
  const fraction = h & 1023;
  const sign = h & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return (
    sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : (fraction / 1024) * 2 ** -14)
  );
}

/**
 * The nearest float16 to x, ties to even: by trying the neighbours of an estimate.
 * @param {number} x
 */
export function toHalf(x) {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const a = Math.abs(x);
  if (a !== a) return 0x7e00;
  if (a >= 65520) return sign | 0x7c00;
  let low = 0;
  let high = 0x7c00;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (half(middle) <= a) low = middle;
    else high = middle;
  }
  const below = a - half(low);
  const above = (high === 0x7c00 ? 65536 : half(high)) - a;
  return sign | (below < above || (below === above && !(low & 1)) ? low : high);
}

const signed = (byte) => (byte << 24) >> 24;
const nibble = (bytes, at, high) => (high ? bytes[at] >> 4 : bytes[at] & 15);
const two = (b, at) => half(b[at] | (b[at + 1] << 8));
const bit = (bytes, from, i) => (bytes[from + (i >> 3)] >> (i & 7)) & 1;

/** s and t of part p of Q4_K and Q5_K, from the twelve bytes at `at`. */
function sixBits(b, at, p) {
  if (p < 4) return [b[at + p] & 63, b[at + 4 + p] & 63];
  return [
    (b[at + 4 + p] & 15) | ((b[at + p - 4] >> 6) << 4),
    (b[at + 4 + p] >> 4) | ((b[at + p] >> 6) << 4),
  ];
}

/**
 * Value i of block b, or the two terms of which it is the sum. Every product and sum here is exact
 * in float64.
 */
const values = {
  F32: (b) => new DataView(b.buffer, b.byteOffset).getFloat32(0, true),
  F16: (b) => two(b, 0),
  BF16: (b) => new Float32Array(Uint32Array.of((b[0] << 16) | (b[1] << 24)).buffer)[0],
  Q4_0: (b, i) => two(b, 0) * (nibble(b, 2 + (i % 16), i >= 16) - 8),
  Q4_1: (b, i) => [two(b, 0) * nibble(b, 4 + (i % 16), i >= 16), two(b, 2)],
  Q5_0: (b, i) => two(b, 0) * (nibble(b, 6 + (i % 16), i >= 16) + 16 * bit(b, 2, i) - 16),
  Q5_1: (b, i) => [two(b, 0) * (nibble(b, 8 + (i % 16), i >= 16) + 16 * bit(b, 4, i)), two(b, 2)],
  Q8_0: (b, i) => two(b, 0) * signed(b[2 + i]),
  Q4_K: (b, i) => {
    const p = i >> 5;
    const [s, t] = sixBits(b, 4, p);
    return [two(b, 0) * s * nibble(b, 16 + 32 * (p >> 1) + (i & 31), p & 1), -two(b, 2) * t];
  },
  Q5_K: (b, i) => {
    const p = i >> 5;
    const [s, t] = sixBits(b, 4, p);
    const high = (b[16 + (i & 31)] >> p) & 1;
    return [
      two(b, 0) * s * (nibble(b, 48 + 32 * (p >> 1) + (i & 31), p & 1) + 16 * high),
      -two(b, 2) * t,
    ];
  },
  Q6_K: (b, i) => {
    const side = i >> 7;
    const part = (i >> 5) & 3;
    const l = i & 31;
    const high = (b[128 + 32 * side + l] >> (2 * part)) & 3;
    const q = nibble(b, 64 * side + 32 * (part & 1) + l, part >= 2) + 16 * high - 32;
    return two(b, 208) * signed(b[192 + (i >> 4)]) * q;
  },
};

/** Number in the file, bytes and columns of a block, and where its float16 scales stand. */
export const TYPES = {
  F32: { type: 0, bytes: 4, block: 1, halves: [] },
  F16: { type: 1, bytes: 2, block: 1, halves: [] },
  Q4_0: { type: 2, bytes: 18, block: 32, halves: [0] },
  Q4_1: { type: 3, bytes: 20, block: 32, halves: [0, 2] },
  Q5_0: { type: 6, bytes: 22, block: 32, halves: [0] },
  Q5_1: { type: 7, bytes: 24, block: 32, halves: [0, 2] },
  Q8_0: { type: 8, bytes: 34, block: 32, halves: [0] },
  Q4_K: { type: 12, bytes: 144, block: 256, halves: [0, 2] },
  Q5_K: { type: 13, bytes: 176, block: 256, halves: [0, 2] },
  Q6_K: { type: 14, bytes: 210, block: 256, halves: [208] },
  BF16: { type: 30, bytes: 2, block: 1, halves: [] },
};

export const isFloat = (name) => TYPES[name].block === 1;

/**
 * Rows as a file has them: random bits, with scales of a trained model's size unless `scales` gives
 * others (one call each).
 * @param {string} name
 * @param {ReturnType<typeof import('../random.js').random>} r
 */
export function randomRows(name, r, rows, columns, scales = () => toHalf(r.normal() * 0.01)) {
  const { bytes, block, halves } = TYPES[name];
  const count = (rows * columns) / block;
  const data = new Uint8Array(count * bytes);
  const view = new DataView(data.buffer);
  for (let x = 0; x < count; x++) {
    const at = x * bytes;
    if (name === 'F32') view.setFloat32(at, r.normal() * 0.05, true);
    else if (name === 'F16') view.setUint16(at, toHalf(r.normal() * 0.05), true);
    else if (name === 'BF16')
      view.setUint16(
        at,
        new Uint32Array(Float32Array.of(r.normal() * 0.05).buffer)[0] >>> 16,
        true,
      );
    else for (let i = 0; i < bytes; i++) data[at + i] = r.integer(0, 255);
    for (const h of halves) view.setUint16(at + h, scales(), true);
  }
  return data;
}

/** A row's values, and how large the terms are of which each is the sum. */
export function readRow(name, data, row, columns) {
  const { bytes, block } = TYPES[name];
  const valueOf = values[name];
  const found = { values: new Float64Array(columns), sizes: new Float64Array(columns) };
  for (let c = 0, at = ((row * columns) / block) * bytes; c < columns; at += bytes) {
    const part = data.subarray(at, at + bytes);
    for (let i = 0; i < block; i++, c++) {
      const x = valueOf(part, i);
      const [a, b] = typeof x === 'number' ? [x, 0] : x;
      found.values[c] = a + b;
      found.sizes[c] = Math.abs(a) + Math.abs(b);
    }
  }
  return found;
}
