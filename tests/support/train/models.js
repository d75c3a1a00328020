/** Small Llamas as a trainer has them: sizes and parameters by role. */
import { configs, tiny } from '../models/random-models.js';

/** Matrices of whole blocks of Q8_0. */
export const blocks = { ...configs['llama, tied, grouped'], intermediate_size: 64 };
export const untied = { ...blocks, num_key_value_heads: 4, tie_word_embeddings: false };
export { tiny };

/** The sizes in a config.json, by the names of a trainer. */
export const sizesOf = (c) => ({
  vocab: c.vocab_size,
  layers: c.num_hidden_layers,
  modelDim: c.hidden_size,
  heads: c.num_attention_heads,
  kvHeads: c.num_key_value_heads,
  headDim: c.hidden_size / c.num_attention_heads,
  ffnDim: c.intermediate_size,
  context: c.max_position_embeddings,
  normEps: c.rms_norm_eps,
  ropeTheta: c.rope_theta,
  tiedOutput: c.tie_word_embeddings,
});

/** The tensors of Hugging Face by role. */
export function parametersOf({ config, tensors }) {
  const data = (name) => tensors[`${name}.weight`]?.data ?? null;
  return {
    embedding: data('model.embed_tokens'),
    outputNorm: data('model.norm'),
    output: data('lm_head'),
    layers: Array.from({ length: config.num_hidden_layers }, (_, layer) => {
      const own = (name) => data(`model.layers.${layer}.${name}`);
      return {
        attnNorm: own('input_layernorm'),
        q: own('self_attn.q_proj'),
        k: own('self_attn.k_proj'),
        v: own('self_attn.v_proj'),
        attnOut: own('self_attn.o_proj'),
        ffnNorm: own('post_attention_layernorm'),
        gate: own('mlp.gate_proj'),
        up: own('mlp.up_proj'),
        down: own('mlp.down_proj'),
      };
    }),
  };
}
