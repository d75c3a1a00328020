/**
 * The right results, in plain JavaScript and double precision, with the tests' textbook attention.
 * It shares no code with the contenders. Large cases are checked on the first row of every head,
 * the last one and some that are chosen at random. So checking does not take longer than timing.
 */
import { reference as attention } from '../tests/support/reference.js';
import { random } from '../tests/support/random.js';
import { attentionGradient } from '../tests/support/train/attention-gradient.js';
import { seen } from './cases.js';

const ENOUGH = 3e7; // operations of one check
/** Of errors, which nothing here asks for. */
const RULE = { epsilon: 1, own: 0, steep: 0, tiny: 0 };

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
 * One row of one head, or of the gradient of the queries.
 * @param {import('./cases.js').Case} c
 * @param {import('./cases.js').Inputs} x
 */
function row(c, { q, k, v, dOutput }, h, i) {
  const { heads, kvHeads, m, n, d } = c;
  const g = Math.floor(h / (heads / kvHeads));
  const [first, last] = seen(c, i);
  const rows = (x, from, to) => x.subarray(from * d, to * d);
  const query = rows(q, h * m + i, h * m + i + 1);
  const keys = rows(k, g * n + first, g * n + last);
  const values = rows(v, g * n + first, g * n + last);
  if (dOutput) {
    const up = rows(dOutput, h * m + i, h * m + i + 1);
    return attentionGradient(query, keys, values, up, { headDim: d }, RULE).dq.value;
  }
  return attention(query, keys, values, { headDim: d }).output;
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
