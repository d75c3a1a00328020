/**
 * Matrices of weights and their products, by the C functions of weights.h, and the allowed error of
 * a product.
 */
import { TYPES, isFloat, readRow } from './models/blocks.js';

/** A matrix in a module's memory. @param {import('./kernels.js').Kernels} k */
export function matrix(k, name, data, rows, columns) {
  const { type } = TYPES[name];
  const w = k.allocate(k.c.attn_matrix_bytes(type, rows, columns));
  const status =
    k.c.attn_matrix_init(w, type, rows, columns) ||
    k.c.attn_matrix_pack(w, type, k.copy(data), 0, rows);
  if (status) throw new Error(`status ${status}`);
  return w;
}

/** A row as float32. */
export const rowOf = (k, w, row, columns) =>
  k.scope(() => {
    const out = k.allocate(4 * columns);
    k.c.attn_matrix_row(w, row, out);
    return k.read(Float32Array, out, columns);
  });

/** x·Wᵀ, (m, rows), the outputs shared out between the splits; other outputs stay 0. */
export function multiply(k, name, w, x, m, rows, splits = [[0, rows]]) {
  return k.scope(() => {
    const { type } = TYPES[name];
    const columns = x.length / m;
    const out = k.allocate(4 * m * rows);
    const prepared = k.allocate(k.c.attn_multiply_prepared_bytes(type, m, columns));
    k.c.attn_multiply_prepare(prepared, k.copy(x), 0, m, columns, type);
    for (const [first, end] of splits) k.c.attn_multiply(out, rows, w, prepared, m, first, end);
    return k.read(Float32Array, out, m * rows);
  });
}

/** The integer nearest to a float32, ties to even. */
const toEven = (x) => {
  const low = Math.floor(x);
  const rest = x - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
};

/**
 * An input as quantised weights see it: in blocks of 32, d = max|x|/127, q = x·(127/max|x|) to the
 * nearest.
 */
export function quantized(x) {
  const values = new Float64Array(x.length);
  const steps = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += 32) {
    const part = x.subarray(at, at + 32);
    const largest = part.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    if (largest <= Math.fround(2e-36)) continue;
    const d = Math.fround(largest / 127);
    const inverse = Math.fround(127 / largest);
    part.forEach((y, i) => (values[at + i] = d * toEven(Math.fround(y * inverse))));
    steps.fill(d, at, at + 32);
  }
  return { values, steps };
}

const UNIT = 2 ** -24;

/**
 * One output in float64, and by how much the kernel's may differ.
 *
 * Floats: chains of 32 products, then a sum of the chains: u·(32 + chains + 1)·Σ|x·w|. Quantised: x
 * is off by at most half a step (and the rounding of d and 127/max, 4u·127 steps), so `quantum` =
 * Σ_blocks d·(½ + 2⁻¹⁵)·Σ|w|; the rest is rounding. A block has four operations on its sum: times
 * d, plus the part of m, times dx, and m itself. With the sum of the blocks: u·(blocks +
 * 5)·Σ|terms|. `exact` is the sum over the inputs as quantised, which is to be hit up to that
 * rounding alone. Underflow loses at most 2⁻¹⁴⁹ each time.
 */
export function expected(name, x, row, seen = isFloat(name) ? undefined : quantized(x)) {
  const { values, sizes } = row;
  const columns = x.length;
  let truth = 0;
  let size = 0;
  if (isFloat(name)) {
    for (let c = 0; c < columns; c++)
      ((truth += x[c] * values[c]), (size += Math.abs(x[c] * values[c])));
    const rounding = UNIT * (33 + Math.ceil(columns / 32)) * size + columns * 2 ** -149;
    return { truth, exact: truth, rounding, allowed: rounding };
  }
  let exact = 0;
  let quantum = 0;
  let magnitude = 0;
  for (let c = 0; c < columns; c++) {
    truth += x[c] * values[c];
    exact += seen.values[c] * values[c];
    quantum +=
      (seen.steps[c] * (0.5 + 2 ** -15) + 2e-36 * Number(seen.steps[c] === 0)) *
      Math.abs(values[c]);
    magnitude += Math.abs(seen.values[c]) * sizes[c];
  }
  const rounding = UNIT * (columns / 32 + 5) * magnitude + (columns / 32) * 2 ** -149;
  return { truth, exact, rounding, allowed: quantum + rounding };
}

/** Every row of a file's rows. */
export const readRows = (name, data, rows, columns) =>
  Array.from({ length: rows }, (_, row) => readRow(name, data, row, columns));
