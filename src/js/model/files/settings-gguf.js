import { anyOf } from './settings.js';

/**
 * Settings of GGUF that config-gguf.js may not ask for. The names are those of llama.cpp
 * (LLM_KV_NAMES in llama-arch.cpp), without the architecture before them.
 * @type {import('./settings.js').Rules}
 */
export const GGUF_RULES = {
  neutral: {
    'attention.causal': [true],
    'attention.max_alibi_bias': [0],
    'attention.clamp_kqv': [0],
    'attention.scale': [0],
    'attention.output_scale': [0, 1],
    'attention.value_scale': [0, 1],
    'attention.temperature_length': [0],
    'attention.temperature_scale': [0],
    'attention.relative_buckets_count': [0],
    'attention.shared_kv_layers': [0],
    'attention.q_lora_rank': [0],
    'attention.kv_lora_rank': [0],
    'attention.key_length_mla': [0],
    'attention.value_length_mla': [0],
    'attention.indexer.top_k': [0],
    'rope.scaling.alpha': [0],
    'rope.scaling.yarn_log_multiplier': [0],
    'rope.scaling.yarn_attn_factor': [1],
    attn_logit_softcapping: [0],
    final_logit_softcapping: [0],
    router_logit_softcapping: [0],
    logit_scale: [0, 1],
    residual_scale: [0, 1],
    embedding_scale: [0],
    swin_norm: [false],
    use_parallel_residual: [false],
    norm_before_residual: [false],
    pooling_type: [0],
    embedding_length_per_layer_input: [0],
    leading_dense_block_count: [0],
    nextn_predict_layers: [0],
    n_deepstack_layers: [0],
    moe_every_n_layers: [0],
    interleave_moe_layer_step: [0],
    moe_latent_size: [0],
    full_attention_interval: [0, 1],
    rescale_every_n_layers: [0],
    hash_layer_count: [0],
  },
  // Experts are counted apart. The norms here have only the epsilon of rms, and a period of
  // windows does nothing without a window.
  harmless: anyOf(
    '^experts?_ ^attention\\.(layer|group)_norm_ ^attention\\.sliding_window_pattern$',
    '^rope\\.scaling\\.(finetuned|original_context_length|yarn_beta_fast|yarn_beta_slow)$',
  ),
  telling: anyOf(
    'attention attn causal rope rotary scal temperature softcap clamp alibi window swa lora',
    'expert moe pool classifier dense_ norm bias residual activation _act$ token_shift',
    'layers?_ _layers _length indexer hyper_connection ssm wkv kda conv deepstack',
  ),
};
