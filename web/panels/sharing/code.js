/** The change by shared keys, and the bounds on it. */
import { ENGINE, HEAD_INPUTS, NORMALS } from '../../math/data-code.js';
import { D, HEADS, N } from './compute.js';

/** @param {{ seed: number, part: number, T: number }} setting */
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
