/** Attention layers of random sizes with random options, and how near their results must be. */
import assert from 'node:assert/strict';
import { random } from '../random.js';

export const EPS = 2 ** -23;
export const numbers = (r, length, scale = 1) =>
  Float32Array.from({ length }, () => scale * r.normal());

/** Weights of a size that keeps activations near 1, as trained layers have them. */
export const matrix = (r, rows, columns) => numbers(r, rows * columns, 1 / Math.sqrt(columns));
export const vector = (r, size) => numbers(r, size, 0.2).map((x) => 1 + x);

export function randomMultiHead(seed) {
  const r = random(seed);
  const kvHeads = r.integer(1, 3);
  const heads = kvHeads * r.integer(1, 3);
  const headDim = r.pick([2, 4, 7, 8, 16]);
  const valueDim = r.chance(0.3) ? r.integer(1, 12) : headDim;
  const modelDim = r.integer(1, 40);
  const dim = 2 * r.integer(1, Math.floor(headDim / 2));
  const interleaved = r.chance(0.5);
  const w = {
    q: matrix(r, heads * headDim, modelDim),
    k: matrix(r, kvHeads * headDim, modelDim),
    v: matrix(r, kvHeads * valueDim, modelDim),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.5))
    Object.assign(w, {
      qBias: numbers(r, heads * headDim),
      kBias: numbers(r, kvHeads * headDim),
      vBias: numbers(r, kvHeads * valueDim),
    });
  if (r.chance(0.3)) w.oBias = numbers(r, modelDim);
  if (r.chance(0.5)) Object.assign(w, { qNorm: vector(r, headDim), kNorm: vector(r, headDim) });
  const config = { modelDim, heads, kvHeads, headDim, valueDim, residual: r.chance(0.5) };
  const m = r.integer(1, 12);
  return {
    r,
    w,
    config,
    turned: r.chance(0.7) && { dim, interleaved },
    m,
    x: numbers(r, m * modelDim),
  };
}

/**
 * Errors relative to the largest result: five products in a row, two norms and attention, each of
 * which adds about two units.
 */
const UNITS = 16;
export function near(got, want, name) {
  const max = Math.max(...want.map(Math.abs));
  assert.equal(got.length, want.length);
  let worst = 0;
  want.forEach((x, i) => (worst = Math.max(worst, Math.abs(got[i] - x) / (EPS * max))));
  assert.ok(worst <= UNITS, `${name}: ${worst} units of the largest result`);
  return worst;
}

export function randomLatent(seed) {
  const r = random(seed);
  const heads = r.integer(1, 4);
  const kvLatent = r.integer(1, 40);
  const queryLatent = r.chance(0.6) ? r.integer(1, 20) : 0;
  const nopeDim = r.integer(1, 20);
  const ropeDim = 2 * r.integer(0, 5);
  const valueDim = r.integer(1, 20);
  const modelDim = r.integer(1, 40);
  const m = r.integer(1, 10);
  const w = {
    kvA: matrix(r, kvLatent + ropeDim, modelDim),
    kvB: matrix(r, heads * (nopeDim + valueDim), kvLatent),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.7)) w.kvANorm = vector(r, kvLatent);
  w[queryLatent ? 'qB' : 'q'] = matrix(r, heads * (nopeDim + ropeDim), queryLatent || modelDim);
  if (queryLatent) w.qA = matrix(r, queryLatent, modelDim);
  if (queryLatent && r.chance(0.7)) w.qANorm = vector(r, queryLatent);
  const config = { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim };
  return {
    r,
    w,
    config,
    m,
    x: numbers(r, m * modelDim),
    interleaved: r.chance(0.5),
    turned: ropeDim > 0 && r.chance(0.8),
  };
}
export const tableFor = (ch, { config: { ropeDim: dim }, interleaved, turned }) =>
  turned ? ch.ropeTable({ dim, interleaved, positions: 10 }) : undefined;
