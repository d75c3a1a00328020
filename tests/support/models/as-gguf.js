/** Random models as GGUF files, with the names and the order of rows of llama.cpp. */
import { half, toHalf } from './blocks.js';
import { frequenciesOf } from './forward.js';
import { writeGguf } from './gguf-writer.js';

const GGUF_NAMES = [
  [/^model\.embed_tokens/, 'token_embd'],
  [/^model\.norm/, 'output_norm'],
  [/^lm_head/, 'output'],
  [/^model\.layers\.(\d+)\./, 'blk.$1.'],
  [/input_layernorm/, 'attn_norm'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.([qk])_norm/, 'attn_$1_norm'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/pre_feedforward_layernorm/, 'ffn_norm'],
  [/post_feedforward_layernorm/, 'post_ffw_norm'],
  [/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
];

/**
 * A vocabulary of that many words: three control tokens, then the printable characters with a space
 * mark before some.
 * @param {number} size
 */
export function vocabulary(size) {
  const tokens = [
    '<unk>',
    '<s>',
    '</s>',
    ...Array.from({ length: size - 3 }, (_, x) =>
      x < 26
        ? String.fromCharCode(97 + x)
        : x < 52
          ? `▁${String.fromCharCode(39 + 32 + x)}`
          : x === 52
            ? '▁'
            : `word${x}`,
    ),
  ];
  return {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': Float32Array.from(tokens, (_, x) => -x),
    'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, x) => (x === 0 ? 2 : x < 3 ? 3 : 1)),
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
  };
}

/** A matrix of floats as Q5_0, its values from −15·d to 15·d; another tensor as it is. */
export function asQ5_0({ name, shape, data }) {
  if (shape.length === 1) return { name, shape, data };
  const bytes = new Uint8Array((data.length / 32) * 22);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < data.length / 32; block++) {
    const x = data.subarray(32 * block, 32 * block + 32);
    const h = toHalf(x.reduce((a, b) => Math.max(a, Math.abs(b)), 0) / 15);
    const at = 22 * block;
    const q = Array.from(x, (y) => Math.round(y / half(h)) + 16);
    view.setUint16(at, h, true);
    q.forEach((y, c) => (bytes[at + 2 + (c >> 3)] |= (y >> 4) << (c & 7)));
    for (let c = 0; c < 16; c++) bytes[at + 6 + c] = (q[c] & 15) | ((q[c + 16] & 15) << 4);
  }
  return { name, shape, type: 'Q5_0', data: bytes };
}

/**
 * As converted for llama.cpp: other names, and rows of q and k of llama with rotary pairs side by
 * side. Gemma's norms hold 1 + w, and Llama 3's rope is stored as factors.
 * @param {ReturnType<typeof import('./random-models.js').tiny>} model
 * @param {any} [metadata]
 * @param {(tensor: any) => any} [store] may give a tensor another type
 */
export function asGguf({ config: c, tensors }, metadata = {}, store = (tensor) => tensor) {
  const architecture = c.model_type === 'gemma3_text' ? 'gemma3' : c.model_type;
  const gemma3 = architecture === 'gemma3';
  const heads = c.num_attention_heads;
  const kvHeads = c.num_key_value_heads;
  const d = c.head_dim ?? c.hidden_size / heads;
  const keys = {
    context_length: c.max_position_embeddings,
    embedding_length: c.hidden_size,
    block_count: c.num_hidden_layers,
    feed_forward_length: c.intermediate_size,
    'attention.head_count': heads,
    'attention.head_count_kv': kvHeads,
    'attention.key_length': d,
    'attention.value_length': d,
    'attention.layer_norm_rms_epsilon': { type: 'f32', value: c.rms_norm_eps },
    'rope.freq_base': { type: 'f32', value: c.rope_theta },
    ...(c.sliding_window && {
      'attention.sliding_window': c.sliding_window,
      'attention.sliding_window_pattern': c.sliding_window_pattern,
    }),
    ...(c.final_logit_softcapping && {
      final_logit_softcapping: { type: 'f32', value: c.final_logit_softcapping },
    }),
    ...(c.rope_scaling?.rope_type === 'linear' && {
      'rope.scaling.type': 'linear',
      'rope.scaling.factor': { type: 'f32', value: c.rope_scaling.factor },
    }),
  };
  const list = Object.entries(tensors).map(([name, { shape, data }]) => {
    const isNorm = /norm/.test(name);
    let to = GGUF_NAMES.reduce((text, [from, with_]) => text.replace(from, with_), name);
    to = to.replace('post_attention_layernorm', gemma3 ? 'post_attention_norm' : 'ffn_norm');
    const [, which] = name.match(/self_attn\.([qk])_proj/) ?? [];
    const rows =
      which && architecture === 'llama'
        ? sideBySide(data, which === 'q' ? heads : kvHeads, d)
        : data;
    return { name: to, shape, data: gemma3 && isNorm ? rows.map((w) => 1 + w) : rows };
  });
  if (c.rope_scaling?.rope_type === 'llama3') {
    // by which llama.cpp divides each frequency
    const scaled = frequenciesOf(d, c.rope_theta, c.rope_scaling);
    list.push({
      name: 'rope_freqs.weight',
      shape: [d / 2],
      data: Float32Array.from(frequenciesOf(d, c.rope_theta), (f, x) => f / scaled[x]),
    });
  }
  return writeGguf({
    metadata: {
      'general.architecture': architecture,
      ...Object.fromEntries(
        Object.entries(keys).map(([key, value]) => [`${architecture}.${key}`, value]),
      ),
      ...vocabulary(c.vocab_size),
      ...metadata,
    },
    tensors: list.map(store),
  });
}

/** Row j and row j + d/2 of each head become rows 2j and 2j + 1. */
function sideBySide(data, heads, d) {
  const columns = data.length / (heads * d);
  const out = new Float32Array(data.length);
  for (let h = 0; h < heads; h++)
    for (let row = 0; row < d; row++) {
      const from = h * d + (row % 2) * (d / 2) + Math.floor(row / 2);
      out.set(data.subarray(from * columns, (from + 1) * columns), (h * d + row) * columns);
    }
  return out;
}
