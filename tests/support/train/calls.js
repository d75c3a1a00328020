/** Random calls of attentionGradient: those of attention with an upstream gradient. */
import { build, randomCase } from '../cases.js';
import { random } from '../random.js';

/** Whether a mask has numbers that have a gradient. */
const isFloat = (mask) => mask !== undefined && !(mask.data instanceof Uint8Array);

/** All gradients that the options of a call have. */
export const wantsOf = ({ keyScale, sinks, mask }) => ({
  dKeyScale: keyScale !== undefined,
  dSinks: sinks !== undefined,
  dBias: isFloat(mask),
  dScale: true,
  dTemperature: true,
});

/**
 * A case from a seed, with a temperature that has a gradient.
 * @param {number} seed
 * @param {Float32ArrayConstructor | Float64ArrayConstructor} Type
 * @param {'bhsd' | 'bshd'} [layout]
 */
export function randomGradient(seed, Type, layout) {
  const c = randomCase(seed);
  const { q, k, v, options } = build(c, Type, layout);
  const r = random(seed ^ 0x5eed);
  if (options.temperature === 0 || options.temperature === Infinity) options.temperature = 2;
  const { batch, heads, m, dv } = c.shape;
  const dOutput = Type.from({ length: batch * heads * m * dv }, () => r.normal());
  return { c, q, k, v, dOutput, options };
}
