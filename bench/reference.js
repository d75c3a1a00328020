/**
 * The right results, in plain JavaScript and double precision. It shares no code with the
 * contenders. Large cases are checked on rows of every head that are chosen at random, and on the
 * first and the last one. So checking does not take longer than timing.
 */
import { random } from '../tests/support/random.js';
import { seen } from './cases.js';

const ENOUGH = 1e8; // operations of one check

/**
 * One row of a product.
 * @param {import('./cases.js').Case} c
 * @param {{ q: Float32Array, k: Float32Array }} x
 */
function product({ n, d }, { q, k }, i) {
  const output = new Float64Array(d);
  for (let r = 0; r < d; r++) for (let c = 0; c < n; c++) output[r] += q[i * n + c] * k[r * n + c];
  return output;
}

/**
 * One row of one head.
 * @param {import('./cases.js').Case} c
 * @param {{ q: Float32Array, k: Float32Array, v: Float32Array }} x
 */
function row({ heads, kvHeads, m, n, d, ...rest }, { q, k, v }, h, i) {
  const g = Math.floor(h / (heads / kvHeads));
  const [first, last] = seen({ heads, kvHeads, m, n, d, ...rest }, i);
  const weights = new Float64Array(last - first);
  const output = new Float64Array(d);
  for (let j = first; j < last; j++)
    for (let c = 0, a = (h * m + i) * d, b = (g * n + j) * d; c < d; c++)
      weights[j - first] += (q[a + c] * k[b + c]) / Math.sqrt(d);
  const top = weights.reduce((a, b) => Math.max(a, b), -Infinity);
  let sum = 0;
  for (let j = 0; j < weights.length; j++) sum += weights[j] = Math.exp(weights[j] - top);
  for (let j = first; j < last; j++)
    for (let c = 0, b = (g * n + j) * d; c < d; c++)
      output[c] += (weights[j - first] / sum) * v[b + c];
  return output;
}

/**
 * @returns {{ at: number, output: Float64Array }[]} rows and where they begin in an output (heads,
 *   m, d)
 */
export function reference(c, inputs) {
  const { heads, m, n, d } = c;
  const r = random(m + n);
  const each = Math.floor(ENOUGH / (4 * heads * n * d));
  const rows = [];
  for (let h = 0; h < heads; h++) {
    const chosen = new Set(m <= each ? Array.from({ length: m }, (_, i) => i) : [0, m - 1]);
    while (chosen.size < Math.min(m, each)) chosen.add(r.integer(0, m - 1));
    for (const i of chosen)
      rows.push({
        at: (h * m + i) * d,
        output: c.section === 'matmul' ? product(c, inputs, i) : row(c, inputs, h, i),
      });
  }
  return rows;
}

/**
 * Relative error (root of mean squares) of an output (heads, m, d); throws if any of it, checked
 * rows or not, is no number.
 */
export function relativeError(output, rows, length) {
  if (output.length !== length)
    throw new Error(`wrong: ${output.length} numbers instead of ${length}`);
  for (const x of output) if (!Number.isFinite(x)) throw new Error(`wrong: ${x} in the output`);
  let error = 0;
  let size = 0;
  for (const { at, output: right } of rows)
    for (let c = 0; c < right.length; c++) {
      error += (output[at + c] - right[c]) ** 2;
      size += right[c] ** 2;
    }
  return Math.sqrt(error / size);
}
