/** The best of all compromises, and how far a point of the triangle falls short of it. */
import { ENGINE, floats } from '../../math/data-code.js';

/**
 * @param {{ names: readonly string[], z: ArrayLike<number>, mix: ArrayLike<number>, T: number }}
 *   setting
 */
export const codeOf = ({ names, z, mix, T }) => `${ENGINE}
const { gibbs } = await ch.theory;

// ${names.join(', ')}
const scores = ${floats(z)};
const candidate = ${floats(mix)};
const { weights, gap, kl } = gibbs(scores, { temperature: ${T}, candidate });
console.log({ weights, gap, temperatureTimesDivergence: ${T} * kl });`;
