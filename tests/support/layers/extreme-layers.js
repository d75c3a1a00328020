/** Attention layers at the extremes of a state. */
import { random } from '../random.js';
import { matrix, numbers, vector } from './random-layers.js';

/**
 * Extremes of a state: large weights of the queries, whose logits reach ±10^4 and more;
 * temperatures, equal rows, numbers of rows. The shapes are small, down to one number for each
 * size.
 */
export function extremes(seed) {
  const r = random(seed);
  const long = seed % 50 === 0;
  const m = long ? r.integer(60, 140) : r.pick([1, 1, 2, 3, 5, 8, 13, 21]);
  const ties = r.pick([0, 0, 0, 0, 0, 0, 1, 2]);
  const amplitude = r.pick([1, 1, 1, 10, 100, 1000, 3000]);
  const temperature = r.pick([1, 1, 1, 0.1, 1e-3, 1e3, 1e3]);
  const small = (max) => (r.chance(0.25) ? 1 : r.integer(1, long ? Math.min(max, 4) : max));
  const rowsOf = (modelDim) => {
    const x = numbers(r, m * modelDim, r.pick([1, 1, 1e-2, 3]));
    if (ties)
      for (let at = modelDim; at < x.length; at++)
        if (ties === 2 || at % 2 || at < 4 * modelDim) x[at] = x[at - modelDim];
    return x;
  };
  return { r, m, ties, amplitude, temperature, small, rowsOf };
}

export function extremeMultiHead(seed) {
  const { r, m, amplitude, temperature, small, rowsOf } = extremes(seed);
  const kvHeads = r.integer(1, 2);
  const heads = kvHeads * r.integer(1, 2);
  const headDim = small(8);
  const valueDim = r.chance(0.3) ? small(6) : headDim;
  const modelDim = small(12);
  const w = {
    q: numbers(r, heads * headDim * modelDim, amplitude / Math.sqrt(modelDim)),
    k: matrix(r, kvHeads * headDim, modelDim),
    v: matrix(r, kvHeads * valueDim, modelDim),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.3))
    Object.assign(w, {
      qBias: numbers(r, heads * headDim, amplitude),
      kBias: numbers(r, kvHeads * headDim),
      vBias: numbers(r, kvHeads * valueDim),
      oBias: numbers(r, modelDim),
    });
  if (r.chance(0.3))
    Object.assign(w, {
      qNorm: vector(r, headDim).map((v) => v * amplitude),
      kNorm: vector(r, headDim),
    });
  const turned = headDim > 1 &&
    r.chance(0.6) && { dim: 2 * r.integer(1, Math.floor(headDim / 2)), interleaved: r.chance(0.5) };
  return {
    w,
    config: { modelDim, heads, kvHeads, headDim, valueDim, residual: r.chance(0.3) },
    turned,
    temperature,
    m,
    x: rowsOf(modelDim),
  };
}

export function extremeLatent(seed) {
  const { r, m, amplitude, temperature, small, rowsOf } = extremes(seed);
  const heads = r.integer(1, 2);
  const kvLatent = small(10);
  const queryLatent = r.chance(0.5) ? small(6) : 0;
  const modelDim = small(12);
  const nopeDim = small(6);
  const ropeDim = 2 * r.integer(0, 2);
  const valueDim = small(6);
  const w = {
    kvA: matrix(r, kvLatent + ropeDim, modelDim),
    kvB: matrix(r, heads * (nopeDim + valueDim), kvLatent),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.5)) w.kvANorm = vector(r, kvLatent);
  w[queryLatent ? 'qB' : 'q'] = matrix(r, heads * (nopeDim + ropeDim), queryLatent || modelDim).map(
    (v) => v * amplitude,
  );
  if (queryLatent) w.qA = matrix(r, queryLatent, modelDim);
  if (queryLatent && r.chance(0.5)) w.qANorm = vector(r, queryLatent);
  const turned = ropeDim > 0 && r.chance(0.7) && { dim: ropeDim, interleaved: r.chance(0.5) };
  return {
    w,
    config: { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim },
    turned,
    temperature,
    m,
    x: rowsOf(modelDim),
  };
}
