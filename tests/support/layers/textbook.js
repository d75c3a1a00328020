/**
 * The layers in float64, as their papers write them: plain loops over arrays of numbers, nothing
 * shared with the library. Each returns plain arrays; x is a flat array-like. Attention is that of
 * reference.js.
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

const mean = (row) => row.reduce((a, b) => a + b, 0) / row.length;
const chunks = (x, size) =>
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
    const place = (turns) =>
      (dim * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(base));
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

const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);

/**
 * Numbers, and beside each the size of its terms. If every term has an error of a unit
 * in the last place, the number has an error of a unit of this size.
 *
 * A product has the size Σ|w|·size. A norm has the number's own and its share of the row's. A
 * rotation has that of both halves.
 * @typedef {{ y: number[], size: number[] }} Sized
 */
const product = ({ y, size }, w, b) => ({
  y: linear(y, w, y.length, b).y,
  size: linear(size, w.map(Math.abs), y.length, b?.map(Math.abs)).y,
});
function normed({ y, size }, epsilon, scale) {
  const by = Math.sqrt(mean(y.map((v) => v * v)) + epsilon);
  const length = Math.hypot(...y);
  const share = length ? Math.hypot(...size) / length : 0;
  return {
    y: y.map((v, c) => (v / by) * scale[c]),
    size: size.map((s, c) => ((s + Math.abs(y[c]) * share) / by) * Math.abs(scale[c])),
  };
}
function turned({ y, size }, position, f, interleaved) {
  const other = [...size];
  f.forEach((_, p) => {
    const [a, b] = interleaved ? [2 * p, 2 * p + 1] : [p, p + f.length];
    other[a] = other[b] = size[a] + size[b];
  });
  return { y: turn(y, position, f, interleaved), size: other };
}
const sized = (row) => ({ y: [...row], size: [...row].map(Math.abs) });
/**
 * One query over keys and values; `steep` is the part of an error that the logits' size multiplies,
 * `plain` the rest.
 */
function attended(q, keys, values, scale) {
  const { p, o } = attend(
    q.y,
    keys.map((k) => k.y),
    values.map((v) => v.y),
    scale,
  );
  const plain = o.map((_, c) => values.reduce((sum, v, j) => sum + p[j] * v.size[c], 0));
  // a key alone has weight 1 whatever its logit
  const A = keys.length > 1 ? Math.max(...keys.map((k) => scale * dot(q.size, k.size))) : 0;
  return {
    o,
    p,
    plain,
    steep: plain.map((s) => s * A),
    logit: Math.max(...keys.map((k) => Math.abs(scale * dot(q.y, k.y)))),
  };
}
/** The heads of one position through the output projection. */
function mixed(heads, w, b, residual) {
  const all = (name) => heads.flatMap((head) => head[name]);
  const o = all('o');
  const to = (x) => linear(x, w.map(Math.abs), o.length, b?.map(Math.abs)).y;
  const y = linear(o, w, o.length, b).y.map((v, c) => v + (residual?.[c] ?? 0));
  return {
    y,
    plain: to(all('plain')).map((v, c) => v + Math.abs(residual?.[c] ?? 0)),
    steep: linear(all('steep'), w.map(Math.abs), o.length).y,
  };
}
const gathered = (rows, logits) => ({
  y: rows.flatMap((r) => r.y),
  plain: rows.flatMap((r) => r.plain),
  steep: rows.flatMap((r) => r.steep),
  logit: Math.max(...logits),
});

/** multiHead below, with a temperature, and with the sizes that its errors are measured by. */
export function multiHeadSized(
  x,
  w,
  { modelDim, heads, kvHeads, headDim, valueDim, f, interleaved, epsilon, residual, temperature },
) {
  const rows = chunks(x, modelDim);
  const cut = (a, head, size) => a?.slice(head * size, (head + 1) * size);
  const logits = [];
  const project = (name, count, size, norm) =>
    rows.map((row, i) =>
      Array.from({ length: count }, (_, head) => {
        let a = product(
          sized(row),
          cut(w[name], head, size * modelDim),
          cut(w[`${name}Bias`], head, size),
        );
        if (norm) a = normed(a, epsilon, norm);
        return name !== 'v' && f ? turned(a, i, f, interleaved) : a;
      }),
    );
  const q = project('q', heads, headDim, w.qNorm);
  const k = project('k', kvHeads, headDim, w.kNorm);
  const v = project('v', kvHeads, valueDim);
  return gathered(
    rows.map((row, i) => {
      const all = q[i].map((head, h) => {
        const g = Math.floor(h / (heads / kvHeads));
        const a = attended(
          head,
          k.slice(0, i + 1).map((r) => r[g]),
          v.slice(0, i + 1).map((r) => r[g]),
          1 / Math.sqrt(headDim) / temperature,
        );
        logits.push(a.logit * temperature);
        return a;
      });
      return mixed(all, w.o, w.oBias, residual && row);
    }),
    logits,
  );
}

