/** A model, and a pass with changes, as native/run_decoder.c reads them. */
import { random } from '../random.js';
import { Stream } from '../stream.js';

/** Tokens of a prompt, and the chunks in which they are read. */
export const chunks = [5, 1, 17, 1];
export const tokens = Array.from({ length: 24 }, (_, x) => (x * x * 5 + 3 * x + 1) % 64);

/** The tokens again and again, n of them. */
export const promptOf = (n) => Array.from({ length: n }, (_, x) => tokens[x % tokens.length]);

export const numbers = (seed, count) => {
  const r = random(seed);
  return Float32Array.from({ length: count }, () => r.normal());
};

/** Every kind of change. */
export const changesOf = ({ layers, heads, headDim, modelDim }, n) => [
  { layer: 0, head: 1, gain: 0.5 },
  { layer: 0, head: heads - 1, gain: 0, positions: [1, 5, 6, n - 1] },
  { layer: 0, add: numbers(1, modelDim), gain: 1.5 },
  { layer: 1, at: 'z', head: 2, add: numbers(2, headDim), positions: [0, n - 1] },
  { layer: 1, at: 'mlp_out', add: numbers(3, modelDim), positions: [n - 2, n - 1] },
  { layer: 1, knockOut: { queries: [3, n - 1], keys: [0, 2, n - 2] } },
  { layer: layers - 1, head: 0, pattern: 'uniform' },
  { layer: layers - 1, head: 1, pattern: 'previous' },
  { layer: layers - 1, head: 2, knockOut: { queries: [4] } },
  { layer: layers - 1, head: 3, pattern: 'first', positions: [7, n - 1] },
];

/** The pass with interventions as decoder_changes.h reads it. It begins at position 0. */
export function giveChanges(stream, interventions, n, u) {
  stream.int(n).array(Int32Array.from(promptOf(n)));
  const edits = interventions.edits();
  stream.int(edits.length);
  for (const edit of edits) {
    const { layer, point, kind, rows = [0, n], columns, gain = 1, stride = 0 } = edit;
    const data = edit.numbers ?? new Float32Array(0);
    stream.int(layer, point, kind, ...rows, ...columns, stride, data.length);
    stream.double(gain).array(data);
  }
  const masks = [];
  const cells = new Float32Array((n * interventions.maskBytes(n)) / 4);
  interventions.writeMasks(cells, { from: 0, t: n, length: n }, ({ layer, heads }, start) =>
    masks.push({ layer, heads, numbers: cells.subarray(start, start + heads * n * n) }),
  );
  stream.int(masks.length);
  for (const mask of masks) stream.int(mask.layer, mask.heads).array(mask.numbers);
  stream.int(3, 0, 3, n - 1, n).array(u);
}

/** The model as run_decoder.c reads it. */
export function modelStream({ config: c, tensors }, q8, temperature, cacheType) {
  const gemma = c.model_type === 'gemma3_text';
  const heads = c.num_attention_heads;
  const d = c.head_dim ?? c.hidden_size / heads;
  const layers = c.num_hidden_layers;
  const flags = [
    gemma ? 2 : 0,
    c.model_type === 'qwen2',
    gemma || c.model_type === 'qwen3',
    gemma,
    c.tie_word_embeddings,
    false,
    gemma ? c.sliding_window_pattern : 0,
    c.sliding_window ?? 0,
    ['f32', 'f16', 'q8'].indexOf(cacheType),
  ];
  const stream = new Stream().int(
    layers,
    c.hidden_size,
    heads,
    c.num_key_value_heads,
    d,
    c.intermediate_size,
    c.vocab_size,
    c.max_position_embeddings,
    Number(q8),
    ...flags.map(Number),
    chunks.length,
  );
  stream.array(Int32Array.from(chunks)).array(Int32Array.from(tokens));
  stream.array(
    Float64Array.from([
      c.rms_norm_eps,
      (gemma ? c.query_pre_attn_scalar : d) ** -0.5,
      c.attn_logit_softcapping ?? 0,
      c.final_logit_softcapping ?? 0,
      gemma ? Math.fround(Math.sqrt(c.hidden_size)) : 1,
      c.rope_theta,
      c.rope_local_base_freq ?? c.rope_theta,
      ...Array.from({ length: layers * heads }, (_, x) =>
        temperature(Math.floor(x / heads), x % heads),
      ),
    ]),
  );
  // Gemma's norms are stored as 1 less
  const give = (name) =>
    stream.array(
      tensors[name] && gemma && /norm/.test(name)
        ? tensors[name].data.map((w) => 1 + w)
        : tensors[name].data,
    );
  const weight = (name) => tensors[`${name}.weight`] && give(`${name}.weight`);
  weight('model.embed_tokens');
  weight('lm_head');
  weight('model.norm');
  for (let layer = 0; layer < layers; layer++) {
    const at = `model.layers.${layer}`;
    const attention = `${at}.self_attn`;
    weight(`${at}.input_layernorm`);
    for (const x of 'qkv') weight(`${attention}.${x}_proj`);
    for (const x of 'qkv')
      if (tensors[`${attention}.${x}_proj.bias`]) give(`${attention}.${x}_proj.bias`);
    for (const x of 'qk') weight(`${attention}.${x}_norm`);
    weight(`${attention}.o_proj`);
    if (gemma) weight(`${at}.post_attention_layernorm`);
    weight(`${at}.${gemma ? 'pre_feedforward' : 'post_attention'}_layernorm`);
    for (const x of ['gate', 'up', 'down']) weight(`${at}.mlp.${x}_proj`);
    if (gemma) weight(`${at}.post_feedforward_layernorm`);
  }
  return stream;
}
