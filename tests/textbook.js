/**
 * The layers in float64, as their papers write them: plain loops over arrays of numbers, nothing shared with the library. Each
 * returns plain arrays; x is a flat array-like.
 */

/** y (m, rows) = x·Wᵀ + b, and with it Σ|x·w| + |b|, which the error rule needs. */
export function linear(x, w, inputs, b) {
  const rows = w.length / inputs, m = x.length / inputs, y = [], size = [];
  for (let i = 0; i < m; i++)
    for (let r = 0; r < rows; r++) {
      let sum = b ? b[r] : 0, magnitude = Math.abs(sum);
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

const mean = (row) => row.reduce((a, b) => a + b, 0) / row.length;
const chunks = (x, size) => Array.from({ length: x.length / size }, (_, i) => Array.from(x.slice(i * size, (i + 1) * size)));

export const rmsNorm = (x, size, epsilon, factor = () => 1) =>
  chunks(x, size).flatMap((row) => row.map((v, c) => (v / Math.sqrt(mean(row.map((a) => a * a)) + epsilon)) * factor(c)));

export const layerNorm = (x, size, epsilon, scale = () => 1, bias = () => 0) =>
  chunks(x, size).flatMap((row) => {
    const mu = mean(row), variance = mean(row.map((a) => (a - mu) ** 2));
    return row.map((v, c) => ((v - mu) / Math.sqrt(variance + epsilon)) * scale(c) + bias(c));
  });

export const silu = (x) => x / (1 + Math.exp(-x));
export const geluTanh = (x) => x / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** Φ(−a) for a ≥ 0: its Taylor series about 0, and Laplace's continued fraction in the tail. */
function tail(a) {
  if (a < 3) {
    let term = a, sum = a;
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
  if (type === 'dynamic') base *= Math.max(1, (factor * scaling.length) / original - (factor - 1)) ** (dim / (dim - 2));
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
    const place = (turns) => (dim * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(base));
    let low = place(betaFast), high = place(betaSlow);
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
  const out = [...head], half = f.length;
  f.forEach((x, p) => {
    const [a, b] = interleaved ? [2 * p, 2 * p + 1] : [p, p + half], c = Math.cos(position * x) * factor, s = Math.sin(position * x) * factor;
    [out[a], out[b]] = [head[a] * c - head[b] * s, head[a] * s + head[b] * c];
  });
  return out;
}

const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);

/** Softmax attention of one query; keys and values are lists of rows. */
export function attend(q, keys, values, scale) {
  const z = keys.map((k) => scale * dot(q, k)), top = Math.max(...z), e = z.map((x) => Math.exp(x - top));
  const total = e.reduce((a, b) => a + b, 0), p = e.map((x) => x / total);
  return { p, o: values[0].map((_, c) => values.reduce((sum, v, j) => sum + p[j] * v[c], 0)) };
}

/** The multi-head layer, causal, position i at place i. Head h is a program of its own: nothing but x enters it. */
export function multiHead(x, w, { modelDim, heads, kvHeads, headDim, valueDim, f, interleaved, epsilon, residual }) {
  const rows = chunks(x, modelDim);
  const project = (name, head, size, norm) => (row, position) => {
    let y = linear(row, w[name].slice(head * size * modelDim, (head + 1) * size * modelDim), modelDim, w[`${name}Bias`]?.slice(head * size)).y;
    if (norm) y = rmsNorm(y, size, epsilon, (c) => norm[c]);
    return name !== 'v' && f ? turn(y, position, f, interleaved) : y;
  };
  const program = (h) => {
    const g = Math.floor(h / (heads / kvHeads));
    const [q, k, v] = [project('q', h, headDim, w.qNorm), project('k', g, headDim, w.kNorm), project('v', g, valueDim)].map((f) => rows.map(f));
    return q.map((row, i) => attend(row, k.slice(0, i + 1), v.slice(0, i + 1), 1 / Math.sqrt(headDim)).o);
  };
  const outputs = Array.from({ length: heads }, (_, h) => program(h));
  return rows.flatMap((row, i) => {
    const { y } = linear(outputs.flatMap((o) => o[i]), w.o, heads * valueDim, w.oBias);
    return residual ? y.map((v, c) => v + row[c]) : y;
  });
}

/**
 * The latent layer, expanded, causal. `size` is Σp|W_UV||c| of each (position, head, channel), and A the largest scale·Σ|q||W_UK||c| +
 * |q_R||k_R| of each (position, head): what the error rule needs.
 */
export function latent(x, w, { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim, f, interleaved, epsilon }) {
  const rows = chunks(x, modelDim), dim = nopeDim + ropeDim, scale = 1 / Math.sqrt(dim);
  const kept = rows.map((row, i) => {
    const y = linear(row, w.kvA, modelDim).y, c = y.slice(0, kvLatent);
    return { c: w.kvANorm ? rmsNorm(c, kvLatent, epsilon, (x) => w.kvANorm[x]) : c, k: f ? turn(y.slice(kvLatent), i, f, interleaved) : y.slice(kvLatent) };
  });
  const A = [], size = [], result = rows.flatMap((row, i) => {
    let q = row;
    if (queryLatent) q = linear(q, w.qA, modelDim).y;
    if (w.qANorm) q = rmsNorm(q, queryLatent, epsilon, (c) => w.qANorm[c]);
    q = chunks(linear(q, w.qB ?? w.q, queryLatent || modelDim).y, dim);
    const o = q.flatMap((head, h) => {
      const up = w.kvB.slice(h * (nopeDim + valueDim) * kvLatent, (h + 1) * (nopeDim + valueDim) * kvLatent);
      const turned = [...head.slice(0, nopeDim), ...(f ? turn(head.slice(nopeDim), i, f, interleaved) : head.slice(nopeDim))];
      const all = kept.slice(0, i + 1).map(({ c, k }) => {
        const { y, size } = linear(c, up, kvLatent);
        return { key: [...y.slice(0, nopeDim), ...k], value: y.slice(nopeDim), bound: [...size.slice(0, nopeDim), ...k.map(Math.abs)], valueBound: size.slice(nopeDim) };
      });
      const { p, o } = attend(turned, all.map((a) => a.key), all.map((a) => a.value), scale);
      A.push(Math.max(...all.map((a) => scale * dot(turned.map(Math.abs), a.bound))));
      size.push(...o.map((_, c) => all.reduce((sum, a, j) => sum + p[j] * a.valueBound[c], 0)));
      return o;
    });
    return linear(o, w.o, heads * valueDim).y;
  });
  return { y: result, A, size };
}
