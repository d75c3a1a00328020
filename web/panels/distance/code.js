/** Softmax attention and Gaussian smoothing on the same inputs, and how far they are apart. */
import { ENGINE, NORMALS, UNIT_ROWS } from '../../math/data-code.js';
import { D, DV, N } from './compute.js';

/** @param {import('./compute.js').Setting & { precision: string }} setting */
export function codeOf({ seed, T, unitQueries, unitKeys, restore, precision }) {
  const rows = (/** @type {string} */ name, /** @type {boolean} */ unit, d = 'd') => {
    const drawn = `normals(${seed}, '${name}', n * ${d})`;
    const made = unit ? `unitRows(${drawn}, d)` : drawn;
    return precision === 'float32' ? `Float32Array.from(${made})` : made;
  };
  return `${ENGINE}
const { gaussianWeights } = await ch.theory;

${NORMALS}
${unitQueries || unitKeys ? `${UNIT_ROWS}\n` : ''}
const [n, d, dv] = [${N}, ${D}, ${DV}];
const q = ${rows('q', unitQueries)};
const k = ${rows('k', unitKeys)};
const v = ${rows('v', false, 'dv')};
const how = { headDim: d, valueDim: dv, temperature: ${T} };
const softmax = ch.attention(q, k, v, { ...how, want: { weights: true } });
const bell = gaussianWeights(q, k, v, { ...how, restoreKeyNorm: ${restore} });
const apart = Array.from(softmax.weights, (w, i) => Math.abs(w - bell.weights[i]));
console.log({ sigma2: bell.sigma2, largestDifference: Math.max(...apart) });`;
}
