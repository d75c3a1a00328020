/** The mean of the reports, by attention and as the most likely value. */
import { ENGINE, floats } from '../../math/data-code.js';

/**
 * @param {{ words: readonly string[], z: ArrayLike<number>, v: ArrayLike<number>, T: number }} of
 */
export const codeOf = ({ words, z, v, T }) => `${ENGINE}
const { maximumLikelihood } = await ch.theory;

// ${words.join(', ')}
const scores = ${floats(z)};
const reports = ${floats(v)};
const T = ${T};

const one = Float64Array.of(1);
const { output, weights } = ch.attention(one, scores, reports, {
  headDim: 1,
  valueDim: 1,
  temperature: T,
  want: { weights: true },
});
const { estimate } = maximumLikelihood(one, scores, reports, { alpha: 1 / T });
console.log({ attention: output[0], mostLikely: estimate[0], weights });`;
