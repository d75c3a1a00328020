/** Parts of a call: some batches, heads and query rows of it, as a call of its own. */

/** The elements of a (…four axes) inside the given ranges. */
function cut(data, shape, [B, H, M, N]) {
  const out = [];
  for (let b = B[0]; b < B[1]; b++)
    for (let h = H[0]; h < H[1]; h++)
      for (let i = M[0]; i < M[1]; i++)
        for (let j = N[0]; j < N[1]; j++)
          out.push(data[((b * shape[1] + h) * shape[2] + i) * shape[3] + j]);
  return { data: data.constructor.from(out), shape: [B, H, M, N].map(([from, to]) => to - from) };
}

/** The same of a mask, where axes of 1 are broadcast and the last may be short. */
function cutMask({ data, shape }, ranges) {
  const full = [1, 1, 1, 1, ...shape].slice(-4);
  return cut(
    data,
    full,
    ranges.map(([from, to], axis) =>
      full[axis] === 1 ? [0, 1] : [from, Math.min(to, full[axis])],
    ),
  );
}

/** A bhsd array's batches, heads and positions in the ranges. */
export function block(a, [batch, heads, positions, size], b, h, p) {
  return cut(
    a,
    [batch, heads, positions, size],
    [b, h, p, [0, size]].map((r, axis) => r ?? [0, [batch, heads, positions, size][axis]]),
  ).data;
}

/**
 * The call that computes batches [b0, b1), heads [h0, h1) (whole groups, or within one group) and
 * rows [i0, i1) of a bhsd call. Positions are kept: the offset moves by i0.
 */
export function part(
  { q, k, v, options },
  s,
  { b = [0, s.batch], h = [0, s.heads], i = [0, s.m], n = s.n },
) {
  const group = s.heads / s.kvHeads;
  const g = [Math.floor(h[0] / group), Math.ceil(h[1] / group)];
  const { mask, offset = 0, keyLengths, alibi, sinks, keyScale, ...rest } = options;
  const shape = {
    batch: b[1] - b[0],
    heads: h[1] - h[0],
    kvHeads: g[1] - g[0],
    m: i[1] - i[0],
    n,
    d: s.d,
    dv: s.dv,
  };
  const moved =
    typeof offset === 'number' ? offset + i[0] : offset.slice(...b).map((x) => x + i[0]);
  const cutOptions = {
    ...rest,
    batch: shape.batch,
    heads: shape.heads,
    kvHeads: shape.kvHeads,
    offset: moved,
  };
  if (mask) cutOptions.mask = cutMask(mask, [b, h, i, [0, n]]);
  if (keyLengths) cutOptions.keyLengths = keyLengths.slice(...b).map((x) => Math.min(x, n));
  if (keyScale) cutOptions.keyScale = keyScale.slice(0, n);
  if (alibi) cutOptions.alibi = alibi.slice(...h);
  if (sinks) cutOptions.sinks = sinks.slice(...h);
  return {
    shape,
    q: block(q, [s.batch, s.heads, s.m, s.d], b, h, i),
    k: block(k, [s.batch, s.kvHeads, s.n, s.d], b, g, [0, n]),
    v: block(v, [s.batch, s.kvHeads, s.n, s.dv], b, g, [0, n]),
    options: cutOptions,
  };
}

/** The same part of a whole call's results, as the part alone would return them. */
export function partOf(result, s, { b, h, i, n = s.n }) {
  const out = { output: block(result.output, [s.batch, s.heads, s.m, s.dv], b, h, i) };
  const rows = (a) => block(a, [s.batch, s.heads, s.m, 1], b, h, i);
  if (result.weights)
    out.weights = cut(
      result.weights,
      [s.batch, s.heads, s.m, s.n],
      [b ?? [0, s.batch], h ?? [0, s.heads], i ?? [0, s.m], [0, n]],
    ).data;
  if (result.lse) out.lse = rows(result.lse);
  if (result.stats)
    out.stats = Object.fromEntries(
      Object.entries(result.stats).map(([name, a]) => [name, rows(a)]),
    );
  return out;
}

/** An array of rows of `size`, each run of order.length rows in the given order. */
export function permuted(a, order, size) {
  const out = a.slice();
  const run = order.length * size;
  for (let at = 0; at < a.length; at += run)
    order.forEach((from, to) =>
      out.set(a.subarray(at + from * size, at + (from + 1) * size), at + to * size),
    );
  return out;
}
