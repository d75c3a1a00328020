import { anyOf } from './settings.js';

/**
 * Settings of config.json that config-json.js may not ask for. The names are those of
 * transformers, and of models whose code is not in it.
 * @type {import('./settings.js').Rules}
 */
export const JSON_RULES = {
  neutral: {
    is_causal: [true],
    use_bidirectional_attention: [false],
    bidirectional: [false],
    is_encoder_decoder: [false],
    add_cross_attention: [false],
    use_mrope: [false],
    use_bias: [false],
    bias: [false],
    o_bias: [false],
    attention_out_bias: [false],
    qk_layernorm: [false],
    alibi: [false],
    use_alibi: [false],
    parallel_attn: [false],
    use_parallel_residual: [false],
    attn_logit_softcapping: [0],
    final_logit_softcapping: [0],
    rotary_pct: [1],
    logit_scale: [1],
    logits_scaling: [1],
    embedding_multiplier: [1],
    residual_multiplier: [1],
    attention_chunk_size: [0],
    router_aux_loss_coef: [0],
    shared_expert_intermediate_size: [0],
  },
  // Some of these concern programs and training, and others belong to parts that are off or absent.
  harmless: anyOf(
    '(^|_)(dropout|pdrop|dropout_prob)$ flash ^_?attn_implementation ^output_attentions$',
    '^attention_softmax_in_fp32$ ^initializer_ ^layer_norm_eps ^max_window_layers$',
    '^use_sliding_window$ ^rope_local_base_freq$ ^num_experts_per_tok$ ^moe_intermediate_size$',
    '^norm_topk_prob$',
  ),
  telling: anyOf(
    'attention attn causal bidirectional encoder_decoder rope rotary scal multiplier softcap',
    'clip_qkv clamp alibi window norm bias residual query_pre lora_rank _head_dim linear_',
    'expert moe router conv mamba ssm act(ivation)?_fn _act$',
  ),
};
