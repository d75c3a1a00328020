/**
 * The operations of layers in float64, as their papers write them: plain loops over arrays of
 * numbers, nothing shared with the library.
 */
import { attendRow } from '../reference.js';

/** y (m, rows) = x·Wᵀ + b, and with it Σ|x·w| + |b|, which the error rule needs. */
export function linear(x, w, inputs, b) {
  const rows = w.length / inputs;
  const m = x.length / inputs;
  const y = [];
  const size = [];
  for (let i = 0; i < m; i++)
    for (let r = 0; r < rows; r++) {
      let sum = b ? b[r] : 0;
      let magnitude = Math.abs(sum);
      for (let c = 0; c < inputs; c++) {
        const term = x[i * inputs + c] * w[r * inputs + c];
        sum += term;
        magnitude += Math.abs(term);
      }
      y.push(sum);
      size.push(magnitude);
    }
  return { y, size };
}

export const mean = (row) => row.reduce((a, b) => a + b, 0) / row.length;
export const chunks = (x, size) =>
  Array.from({ length: x.length / size }, (_, i) => Array.from(x.slice(i * size, (i + 1) * size)));

export const rmsNorm = (x, size, epsilon, factor = () => 1) =>
  chunks(x, size).flatMap((row) =>
    row.map((v, c) => (v / Math.sqrt(mean(row.map((a) => a * a)) + epsilon)) * factor(c)),
  );

export const layerNorm = (x, size, epsilon, scale = () => 1, bias = () => 0) =>
  chunks(x, size).flatMap((row) => {
    const mu = mean(row);
    const variance = mean(row.map((a) => (a - mu) ** 2));
    return row.map((v, c) => ((v - mu) / Math.sqrt(variance + epsilon)) * scale(c) + bias(c));
  });

export const silu = (x) => x / (1 + Math.exp(-x));
export const geluTanh = (x) =>
  x / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** Φ(−a) for a ≥ 0: its Taylor series about 0, and Laplace's continued fraction in the tail. */
function tail(a) {
  if (a < 3) {
    let term = a;
    let sum = a;
    for (let n = 1; n < 200; n++) sum += term *= (a * a) / (2 * n + 1);
    return 0.5 - (sum * Math.exp((-a * a) / 2)) / Math.sqrt(2 * Math.PI);
  }
  let f = a;
  for (let n = 300; n > 0; n--) f = a + n / f;
  return Math.exp((-a * a) / 2) / (f * Math.sqrt(2 * Math.PI));
}
export const gelu = (x) => x * (x < 0 ? tail(-x) : 1 - tail(x));

/** Frequencies as transformers' `rope_scaling` means them. */
export function frequencies(dim, base, scaling = { type: 'none' }) {
  const { type, factor, original } = scaling;
  if (type === 'ntk') base *= factor ** (dim / (dim - 2));
  if (type === 'dynamic')
    base *= Math.max(1, (factor * scaling.length) / original - (factor - 1)) ** (dim / (dim - 2));
  const f = Array.from({ length: dim / 2 }, (_, p) => 1 / base ** ((2 * p) / dim));
  if (type === 'linear') return f.map((x) => x / factor);
  if (type === 'llama3') {
    const { lowFreqFactor: low = 1, highFreqFactor: high = 4 } = scaling;
    return f.map((x) => {
      const wavelength = (2 * Math.PI) / x;
      if (wavelength < original / high) return x;
      if (wavelength > original / low) return x / factor;
      const smooth = (original / wavelength - low) / (high - low);
      return ((1 - smooth) * x) / factor + smooth * x;
    });
  }
  if (type === 'yarn') {
    const { betaFast = 32, betaSlow = 1, truncate = true } = scaling;
    const place = (rotations) =>
      (dim * Math.log(original / (rotations * 2 * Math.PI))) / (2 * Math.log(base));
    let low = place(betaFast);
    let high = place(betaSlow);
    if (truncate) [low, high] = [Math.floor(low), Math.ceil(high)];
    [low, high] = [Math.max(low, 0), Math.min(high, dim - 1)];
    if (low === high) high += 0.001;
    return f.map((x, p) => {
      const ramp = Math.min(1, Math.max(0, (p - low) / (high - low)));
      return (x / factor) * ramp + x * (1 - ramp);
    });
  }
  return f;
}

/** One head turned to a position: pairs (p, p + half), or neighbours. */
export function turn(head, position, f, interleaved, factor = 1) {
  const out = [...head];
  const half = f.length;
  f.forEach((x, p) => {
    const [a, b] = interleaved ? [2 * p, 2 * p + 1] : [p, p + half];
    const c = Math.cos(position * x) * factor;
    const s = Math.sin(position * x) * factor;
    [out[a], out[b]] = [head[a] * c - head[b] * s, head[a] * s + head[b] * c];
  });
  return out;
}

export const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);

/** Attention of one query; keys and values are lists of rows. */
export function attend(q, keys, values, scale) {
  const { weights, output } = attendRow(q, keys, values, { scale });
  return { p: weights, o: output };
}
