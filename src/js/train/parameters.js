/** The parameters of a trainer, by the names that Hugging Face gives those of a Llama. */
import {
  ATTN_PARAMETER_DOWN,
  ATTN_PARAMETER_EMBEDDING,
  ATTN_PARAMETER_END_NORM,
  ATTN_PARAMETER_FFN_NORM,
  ATTN_PARAMETER_GATE,
  ATTN_PARAMETER_K,
  ATTN_PARAMETER_NORM,
  ATTN_PARAMETER_O,
  ATTN_PARAMETER_OUTPUT,
  ATTN_PARAMETER_Q,
  ATTN_PARAMETER_UP,
  ATTN_PARAMETER_V,
} from '../engine/constants.js';

/** @typedef {{ name: string, shape: number[], offset: number, length: number }} Place */

/** Those of a layer, in order. @type {[number, string][]} */
const OF_LAYER = [
  [ATTN_PARAMETER_NORM, 'input_layernorm'],
  [ATTN_PARAMETER_Q, 'self_attn.q_proj'],
  [ATTN_PARAMETER_K, 'self_attn.k_proj'],
  [ATTN_PARAMETER_V, 'self_attn.v_proj'],
  [ATTN_PARAMETER_O, 'self_attn.o_proj'],
  [ATTN_PARAMETER_FFN_NORM, 'post_attention_layernorm'],
  [ATTN_PARAMETER_GATE, 'mlp.gate_proj'],
  [ATTN_PARAMETER_UP, 'mlp.up_proj'],
  [ATTN_PARAMETER_DOWN, 'mlp.down_proj'],
];

/**
 * All parameters that there are, in the order of memory.
 * @param {import('../engine/memory.js').Memory} memory
 * @param {number} trainer its address
 * @param {number} layers
 * @returns {Place[]}
 */
export function placesOf({ c }, trainer, layers) {
  const place = (/** @type {number} */ id, /** @type {string} */ name, layer = 0) => {
    const rows = c.attn_trainer_rows(trainer, id);
    const columns = c.attn_trainer_columns(trainer, id);
    return {
      name: `${name}.weight`,
      shape: columns === 1 ? [rows] : [rows, columns],
      offset: c.attn_trainer_offset(trainer, id, layer) >>> 0,
      length: rows * columns,
    };
  };
  return [
    place(ATTN_PARAMETER_EMBEDDING, 'model.embed_tokens'),
    ...Array.from({ length: layers }, (_, layer) =>
      OF_LAYER.map(([id, name]) => place(id, `model.layers.${layer}.${name}`, layer)),
    ).flat(),
    place(ATTN_PARAMETER_END_NORM, 'model.norm'),
    place(ATTN_PARAMETER_OUTPUT, 'lm_head'),
  ].filter(({ length }) => length);
}
