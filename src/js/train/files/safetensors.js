/** Writes a model as model.safetensors and config.json, as Hugging Face has them. */
import { joined } from '../../model/files/bytes.js';
import { utf8Encoder } from '../../engine/utf8.js';
import { savedConfig, savedTensors } from './model.js';
import { encode } from './weights.js';

/**
 * @typedef {import('./model.js').Sizes} Sizes
 * @typedef {import('./model.js').Parameter} Parameter
 */

/** The header's length is a multiple of this, so that every float lies aligned in the file. */
const ALIGNMENT = 8;

/**
 * The bytes of model.safetensors and the object of config.json. Names and shapes are those of
 * LlamaForCausalLM.
 * @param {Sizes} sizes
 * @param {readonly Parameter[]} parameters
 * @param {'F32' | 'F16'} type
 * @param {{ bos?: number, eos?: number }} [marks] ids that begin and end a text
 */
export function writeModel(sizes, parameters, type, marks) {
  const config = savedConfig(sizes);
  return {
    weights: writeSafetensors(savedTensors(config, parameters, 'json'), type),
    config: configJson(config, type, marks),
  };
}

/**
 * The length of a JSON header, the header and the data (the README of safetensors). transformers
 * refuses a file whose metadata do not name a format.
 * @param {import('./model.js').SavedTensor[]} tensors
 * @param {'F32' | 'F16'} type
 */
function writeSafetensors(tensors, type) {
  const data = tensors.map((tensor) => encode(type, tensor));
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: { format: 'pt' } };
  let at = 0;
  tensors.forEach(({ name, shape }, x) => {
    header[name] = { dtype: type, shape, data_offsets: [at, (at += data[x].length)] };
  });
  const text = utf8Encoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  const start = new Uint8Array(8 + length).fill(0x20);
  new DataView(start.buffer).setBigUint64(0, BigInt(length), true);
  start.set(text, 8);
  return joined([start, ...data], start.length + at);
}

/**
 * @param {import('../../model/types.d.ts').ModelConfig} config
 * @param {'F32' | 'F16'} type
 * @param {{ bos?: number, eos?: number }} [marks]
 */
const configJson = (config, type, { bos, eos } = {}) => ({
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  torch_dtype: { F32: 'float32', F16: 'float16' }[type],
  vocab_size: config.vocab,
  hidden_size: config.modelDim,
  num_hidden_layers: config.layers,
  num_attention_heads: config.heads,
  num_key_value_heads: config.kvHeads,
  head_dim: config.headDim,
  intermediate_size: config.ffnDim,
  hidden_act: 'silu',
  max_position_embeddings: config.context,
  rms_norm_eps: config.normEps,
  rope_theta: config.ropeTheta,
  rope_scaling: null,
  attention_bias: false,
  mlp_bias: false,
  tie_word_embeddings: config.tiedOutput,
  bos_token_id: bos ?? null,
  eos_token_id: eos ?? null,
});
