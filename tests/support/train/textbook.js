/**
 * The layers of a Llama and their gradients in double, as a textbook writes them. Arrays are flat
 * and row-major. It shares no code with the kernels. Attention is that of reference.js, and its
 * gradient is in attention-gradient.js.
 */

/** y = x·Wᵀ with x (rows, inputs) and W (outputs, inputs). */
export function linear(x, w, inputs) {
  const [rows, outputs] = [x.length / inputs, w.length / inputs];
  const y = new Float64Array(rows * outputs);
  for (let i = 0; i < rows; i++)
    for (let o = 0; o < outputs; o++)
      for (let c = 0; c < inputs; c++) y[i * outputs + o] += x[i * inputs + c] * w[o * inputs + c];
  return y;
}

/** dx and dw from dy. */
export function linearGradient(dy, x, w, inputs) {
  const [rows, outputs] = [x.length / inputs, w.length / inputs];
  const dx = new Float64Array(x.length);
  const dw = new Float64Array(w.length);
  for (let i = 0; i < rows; i++)
    for (let o = 0; o < outputs; o++)
      for (let c = 0; c < inputs; c++) {
        dx[i * inputs + c] += dy[i * outputs + o] * w[o * inputs + c];
        dw[o * inputs + c] += dy[i * outputs + o] * x[i * inputs + c];
      }
  return { dx, dw };
}

const rootOf = (row, epsilon) =>
  1 / Math.sqrt(row.reduce((sum, x) => sum + x * x, 0) / row.length + epsilon);

/** x/√(mean(x²) + epsilon)·g of each row. */
export function rmsNorm(x, g, epsilon) {
  const size = g.length;
  return Float64Array.from(x, (value, at) => {
    const i = Math.floor(at / size);
    return value * rootOf(x.subarray(i * size, (i + 1) * size), epsilon) * g[at % size];
  });
}

/** By the chain rule through r: dr/dx_c = −x_c·r³/size. */
export function rmsNormGradient(dy, x, g, epsilon) {
  const size = g.length;
  const dx = new Float64Array(x.length);
  const dg = new Float64Array(size);
  for (let i = 0; i < x.length / size; i++) {
    const row = x.subarray(i * size, (i + 1) * size);
    const r = rootOf(row, epsilon);
    let dr = 0;
    for (let c = 0; c < size; c++) {
      dr += dy[i * size + c] * g[c] * row[c];
      dg[c] += dy[i * size + c] * row[c] * r;
    }
    for (let c = 0; c < size; c++)
      dx[i * size + c] = dy[i * size + c] * g[c] * r - (dr * row[c] * r ** 3) / size;
  }
  return { dx, dg };
}

/** erf by its series, or by the continued fraction of erfc where that converges faster. */
function erf(x) {
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (a < 2.5) {
    let term = a;
    let sum = a;
    for (let n = 1; n < 80; n++) {
      term *= (-a * a) / n;
      sum += term / (2 * n + 1);
    }
    return (Math.sign(x) * 2 * sum) / Math.sqrt(Math.PI);
  }
  let fraction = 0;
  for (let n = 120; n > 0; n--) fraction = n / 2 / (a + fraction);
  return Math.sign(x) * (1 - Math.exp(-a * a) / Math.sqrt(Math.PI) / (a + fraction));
}

/** Each activation, and its slope. */
export const curves = {
  silu: (x) => x / (1 + Math.exp(-x)),
  gelu: (x) => (x / 2) * (1 + erf(x / Math.SQRT2)),
  gelu_tanh: (x) => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
};

export const slopes = {
  silu: (x) => {
    const s = 1 / (1 + Math.exp(-x));
    return s * (1 + x * (1 - s));
  },
  gelu: (x) =>
    (1 + erf(x / Math.SQRT2)) / 2 + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
  gelu_tanh: (x) => {
    const k = Math.sqrt(2 / Math.PI);
    const t = Math.tanh(k * (x + 0.044715 * x ** 3));
    return (1 + t) / 2 + (x / 2) * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x);
  },
};

/**
 * Rotates the halves of heads by `sign`·θ; x (positions, heads, dim), of sequences of `context`
 * positions.
 */
export function rotate(x, heads, dim, base, context, sign = 1) {
  const y = Float64Array.from(x);
  const half = dim / 2;
  for (let i = 0; i < x.length / (heads * dim); i++)
    for (let h = 0; h < heads; h++)
      for (let p = 0; p < half; p++) {
        const angle = (sign * (i % context)) / base ** ((2 * p) / dim);
        const a = (i * heads + h) * dim + p;
        y[a] = x[a] * Math.cos(angle) - x[a + half] * Math.sin(angle);
        y[a + half] = x[a] * Math.sin(angle) + x[a + half] * Math.cos(angle);
      }
  return y;
}

/** Losses of rows of logits (0 where the target is −1), and weight·their gradient. */
export function crossEntropy(z, targets, vocab, weight) {
  const dz = new Float64Array(z.length);
  const losses = Array.from(targets, (target, i) => {
    if (target < 0) return 0;
    const row = z.subarray(i * vocab, (i + 1) * vocab);
    const max = Math.max(...row);
    const sum = row.reduce((total, x) => total + Math.exp(x - max), 0);
    for (let j = 0; j < vocab; j++)
      dz[i * vocab + j] = weight * (Math.exp(row[j] - max) / sum - Number(j === target));
    return Math.log(sum) + max - row[target];
  });
  return { losses, dz };
}
