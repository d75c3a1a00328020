/** Statement 12. */
import { U, apart, bounded, compare, dot, exact, norm } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** The bounds of statement 12, sharpest first on each quantity. */
const BOUNDS = {
  sharp: '‖Δp‖₂ ≤ ‖δz − mean‖₂/(2T)',
  note: '‖Δp‖₂ ≤ ‖δz‖₂/T',
  operator: '‖Δp‖₂ ≤ ‖ΔK‖_op‖q‖₂/(T√d)',
  range: '‖Δp‖₁ ≤ (max δz − min δz)/(2T)',
  outputDiameter: '‖Δo‖₂ ≤ ½‖Δp‖₁·diam V',
  outputNote1: '‖Δo‖₂ ≤ ‖Δp‖₁·max‖v‖',
  outputNote2: '‖Δo‖₂ ≤ √n‖Δp‖₂·max‖v‖',
  outputRange: '‖Δo‖₂ ≤ (max δz − min δz)·diam V/(4T)',
};

/**
 * ‖Ax‖/‖x‖ after 100 steps of power iteration from x.
 * @param {Float64Array} a (rows, x.length)
 * @param {Float64Array} x
 */
function stretch(a, x) {
  const d = x.length;
  const times = (/** @type {Float64Array} */ y) =>
    Float64Array.from({ length: a.length / d }, (_, j) => dot(a.subarray(j * d, j * d + d), y));
  for (let step = 0; step < 100; step++) {
    const y = times(x);
    const z = x.map((_, c) => y.reduce((sum, w, j) => sum + w * a[j * d + c], 0));
    const length = norm(z);
    x = z.map((w) => w / length);
  }
  return norm(times(x)) / norm(x);
}

/** @type {Comparison} */
export const sharing = {
  number: 12,
  shows: 0,
  run(lab) {
    const { ch, theory, q, k, v, n, d, dv, T, make, rows } = lab;
    const noise = make(k.length);
    const sharedK = k.map((x, i) => x + 0.1 * noise[i]);
    const { measured, bounds, holds, operatorNorm } = theory.sharedKeyBounds(q, k, sharedK, v, {
      headDim: d,
      temperature: T,
    });
    const shared =
      /** @type {Required<import('../../js/types.d.ts').AttentionResult<Float64Array>>} */ (
        ch.attention(q, sharedK, v, {
          headDim: d,
          valueDim: dv,
          temperature: T,
          want: { weights: true },
        })
      );
    const sharedV = v.map((x, at) => x + 0.1 * noise[at % noise.length]);
    const options = { headDim: d, valueDim: dv, temperature: T };
    const moved = theory.sharedKeyBounds(q, k, sharedK, v, { headDim: d, temperature: T, sharedV });
    const replaced = ch.attention(q, sharedK, sharedV, options).output;
    const replacedSizes = ch.attention(q, sharedK, sharedV.map(Math.abs), options).output;
    // the query that comes nearest to its bound
    const parts = Object.entries(BOUNDS).map(([name, sides]) => {
      const bound = bounds[/** @type {keyof typeof bounds} */ (name)];
      const side = name.startsWith('output')
        ? 'output'
        : name === 'range'
          ? 'weights1'
          : 'weights2';
      const i = bound.values.reduce(
        (best, x, at) =>
          measured[side][at] / x > measured[side][best] / bound.values[best] ? at : best,
        0,
      );
      // the rounding that sensitivity.h allows
      const rounding = U * (64 + 64 * Math.log(n)) * (bound.values[i] + bound.cap);
      return bounded(sides, measured[side][i], bound.values[i], { rounding, cap: bound.cap });
    });
    return [
      ...parts,
      compare(
        '‖Δp‖₂ = between two attentions',
        rows.map(({ p, size }, i) => [
          measured.weights2[i],
          norm(shared.weights.subarray(i * n, i * n + n).map((x, j) => x - p[j])),
          U,
          2 * apart(size),
        ]),
      ),
      compare(
        '‖Δo‖₂ = between two attentions, with values shared too',
        rows.map(({ output, magnitude, size }, i) => [
          moved.measured.output[i],
          norm(replaced.subarray(i * dv, i * dv + dv).map((x, c) => x - output[c])),
          U * (norm(magnitude) + norm(replacedSizes.subarray(i * dv, i * dv + dv))),
          2 * apart(size),
        ]),
      ),
      // Any vector is stretched by less, but for the rounding of d products. A hundred steps of
      // power iteration nearly find the one that is stretched most.
      bounded(
        '‖ΔK·x‖/‖x‖ ≤ ‖ΔK‖_op',
        stretch(
          sharedK.map((x, i) => x - k[i]),
          make(d),
        ),
        operatorNorm.upper,
        { rounding: 8 * d * U * operatorNorm.upper },
      ),
      bounded('‖ΔK‖_op ≤ ‖ΔK‖_F', operatorNorm.lower, norm(sharedK.map((x, i) => x - k[i]))),
      exact('all bounds hold for every query', [Number(holds)], [1]),
    ];
  },
};
