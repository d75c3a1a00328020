/**
 * The other side of every statement: plain float64, textbook loops, nothing shared with the
 * kernels. The page shows these functions as they stand here, so each carries its explanation
 * inside.
 */

/**
 * One query of softmax attention, over the keys `visible` says it may read. At T = 0 the scores and
 * their condition are those before any temperature.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} keys (n, d)
 * @param {ArrayLike<number>} values (n, dv)
 * @param {{ n: number, d: number, dv: number, scale: number, T: number, visible?: (j: number) =>
 *   boolean }} shape
 */
export function attentionRow(q, keys, values, { n, d, dv, scale, T, visible = () => true }) {
  const z = new Float64Array(n).fill(-Infinity);
  const over = T === 0 ? 1 : T;
  // A: the largest sum of |terms| of a logit, on which its rounding error depends
  let condition = 0;
  for (let j = 0; j < n; j++) {
    if (!visible(j)) continue;
    let dot = 0;
    let size = 0;
    for (let c = 0; c < d; c++) {
      dot += q[c] * keys[j * d + c];
      size += Math.abs(q[c] * keys[j * d + c]);
    }
    z[j] = (dot * scale) / over;
    condition = Math.max(condition, (size * scale) / over);
  }
  // Shifting by the largest logit changes nothing and keeps exp from overflowing. Math.max passes
  // NaN on. At T = 0 the best keys share everything; at T = ∞ all logits are 0.
  let top = -Infinity;
  let sum = 0;
  for (let j = 0; j < n; j++) if (visible(j)) top = Math.max(top, z[j]);
  const weights = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    if (visible(j)) weights[j] = T === 0 ? Number(z[j] === top) : Math.exp(z[j] - top);
    sum += weights[j];
  }
  const lse = T === 0 && top !== 0 ? top * Infinity : top + Math.log(sum);
  const output = new Float64Array(dv);
  const mass = new Float64Array(dv); // mass: Σ p|v|, the scale of the output's rounding
  for (let j = 0; j < n; j++) {
    if (!visible(j)) continue;
    weights[j] /= sum;
    for (let c = 0; c < dv; c++) {
      output[c] += weights[j] * values[j * dv + c];
      mass[c] += weights[j] * Math.abs(values[j * dv + c]);
    }
  }
  return { weights, output, mass, condition, lse, z, top };
}

/**
 * The mean of some values, each counted by its weight. Weights add up to 1, so nothing is divided.
 * @param {ArrayLike<number>} weights (n)
 * @param {ArrayLike<number>} values (n, dv)
 */
export function meanOf(weights, values) {
  const n = weights.length;
  const dv = values.length / n;
  const mean = new Float64Array(dv);
  const mass = new Float64Array(dv); // mass: Σ p|v|, the scale of the rounding
  for (let j = 0; j < n; j++) {
    for (let c = 0; c < dv; c++) {
      mean[c] += weights[j] * values[j * dv + c];
      mass[c] += weights[j] * Math.abs(values[j * dv + c]);
    }
  }
  return { mean, mass };
}

/**
 * One query of Gaussian smoothing: weights from distances alone.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} keys (n, d)
 * @param {ArrayLike<number>} values (n, dv)
 * @param {{ n: number, d: number, dv: number, T: number, restoreKeyNorm: boolean }} shape
 */
export function gaussianRow(q, keys, values, { n, d, dv, T, restoreKeyNorm }) {
  const sigma2 = T * Math.sqrt(d);
  const exponent = new Float64Array(n);
  const bell = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    let distance2 = 0;
    let norm2 = 0;
    for (let c = 0; c < d; c++) {
      distance2 += (q[c] - keys[j * d + c]) ** 2;
      norm2 += keys[j * d + c] ** 2;
    }
    bell[j] = Math.exp(-distance2 / (2 * sigma2));
    exponent[j] = (restoreKeyNorm ? norm2 - distance2 : -distance2) / (2 * sigma2);
  }
  let top = -Infinity;
  let sum = 0;
  let rowConstant = 0;
  for (let j = 0; j < n; j++) top = Math.max(top, exponent[j]);
  const weights = exponent.map((x) => Math.exp(x - top));
  for (let j = 0; j < n; j++) {
    sum += weights[j];
    // the divisor of this row's weights, when no key norm is involved
    rowConstant += bell[j];
  }
  const output = new Float64Array(dv);
  for (let j = 0; j < n; j++) {
    weights[j] /= sum;
    for (let c = 0; c < dv; c++) output[c] += weights[j] * values[j * dv + c];
  }
  return { weights, output, bell, rowConstant, sigma2 };
}

/**
 * Gaussian weights of one query as a textbook writes them, without shifting the exponents first. In
 * single precision every step is rounded to float32.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} keys (n, d)
 * @param {{ n: number, d: number, sigma2: number, restore: boolean, single: boolean }} shape
 */
export function bareRow(q, keys, { n, d, sigma2, restore, single }) {
  const round = single ? Math.fround : Number;
  const weights = new Float64Array(n);
  let largest = -Infinity;
  let sum = 0;
  for (let j = 0; j < n; j++) {
    let exponent = 0;
    for (let c = 0; c < d; c++) {
      exponent -= (q[c] - keys[j * d + c]) ** 2;
      if (restore) exponent += keys[j * d + c] ** 2;
    }
    exponent /= 2 * sigma2;
    largest = Math.max(largest, exponent);
    // far from every key all of these are 0, and the row is 0/0
    weights[j] = round(Math.exp(exponent));
    sum = round(sum + weights[j]);
  }
  for (let j = 0; j < n; j++) weights[j] = round(weights[j] / sum);
  return { weights, largest };
}

/**
 * Which keys query i may read: none after its own position if causal, none more than `reach`
 * positions away.
 * @param {number} i
 * @param {number} j
 * @param {{ causal: boolean, reach: number }} mask
 */
export function mayRead(i, j, { causal, reach }) {
  if (causal && j > i) return false;
  return Math.abs(i - j) <= reach;
}

/**
 * How many entries of two float32 arrays differ in any bit. Two NaN count as equal: their bits
 * carry no meaning.
 * @param {Float32Array} a
 * @param {Float32Array} b
 */
export function bitsThatDiffer(a, b) {
  const x = new Uint32Array(a.buffer, a.byteOffset, a.length);
  const y = new Uint32Array(b.buffer, b.byteOffset, b.length);
  let different = Math.abs(x.length - y.length);
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    if (x[at] !== y[at] && !(Number.isNaN(a[at]) && Number.isNaN(b[at]))) different++;
  }
  return different;
}
