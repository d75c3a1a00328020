/**
 * The attention layers in float64, as their papers write them: plain loops over arrays of numbers,
 * nothing shared with the library. Each returns plain arrays; x is a flat array-like.
 */
import { attend, chunks, dot, linear, rmsNorm, turn } from './operations-textbook.js';

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
