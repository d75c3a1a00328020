/** The ledger of a logit and the lens in float64, from the plain forward pass. */
import { forward } from './forward.js';

const outputOf = ({ config, tensors }) =>
  tensors[config.tie_word_embeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'];
const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);

/**
 * Every number that was added to the residual stream, from the arrays of the pass at one position.
 * @param {{ config: any, tensors: Record<string, { data: Float32Array }> }} model
 * @param {ArrayLike<number>} tokens
 * @param {number} position
 * @param {number[]} ids one, or two whose difference is taken
 */
export function ledgerOf(model, tokens, position, ids) {
  const { config, tensors } = model;
  const { hidden_size: dim, num_attention_heads: heads, num_hidden_layers: layers } = config;
  const isGemma = config.model_type === 'gemma3_text';
  const gain = (name) => Float64Array.from(tensors[`${name}.weight`].data, (w) => w + +isGemma);
  const bias = (name) => tensors[`${name}.bias`]?.data;
  const seen = {};
  const hook = (name, layer, at, y) => {
    if (at === position) seen[`${name} ${layer}`] = y.slice();
  };
  const { logits } = forward(model, tokens.slice(0, position + 1), { hook })[position];
  const output = outputOf(model);
  const row = (id) => output.data.subarray(id * dim, (id + 1) * dim);
  const last = seen[`resid_post ${layers - 1}`];
  const scale = Math.sqrt(dot(last, last) / dim + config.rms_norm_eps);
  const norm = gain('model.norm');
  const u = norm.map((g, c) => ((row(ids[0])[c] - (ids[1] >= 0 ? row(ids[1])[c] : 0)) * g) / scale);
  const parts = { scale, embedding: dot(u, seen['resid_pre 0']) };
  parts.heads = [];
  parts.feedForward = [];
  parts.biases = [];
  for (let layer = 0; layer < layers; layer++) {
    const at = `model.layers.${layer}`;
    const w = tensors[`${at}.self_attn.o_proj.weight`].data;
    const z = seen[`z ${layer}`];
    const d = z.length / heads;
    const ofHead = (head) =>
      Float64Array.from({ length: dim }, (_, r) => {
        const from = r * z.length + head * d;
        return dot(z.slice(head * d, (head + 1) * d), w.subarray(from, from + d));
      });
    const results = Array.from({ length: heads }, (_, head) => ofHead(head));
    const outBias = Float64Array.from(bias(`${at}.self_attn.o_proj`) ?? new Float64Array(dim));
    const all = results.reduce((sum, y) => sum.map((x, c) => x + y[c]), outBias);
    const rms = isGemma ? Math.sqrt(dot(all, all) / dim + config.rms_norm_eps) : 1;
    const post = isGemma ? gain(`${at}.post_attention_layernorm`) : null;
    const through = u.map((x, c) => (x * (post?.[c] ?? 1)) / rms);
    const down = bias(`${at}.mlp.down_proj`);
    parts.heads.push(...results.map((y) => dot(through, y)));
    parts.biases.push(dot(through, outBias) + (down ? dot(u, down) : 0));
    parts.feedForward.push(dot(u, seen[`mlp_out ${layer}`]) - (down ? dot(u, down) : 0));
  }
  const cap = config.final_logit_softcapping;
  const raw = ids.map((id) => (cap ? cap * Math.atanh(logits[id] / cap) : logits[id]));
  return { ...parts, logit: raw[0] - (raw[1] ?? 0) };
}

/** The logits of the last norm and the output matrix on the stream behind each layer. */
export function lensOf(model, tokens, position) {
  const { config, tensors } = model;
  const { hidden_size: dim, num_hidden_layers: layers } = config;
  const isGemma = config.model_type === 'gemma3_text';
  const output = outputOf(model);
  const streams = [];
  const hook = (name, layer, at, y) => {
    if (name === 'resid_post' && at === position) streams[layer] = y.slice();
  };
  forward(model, tokens.slice(0, position + 1), { hook });
  const cap = config.final_logit_softcapping;
  return Array.from({ length: layers }, (_, layer) => {
    const x = streams[layer];
    const scale = Math.sqrt(dot(x, x) / dim + config.rms_norm_eps);
    const h = x.map((y, c) => (y / scale) * (tensors['model.norm.weight'].data[c] + +isGemma));
    return Array.from({ length: config.vocab_size }, (_, id) => {
      const z = dot(h, output.data.subarray(id * dim, (id + 1) * dim));
      return cap ? cap * Math.tanh(z / cap) : z;
    });
  });
}
