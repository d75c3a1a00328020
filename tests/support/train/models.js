/** Small Llamas as a trainer has them. */
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
  activation: 'silu',
  tiedOutput: c.tie_word_embeddings,
});

/** The parameters as a trainer lists them. */
export const parametersOf = ({ tensors }) =>
  Object.entries(tensors).map(([name, { shape, data }]) => ({ name, shape, data }));
