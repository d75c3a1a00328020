/**
 * Tiny models with random weights, one or more for each architecture, as Hugging Face's config.json
 * and tensors; and as files.
 */
import { writeSafetensors } from './gguf-writer.js';
import { random } from '../random.js';

export { asGguf, asQ5_0, vocabulary } from './as-gguf.js';

const common = {
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 64,
  rms_norm_eps: 1e-5,
  max_position_embeddings: 96,
  rope_theta: 10000,
};
const gemma = {
  ...common,
  model_type: 'gemma3_text',
  num_hidden_layers: 7,
  num_key_value_heads: 1,
  head_dim: 12,
  sliding_window: 5,
  sliding_window_pattern: 3,
  rope_theta: 1e6,
  rope_local_base_freq: 10000,
  query_pre_attn_scalar: 12,
  rms_norm_eps: 1e-6,
  hidden_activation: 'gelu_pytorch_tanh',
  tie_word_embeddings: true,
};

/** @type {Record<string, any>} */
export const configs = {
  'llama, untied, heads of its own': {
    ...common,
    model_type: 'llama',
    num_key_value_heads: 4,
    tie_word_embeddings: false,
  },
  'llama, tied, grouped': { ...common, model_type: 'llama', tie_word_embeddings: true },
  'llama 3 rope': {
    ...common,
    model_type: 'llama',
    num_key_value_heads: 1,
    tie_word_embeddings: true,
    rope_theta: 5e5,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 24,
    },
  },
  'llama, linear rope': {
    ...common,
    model_type: 'llama',
    tie_word_embeddings: true,
    rope_scaling: { rope_type: 'linear', factor: 4 },
  },
  'llama, biases everywhere': {
    ...common,
    model_type: 'llama',
    tie_word_embeddings: true,
    attention_bias: true,
    mlp_bias: true,
  },
  'qwen3, biases of attention': {
    ...common,
    model_type: 'qwen3',
    head_dim: 8,
    tie_word_embeddings: true,
    attention_bias: true,
  },
  qwen2: { ...common, model_type: 'qwen2', tie_word_embeddings: true, rope_theta: 1e6 },
  'qwen3, wide heads': {
    ...common,
    model_type: 'qwen3',
    head_dim: 14,
    tie_word_embeddings: true,
    rope_theta: 1e6,
  },
  'qwen3, untied': { ...common, model_type: 'qwen3', head_dim: 6, tie_word_embeddings: false },
  gemma3: gemma,
  'gemma3, softcaps': {
    ...gemma,
    query_pre_attn_scalar: 20,
    attn_logit_softcapping: 3,
    final_logit_softcapping: 4,
  },
  'gemma3, linear rope': { ...gemma, rope_scaling: { rope_type: 'linear', factor: 8 } },
};

/**
 * @param {any} config
 * @returns {{ config: any, tensors: Record<string, { shape: number[], data: Float32Array }> }}
 */
export function tiny(config, seed = 1) {
  const r = random(seed);
  const tensors = {};
  const {
    hidden_size: dim,
    intermediate_size: hidden,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    vocab_size: vocab,
    model_type: type,
  } = config;
  const d = config.head_dim ?? dim / heads;
  const isGemma = type === 'gemma3_text';
  const matrix = (name, rows, columns, size = 1.5) =>
    (tensors[`${name}.weight`] = {
      shape: [rows, columns],
      data: Float32Array.from(
        { length: rows * columns },
        () => (r.normal() * size) / Math.sqrt(columns),
      ),
    });
  const bias = (name, size) =>
    (tensors[`${name}.bias`] = {
      shape: [size],
      data: Float32Array.from({ length: size }, () => r.normal()),
    });
  const norm = (name, size) =>
    (tensors[`${name}.weight`] = {
      shape: [size],
      data: Float32Array.from({ length: size }, () => (isGemma ? 0 : 1) + 0.3 * r.normal()),
    });
  matrix('model.embed_tokens', vocab, dim, isGemma ? 1 : 5);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `model.layers.${layer}`;
    norm(`${at}.input_layernorm`, dim);
    for (const [name, rows] of [
      ['q', heads * d],
      ['k', kvHeads * d],
      ['v', kvHeads * d],
    ]) {
      matrix(`${at}.self_attn.${name}_proj`, rows, dim);
      if (type === 'qwen2' || config.attention_bias) bias(`${at}.self_attn.${name}_proj`, rows);
    }
    if (type === 'qwen3' || isGemma)
      for (const name of ['q', 'k']) norm(`${at}.self_attn.${name}_norm`, d);
    matrix(`${at}.self_attn.o_proj`, dim, heads * d);
    if (config.attention_bias) bias(`${at}.self_attn.o_proj`, dim);
    norm(`${at}.post_attention_layernorm`, dim);
    if (isGemma)
      for (const name of ['pre', 'post']) norm(`${at}.${name}_feedforward_layernorm`, dim);
    matrix(`${at}.mlp.gate_proj`, hidden, dim);
    matrix(`${at}.mlp.up_proj`, hidden, dim);
    matrix(`${at}.mlp.down_proj`, dim, hidden);
    if (config.mlp_bias)
      for (const [name, size] of [
        ['gate', hidden],
        ['up', hidden],
        ['down', dim],
      ])
        bias(`${at}.mlp.${name}_proj`, size);
  }
  norm('model.norm', dim);
  if (!config.tie_word_embeddings) matrix('lm_head', vocab, dim);
  return { config, tensors };
}

/** For loadModel. @param {ReturnType<typeof tiny>} model @param {any} [more] tokenizer and so on */
export const asSafetensors = ({ config, tensors }, more) => ({
  weights: writeSafetensors({
    tensors: Object.entries(tensors).map(([name, tensor]) => ({ name, ...tensor })),
  }),
  config,
  ...more,
});
