/**
 * The rotary table of layers and of models: cos and sin of all positions, from frequencies that may
 * be scaled for long contexts. Settings are checked before they come here.
 *
 * @typedef {import('../engine/memory.js').Memory} Memory
 *
 * @typedef {object} Llama3
 * @property {'llama3'} type
 * @property {number} factor
 * @property {number} lowFreqFactor
 * @property {number} highFreqFactor
 * @property {number} original context before scaling
 *
 * @typedef {object} Yarn
 * @property {'yarn'} type
 * @property {number} factor
 * @property {number} betaFast
 * @property {number} betaSlow
 * @property {number} original context before scaling
 * @property {boolean} truncate whether the ends of the ramp are whole pairs
 * @property {number} [attentionFactor] of cos and sin, default from factor and both mscales
 * @property {number} [mscale] default 0, not given
 * @property {number} [mscaleAllDim] default 0, not given
 *
 * @typedef {{ type: 'none' }
 *   | { type: 'linear' | 'ntk', factor: number }
 *   | { type: 'dynamic', factor: number, length: number, original: number }
 *   | { type: 'factors', divisors: number, factor?: number }
 *   | Llama3 | Yarn} Kinds divisors: address of
 *   float32 (dim/2), one for each frequency; factor: divides all of them, default 1
 *
 * @typedef {Kinds & { attentionScale?: number }} Scaling attentionScale: multiplies cos and sin,
 *   default 1
 */

/**
 * Writes the frequencies of all pairs.
 * @param {Memory} memory
 * @param {number} to address of float64 (dim/2)
 * @param {number} dim
 * @param {number} base
 * @param {Scaling} scaling
 */
export function writeFrequencies(memory, to, dim, base, scaling) {
  const { c } = memory;
  c.attn_rope_frequencies(to, dim, scaledBase(memory, dim, base, scaling));
  switch (scaling.type) {
    case 'linear':
      c.attn_rope_linear(to, dim, scaling.factor);
      break;
    case 'llama3': {
      const { factor, lowFreqFactor, highFreqFactor, original } = scaling;
      c.attn_rope_llama3(to, dim, factor, lowFreqFactor, highFreqFactor, original);
      break;
    }
    case 'yarn': {
      const { factor, betaFast, betaSlow, original, truncate } = scaling;
      c.attn_rope_yarn(to, dim, base, factor, betaFast, betaSlow, original, Number(truncate));
      break;
    }
    case 'factors': {
      const frequencies = memory.view('float64', to, dim / 2);
      const divisors = memory.view('float32', scaling.divisors, dim / 2);
      for (let pair = 0; pair < dim / 2; pair++) frequencies[pair] /= divisors[pair];
      c.attn_rope_linear(to, dim, scaling.factor ?? 1);
      break;
    }
  }
}

/**
 * Writes cos and sin of positions, and returns their factor.
 * @param {Memory} memory
 * @param {{ cos: number, sin: number, frequencies: number }} at addresses: float32 (positions,
 *   dim/2) twice, float64 (dim/2)
 * @param {number} dim
 * @param {Scaling} scaling
 * @param {number} from the first position
 * @param {number} positions
 */
export function writeTable(memory, { cos, sin, frequencies }, dim, scaling, from, positions) {
  const factor = attentionFactorOf(memory, scaling);
  memory.c.attn_rope_table(cos, sin, frequencies, dim, from, positions, factor);
  return factor;
}

/**
 * NTK-aware scaling changes the base.
 * @param {Memory} memory
 * @param {number} dim
 * @param {number} base
 * @param {Scaling} scaling
 */
function scaledBase({ c }, dim, base, scaling) {
  if (scaling.type === 'ntk') return c.attn_rope_ntk_base(dim, base, scaling.factor);
  if (scaling.type !== 'dynamic') return base;
  const { factor, length, original } = scaling;
  return c.attn_rope_ntk_base(dim, base, c.attn_rope_dynamic_factor(factor, length, original));
}

/** The factor of cos and sin. @param {Memory} memory @param {Scaling} scaling */
function attentionFactorOf({ c }, scaling) {
  const { attentionScale = 1 } = scaling;
  if (scaling.type !== 'yarn') return attentionScale;
  const { factor, mscale = 0, mscaleAllDim = 0, attentionFactor } = scaling;
  return (
    attentionScale * (attentionFactor ?? c.attn_rope_yarn_attention(factor, mscale, mscaleAllDim))
  );
}