/** latent below, likewise. */
export function latentSized(
  x,
  w,
  {
    modelDim,
    heads,
    kvLatent,
    queryLatent,
    nopeDim,
    ropeDim,
    valueDim,
    f,
    interleaved,
    epsilon,
    temperature,
  },
) {
  const rows = chunks(x, modelDim);
  const dim = nopeDim + ropeDim;
  const logits = [];
  const part = ({ y, size }, from, to) => ({ y: y.slice(from, to), size: size.slice(from, to) });
  const both = (a, b) => ({ y: [...a.y, ...b.y], size: [...a.size, ...b.size] });
  const place = (a, i) => (f ? turned(a, i, f, interleaved) : a);
  const kept = rows.map((row, i) => {
    const all = product(sized(row), w.kvA);
    const c = part(all, 0, kvLatent);
    const latent = w.kvANorm ? normed(c, epsilon, w.kvANorm) : c;
    const key = place(part(all, kvLatent), i);
    const up = product(latent, w.kvB);
    const wide = nopeDim + valueDim;
    return Array.from({ length: heads }, (_, h) => ({
      k: both(part(up, h * wide, h * wide + nopeDim), key),
      v: part(up, h * wide + nopeDim, (h + 1) * wide),
    }));
  });
  return gathered(
    rows.map((row, i) => {
      let q = sized(row);
      if (queryLatent) q = product(q, w.qA);
      if (w.qANorm) q = normed(q, epsilon, w.qANorm);
      q = product(q, w.qB ?? w.q);
      return mixed(
        Array.from({ length: heads }, (_, h) => {
          const head = part(q, h * dim, (h + 1) * dim);
          const seen = kept.slice(0, i + 1).map((all) => all[h]);
          const a = attended(
            both(part(head, 0, nopeDim), place(part(head, nopeDim), i)),
            seen.map((s) => s.k),
            seen.map((s) => s.v),
            1 / Math.sqrt(dim) / temperature,
          );
          logits.push(a.logit * temperature);
          return a;
        }),
        w.o,
      );
    }),
    logits,
  );
}

/** Attention of one query; keys and values are lists of rows. */
export function attend(q, keys, values, scale) {
  const { weights, output } = attendRow(q, keys, values, { scale });
  return { p: weights, o: output };
}

/**
 * The multi-head layer, causal, position i at place i. Head h is a program of its own: nothing but
 * x enters it.
 */
export function multiHead(
  x,
  w,
  { modelDim, heads, kvHeads, headDim, valueDim, f, interleaved, epsilon, residual },
) {
  const rows = chunks(x, modelDim);
  const project = (name, head, size, norm) => (row, position) => {
    let y = linear(
      row,
      w[name].slice(head * size * modelDim, (head + 1) * size * modelDim),
      modelDim,
      w[`${name}Bias`]?.slice(head * size),
    ).y;
    if (norm) y = rmsNorm(y, size, epsilon, (c) => norm[c]);
    return name !== 'v' && f ? turn(y, position, f, interleaved) : y;
  };
  const program = (h) => {
    const g = Math.floor(h / (heads / kvHeads));
    const [q, k, v] = [
      project('q', h, headDim, w.qNorm),
      project('k', g, headDim, w.kNorm),
      project('v', g, valueDim),
    ].map((f) => rows.map(f));
    return q.map(
      (row, i) => attend(row, k.slice(0, i + 1), v.slice(0, i + 1), 1 / Math.sqrt(headDim)).o,
    );
  };
  const outputs = Array.from({ length: heads }, (_, h) => program(h));
  return rows.flatMap((row, i) => {
    const { y } = linear(
      outputs.flatMap((o) => o[i]),
      w.o,
      heads * valueDim,
      w.oBias,
    );
    return residual ? y.map((v, c) => v + row[c]) : y;
  });
}

/**
 * The latent layer, expanded, causal. `size` is Σp|W_UV||c| of each (position, head, channel), and
 * A the largest scale·Σ|q||W_UK||c| + |q_R||k_R| of each (position, head). The error rule needs
 * both.
 */
export function latent(
  x,
  w,
  { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim, f, interleaved, epsilon },
) {
  const rows = chunks(x, modelDim);
  const dim = nopeDim + ropeDim;
  const scale = 1 / Math.sqrt(dim);
  const kept = rows.map((row, i) => {
    const y = linear(row, w.kvA, modelDim).y;
    const c = y.slice(0, kvLatent);
    return {
      c: w.kvANorm ? rmsNorm(c, kvLatent, epsilon, (x) => w.kvANorm[x]) : c,
      k: f ? turn(y.slice(kvLatent), i, f, interleaved) : y.slice(kvLatent),
    };
  });
  const A = [];
  const size = [];
  const result = rows.flatMap((row, i) => {
    let q = row;
    if (queryLatent) q = linear(q, w.qA, modelDim).y;
    if (w.qANorm) q = rmsNorm(q, queryLatent, epsilon, (c) => w.qANorm[c]);
    q = chunks(linear(q, w.qB ?? w.q, queryLatent || modelDim).y, dim);
    const o = q.flatMap((head, h) => {
      const up = w.kvB.slice(
        h * (nopeDim + valueDim) * kvLatent,
        (h + 1) * (nopeDim + valueDim) * kvLatent,
      );
      const turned = [
        ...head.slice(0, nopeDim),
        ...(f ? turn(head.slice(nopeDim), i, f, interleaved) : head.slice(nopeDim)),
      ];
      const all = kept.slice(0, i + 1).map(({ c, k }) => {
        const { y, size } = linear(c, up, kvLatent);
        return {
          key: [...y.slice(0, nopeDim), ...k],
          value: y.slice(nopeDim),
          bound: [...size.slice(0, nopeDim), ...k.map(Math.abs)],
          valueBound: size.slice(nopeDim),
        };
      });
      const { p, o } = attend(
        turned,
        all.map((a) => a.key),
        all.map((a) => a.value),
        scale,
      );
      A.push(Math.max(...all.map((a) => scale * dot(turned.map(Math.abs), a.bound))));
      size.push(...o.map((_, c) => all.reduce((sum, a, j) => sum + p[j] * a.valueBound[c], 0)));
      return o;
    });
    return linear(o, w.o, heads * valueDim).y;
  });
  return { y: result, A, size };
}
