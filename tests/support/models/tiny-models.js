/**
 * Tiny models of each architecture in both formats, with seeded random weights, and their expected
 * description. The names and shapes stand here a second time, as in the files of each architecture.
 * So the loader is tested against them.
 */
import { writeGguf, writeSafetensors } from './gguf-writer.js';
import { random } from '../random.js';

/** Sizes, all different where they may be, so that exchanged ones are found. */
export const SIZES = {
  vocab: 14,
  layers: 2,
  modelDim: 8,
  heads: 2,
  kvHeads: 1,
  headDim: 6,
  ffnDim: 10,
  context: 64,
};

const TRAITS = {
  llama: {},
  qwen2: { bias: true },
  qwen3: { norm: true },
  gemma3: { norm: true, post: true },
};

/** [name in GGUF, name in safetensors, shape] of one layer. */
function layerTensors({ bias, norm, post }, { modelDim, heads, kvHeads, headDim, ffnDim }) {
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  return [
    ['attn_norm.weight', 'input_layernorm.weight', [modelDim]],
    ['attn_q.weight', 'self_attn.q_proj.weight', [q, modelDim]],
    ['attn_k.weight', 'self_attn.k_proj.weight', [kv, modelDim]],
    ['attn_v.weight', 'self_attn.v_proj.weight', [kv, modelDim]],
    ...(bias
      ? [
          ['attn_q.bias', 'self_attn.q_proj.bias', [q]],
          ['attn_k.bias', 'self_attn.k_proj.bias', [kv]],
          ['attn_v.bias', 'self_attn.v_proj.bias', [kv]],
        ]
      : []),
    ...(norm
      ? [
          ['attn_q_norm.weight', 'self_attn.q_norm.weight', [headDim]],
          ['attn_k_norm.weight', 'self_attn.k_norm.weight', [headDim]],
        ]
      : []),
    ['attn_output.weight', 'self_attn.o_proj.weight', [modelDim, q]],
    ...(post
      ? [['post_attention_norm.weight', 'post_attention_layernorm.weight', [modelDim]]]
      : []),
    [
      'ffn_norm.weight',
      post ? 'pre_feedforward_layernorm.weight' : 'post_attention_layernorm.weight',
      [modelDim],
    ],
    ['ffn_gate.weight', 'mlp.gate_proj.weight', [ffnDim, modelDim]],
    ['ffn_up.weight', 'mlp.up_proj.weight', [ffnDim, modelDim]],
    ['ffn_down.weight', 'mlp.down_proj.weight', [modelDim, ffnDim]],
    ...(post ? [['post_ffw_norm.weight', 'post_feedforward_layernorm.weight', [modelDim]]] : []),
  ];
}

/** The tensors of a model, named as `format` names them. */
export function tinyTensors(architecture, format, { tied = true, sizes = SIZES, seed = 1 } = {}) {
  const r = random(seed);
  const column = format === 'gguf' ? 0 : 1;
  const prefix = (layer) => (format === 'gguf' ? `blk.${layer}.` : `model.layers.${layer}.`);
  const all = [
    [['token_embd.weight', 'model.embed_tokens.weight'][column], [sizes.vocab, sizes.modelDim]],
    [['output_norm.weight', 'model.norm.weight'][column], [sizes.modelDim]],
    ...(tied ? [] : [[['output.weight', 'lm_head.weight'][column], [sizes.vocab, sizes.modelDim]]]),
  ];
  for (let layer = 0; layer < sizes.layers; layer++)
    for (const [gguf, json, shape] of layerTensors(TRAITS[architecture], sizes))
      all.push([prefix(layer) + [gguf, json][column], shape]);
  return all.map(([name, shape]) => ({
    name,
    shape,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => r.normal()),
  }));
}

/** A SentencePiece vocabulary of 14 tokens. */
export const TOKENS = [
  '<unk>',
  '<s>',
  '</s>',
  '\u2581',
  'a',
  'b',
  'ab',
  '\u2581a',
  '\u2581ab',
  'abab',
  '<|user|>',
  '\u2581b',
  'ba',
  'c',
];
const KINDS = Int32Array.from([2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1]);

export const tokenizerMetadata = () => ({
  'tokenizer.ggml.model': 'llama',
  'tokenizer.ggml.tokens': TOKENS,
  'tokenizer.ggml.scores': Float32Array.from(TOKENS, (_, id) => -id),
  'tokenizer.ggml.token_type': KINDS,
  'tokenizer.ggml.bos_token_id': 1,
  'tokenizer.ggml.eos_token_id': 2,
  'tokenizer.ggml.unknown_token_id': 0,
});

/** The metadata of a model; undefined fields are left out. */
export function tinyMetadata(architecture, { sizes = SIZES, ...more } = {}) {
  const all = {
    'general.architecture': architecture,
    [`${architecture}.block_count`]: sizes.layers,
    [`${architecture}.embedding_length`]: sizes.modelDim,
    [`${architecture}.attention.head_count`]: sizes.heads,
    [`${architecture}.attention.head_count_kv`]: sizes.kvHeads,
    [`${architecture}.attention.key_length`]: sizes.headDim,
    [`${architecture}.attention.value_length`]: sizes.headDim,
    [`${architecture}.feed_forward_length`]: sizes.ffnDim,
    [`${architecture}.context_length`]: sizes.context,
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { type: 'f32', value: 1e-5 },
    ...tokenizerMetadata(),
    ...more,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** A GGUF file; `more` metadata, and `edit` may change the list of tensors. */
export function tinyGguf(
  architecture = 'llama',
  { metadata = {}, edit = (tensors) => tensors, tied = true, sizes = SIZES } = {},
) {
  return writeGguf({
    metadata: tinyMetadata(architecture, { sizes, ...metadata }),
    tensors: edit(tinyTensors(architecture, 'gguf', { tied, sizes })),
  });
}

/** config.json of a model. */
export const tinyConfig = (architecture, more = {}) => ({
  model_type: architecture === 'gemma3' ? 'gemma3_text' : architecture,
  hidden_size: SIZES.modelDim,
  num_hidden_layers: SIZES.layers,
  num_attention_heads: SIZES.heads,
  num_key_value_heads: SIZES.kvHeads,
  head_dim: SIZES.headDim,
  intermediate_size: SIZES.ffnDim,
  vocab_size: SIZES.vocab,
  max_position_embeddings: SIZES.context,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
  ...more,
});

/** Weights and config of a model as safetensors; the tokenizer is up to the test. */
export const tinyJson = (
  architecture = 'llama',
  { config = {}, edit = (tensors) => tensors, tied = true } = {},
) => ({
  weights: writeSafetensors({ tensors: edit(tinyTensors(architecture, 'json', { tied })) }),
  config: tinyConfig(architecture, { tie_word_embeddings: tied, ...config }),
});
