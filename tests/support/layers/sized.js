/** The attention layers in float64, with the sizes by which their errors are measured. */
import { attend, chunks, dot, linear, mean, turn } from './operations-textbook.js';

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
export function turned({ y, size }, position, f, interleaved) {
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
