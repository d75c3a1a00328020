/** A row at a temperature, the ends included. */
import { ENGINE, floats } from '../../math/data-code.js';

/** @param {{ words: readonly string[], scores: ArrayLike<number>, T: number }} setting */
export const codeOf = ({ words, scores, T }) => `${ENGINE}
const words = ${JSON.stringify(words)};
const scores = ${floats(scores)};
// with one channel a query of 1 has the scores themselves as its keys
const { weights } = ch.attention(Float64Array.of(1), scores, new Float64Array(scores.length), {
  headDim: 1,
  valueDim: 1,
  scale: 1,
  temperature: ${T},
  want: { weights: true },
});
console.log({ words, weights });`;
