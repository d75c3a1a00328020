/**
 * The other side of every statement: plain float64, textbook loops, nothing shared with the
 * kernels. The page shows these functions as they stand here, so each carries its explanation
 * inside.
 */

/**
 * One query of softmax attention, over the keys `visible` says it may read.
 * @param {ArrayLike<number>} q (d)
 * @param {ArrayLike<number>} keys (n, d)
 * @param {ArrayLike<number>} values (n, dv)
 * @param {{ n: number, d: number, dv: number, scale: number, T: number, visible?: (j: number) =>
 *   boolean }} shape
 */
export function attentionRow(q, keys, values, { n, d, dv, scale, T, visible = () => true }) {
  const z = new Float64Array(n).fill(-Infinity);
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
    z[j] = (dot * scale) / T;
    condition = Math.max(condition, (size * scale) / T);
  }
  // Shifting by the largest logit changes nothing and keeps exp from overflowing. Math.max passes
  // NaN on.
  let top = -Infinity;
  let sum = 0;
  for (let j = 0; j < n; j++) if (visible(j)) top = Math.max(top, z[j]);
  const weights = new Float64Array(n);
  for (let j = 0; j < n; j++) if (visible(j)) sum += weights[j] = Math.exp(z[j] - top);
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
  return { weights, output, mass, condition };
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
 * The most rewarding weights within a budget: maximise ⟨p, scores⟩ subject to KL(p‖uniform) ≤ rho.
 * It is told the budget, never the temperature.
 * @param {ArrayLike<number>} scores (n)
 * @param {number} rho nats
 */
export function budgetWeights(scores, rho) {
  const n = scores.length;
  const best = Math.max(...Array.from(scores));
  // The optimum is exponential in the scores with some multiplier β; KL grows with β, so bisect for
  // the β that spends rho.
  const spend = (/** @type {number} */ beta) => {
    const p = Array.from(scores, (z) => Math.exp(beta * (z - best)));
    const total = p.reduce((a, b) => a + b);
    let kl = 0;
    for (let j = 0; j < n; j++) {
      p[j] /= total;
      if (p[j] > 0) kl += p[j] * Math.log(n * p[j]);
    }
    return { p, kl };
  };
  let low = 0;
  let high = 1;
  while (spend(high).kl < rho && high < 1e9) high *= 2;
  for (let step = 0; step < 200 && low < high; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (spend(middle).kl < rho) low = middle;
    else high = middle;
  }
  return { weights: Float64Array.from(spend((low + high) / 2).p), beta: (low + high) / 2 };
}

/**
 * The best estimate of one quantity from independent witnesses with known variances: each counts as
 * much as it is precise. With witness j reporting 1 for key j and 0 for the others, the estimate of
 * coordinate j is the weight of key j.
 * @param {ArrayLike<number>} variances (n)
 * @param {(witness: number, coordinate: number) => number} report
 */
export function inverseVarianceMean(variances, report) {
  const n = variances.length;
  const mean = new Float64Array(n);
  let precision = 0;
  for (let j = 0; j < n; j++) precision += 1 / variances[j];
  for (let c = 0; c < n; c++) {
    for (let j = 0; j < n; j++) mean[c] += report(j, c) / variances[j];
    mean[c] /= precision;
  }
  return mean;
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
