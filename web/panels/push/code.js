/** A push of scores, and the variance of dot products with and without the division. */
import { ENGINE } from '../../math/data-code.js';
import { SIZES } from './compute.js';

/** @param {{ T: number, seed: number }} setting */
export const codeOf = ({ T, seed }) => `${ENGINE}
const { lipschitz, scaleExperiment } = await ch.theory;

// a push from one side of a tie to the other, where weights move most
const before = Float64Array.of(0.05, -0.05, -30);
const after = Float64Array.of(-0.05, 0.05, -30);
const { maxRatio, bounds } = lipschitz(before, after, { temperature: ${T} });
console.log({ weightsMovedOverPush: maxRatio, atMost: bounds.sharp });

for (const headDim of [${SIZES.join(', ')}]) {
  const { variance, scaledVariance } = scaleExperiment({ headDim, seed: ${seed} + headDim });
  console.log({ headDim, variance, scaledVariance });
}`;
