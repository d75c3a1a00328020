/** The change by shared keys, and the bounds on it. */
import { ENGINE, HEAD_INPUTS, NORMALS } from '../../math/data-code.js';
import { linesOf, loading } from '../look/code.js';
import { D, HEADS, N } from './compute.js';

/** Of the example. @param {{ seed: number, part: number, T: number }} setting */
export const codeOf = ({ seed, part, T }) => `${ENGINE}
const { sharedKeyBounds } = await ch.theory;

${NORMALS}
${HEAD_INPUTS}

const shape = { seed: ${seed}, H: ${HEADS}, n: ${N}, d: ${D}, kind: 'patterns' };
const own = headInputs({ ...shape, G: ${HEADS} });
const mean = headInputs({ ...shape, G: 1 });
const first = (x) => Float64Array.from(x.subarray(0, shape.n * shape.d));
// a part of the way from the head's own rows to the shared ones
const between = (x, y) => x.map((each, at) => each + ${part} * (y[at] - each));
const k = first(own.k);
const v = first(own.v);
const { measured, bounds } = sharedKeyBounds(first(own.q), k, between(k, mean.k), v, {
  headDim: shape.d,
  temperature: ${T},
  sharedV: between(v, mean.v),
});
console.log({ change: Math.max(...measured.weights2), bound: Math.max(...bounds.sharp.values) });`;

/**
 * Of the query of the row.
 * @param {import('./layer.js').Layer} layer @param {number} part
 */
export const codeOfRow = ({ row, ids, looks, files }, part) => `${loading({ source: files })}
${ENGINE}
const { sharedKeyBounds } = await ch.theory;

const ids = [${linesOf(ids)}];${row.T === 1 ? '' : `\nmodel.setTemperature(${row.T});`}
await model.prefill(ids);
const { heads, kvHeads, headDim } = model.config;
// heads of one set have the same keys and values
const sets = Array.from({ length: kvHeads }, (_, g) =>
  model.row(${row.layer}, (g * heads) / kvHeads, ids.length - 1),
);
const { q, k, v } = model.row(${row.layer}, ${row.head}, ids.length - 1);
// a part of the way from the head's own rows to the mean of all sets
const towards = (own, name) =>
  Float64Array.from(own, (x, at) => {
    const mean = sets.reduce((sum, set) => sum + set[name][at], 0) / kvHeads;
    return x + ${part} * (mean - x);
  });
const { measured, bounds } = sharedKeyBounds(q, k, towards(k, 'k'), v, {
  headDim,
  temperature: ${looks.T},
  sharedV: towards(v, 'v'),
});
console.log({ change: measured.weights2[0], bound: bounds.sharp.values[0] });`;
