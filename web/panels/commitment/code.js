/** The best use of a budget. */
import { ENGINE, floats } from '../../math/data-code.js';

/** @param {{ words: readonly string[], scores: ArrayLike<number>, share: number }} setting */
export const codeOf = ({ words, scores, share }) => `${ENGINE}
const { klBudget } = await ch.theory;

// ${words.join(', ')}
const scores = ${floats(scores)};
const { rhoMax } = klBudget(scores, 0); // the largest budget, in nats
const { temperature, expectedScore, weights } = klBudget(scores, ${share} * rhoMax);
console.log({ temperature, expectedScore, weights });`;
