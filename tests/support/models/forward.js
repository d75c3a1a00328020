/**
 * Whole models as their papers write them, in float64 and one token after the other, to hold the
 * decoder against. One function for each architecture, which reads Hugging Face's config.json and
 * tensor names (rotate-half RoPE); it shares no code with src. Attention is that of reference.js.
 *
 *   forward(model, tokens, { temperature(layer, head) }) → for each token { logits, layers: [{ q,
 *   k, v, weights }] }
 *
 * where q is (heads, d) after RoPE, k and v (kvHeads, d), and weights[head] one number per position
 * up to the token's own. More options: `hook(name, layer, position, x)` sees the points of a layer
 * by their names in TransformerLens, and may return another x to go on with. `sees(layer, head,
 * position, key)` hides keys. `pattern(layer, head, position, first)` may give the weights of a
 * row, which sees the keys from `first` on.
 */
import { attendRow, joined } from '../reference.js';

const dot = (a, b) => {
  let sum = 0;
  for (let c = 0; c < a.length; c++) sum += a[c] * b[c];
  return sum;
};
const add = (a, b) => a.map((x, c) => x + b[c]);

/** W x (+ bias): W is rows × x.length, row after row. */
function linear(w, x, bias) {
  const y = new Float64Array(w.length / x.length);
  for (let r = 0; r < y.length; r++) {
    let sum = bias ? bias[r] : 0;
    for (let c = 0, at = r * x.length; c < x.length; c++, at++) sum += w[at] * x[c];
    y[r] = sum;
  }
  return y;
}

const rmsNorm = (x, gain, eps) => {
  const r = 1 / Math.sqrt(dot(x, x) / x.length + eps);
  return x.map((value, c) => value * r * gain(c));
};
const silu = (x) => x / (1 + Math.exp(-x));
const geluTanh = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
const mean = (rows, weights) =>
  rows[0].map((_, c) => rows.reduce((sum, row, j) => sum + weights[j] * row[c], 0));
const heads = (x, d) => Array.from({ length: x.length / d }, (_, h) => x.slice(h * d, (h + 1) * d));

/** Channel c turns with channel c + d/2, by position·frequency. */
function rotateHalf(x, position, frequencies) {
  const half = x.length / 2;
  const y = x.slice();
  for (let c = 0; c < half; c++) {
    const angle = position * frequencies[c];
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    y[c] = x[c] * cos - x[c + half] * sin;
    y[c + half] = x[c + half] * cos + x[c] * sin;
  }
  return y;
}

/** θ^(−2c/d), changed by rope_scaling. */
export function frequenciesOf(d, theta, scaling) {
  return Array.from({ length: d / 2 }, (_, c) => {
    const f = theta ** ((-2 * c) / d);
    if (!scaling) return f;
    const type = scaling.rope_type ?? scaling.type;
    if (type === 'linear') return f / scaling.factor;
    if (type !== 'llama3') throw new Error(`rope type ${type}`);
    const rotations = (scaling.original_max_position_embeddings * f) / (2 * Math.PI);
    const { low_freq_factor: low, high_freq_factor: high } = scaling;
    if (rotations < low) return f / scaling.factor;
    if (rotations > high) return f;
    const smooth = (rotations - low) / (high - low);
    return (1 - smooth) * (f / scaling.factor) + smooth * f;
  });
}

/**
 * All architectures share this: a stream x of numbers per token, to which each layer adds the
 * attention's and the feed-forward's result. `a` says how this architecture does each of these.
 */
function run({ config, tensors }, tokens, a, options = {}) {
  const { temperature = () => 1, sees = () => true, pattern, hook } = options;
  const {
    num_hidden_layers: layers,
    num_attention_heads,
    num_key_value_heads: kvHeads = num_attention_heads,
    hidden_size: dim,
  } = config;
  const t = (name) => tensors[`model.${name}.weight`].data;
  const d = config.head_dim ?? dim / num_attention_heads;
  const embedding = t('embed_tokens');
  const output = config.tie_word_embeddings ? embedding : tensors['lm_head.weight'].data;
  const norm = (x, name) => {
    const gain = t(name);
    return rmsNorm(x, (c) => (a.onePlus ? 1 : 0) + gain[c], config.rms_norm_eps);
  };
  const past = Array.from({ length: layers }, () => ({ k: [], v: [] }));
  return [...tokens].map((token, position) => {
    const seen = [];
    let x = Float64Array.from(
      embedding.subarray(token * dim, (token + 1) * dim),
      (v) => v * (a.embeddingScale ?? 1),
    );
    for (let layer = 0; layer < layers; layer++) {
      const at = `layers.${layer}`;
      const point = (name, y) => hook?.(name, layer, position, y) ?? y;
      x = point('resid_pre', x);
      const sliding = a.sliding?.(layer) ?? false;
      const h = norm(x, `${at}.input_layernorm`);
      const project = (name) =>
        heads(
          linear(
            t(`${at}.self_attn.${name}_proj`),
            h,
            tensors[`model.${at}.self_attn.${name}_proj.bias`]?.data,
          ),
          d,
        );
      const normed = (list, name) =>
        a.qkNorm ? list.map((y) => norm(y, `${at}.self_attn.${name}_norm`)) : list;
      const turn = (list) =>
        list.map((y) => rotateHalf(y, position, sliding ? a.localFrequencies : a.frequencies));
      const q = turn(normed(project('q'), 'q'));
      const k = turn(normed(project('k'), 'k'));
      const v = project('v');
      past[layer].k.push(k);
      past[layer].v.push(v);
      const results = q.map((query, head) => {
        const kv = Math.floor(head / (num_attention_heads / kvHeads));
        const keys = past[layer].k.map((list) => list[kv]);
        const values = past[layer].v.map((list) => list[kv]);
        const from = sliding ? Math.max(0, position - config.sliding_window + 1) : 0;
        const weights = pattern?.(layer, head, position, from);
        if (weights) return { weights, output: mean(values, weights) };
        return attendRow(query, keys, values, {
          scale: a.scale ?? d ** -0.5,
          softcap: a.softcap,
          temperature: temperature(layer, head),
          sees: (key) => sees(layer, head, position, key),
          from,
        });
      });
      seen.push({
        q: joined(q),
        k: joined(k),
        v: joined(v),
        weights: results.map((r) => r.weights),
      });
      const bias = (name) => tensors[`model.${at}.${name}.bias`]?.data;
      const attended = linear(
        t(`${at}.self_attn.o_proj`),
        point('z', joined(results.map((r) => r.output))),
        bias('self_attn.o_proj'),
      );
      x = add(
        x,
        point(
          'attn_out',
          a.postNorms ? norm(attended, `${at}.post_attention_layernorm`) : attended,
        ),
      );
      x = point('resid_mid', x);
      const g = norm(
        x,
        a.postNorms ? `${at}.pre_feedforward_layernorm` : `${at}.post_attention_layernorm`,
      );
      const gate = linear(t(`${at}.mlp.gate_proj`), g, bias('mlp.gate_proj'));
      const up = linear(t(`${at}.mlp.up_proj`), g, bias('mlp.up_proj'));
      const fed = linear(
        t(`${at}.mlp.down_proj`),
        gate.map((y, c) => a.activation(y) * up[c]),
        bias('mlp.down_proj'),
      );
      x = add(
        x,
        point('mlp_out', a.postNorms ? norm(fed, `${at}.post_feedforward_layernorm`) : fed),
      );
      x = point('resid_post', x);
    }
    const logits = linear(output, norm(x, 'norm'));
    return {
      logits: a.finalSoftcap
        ? logits.map((z) => a.finalSoftcap * Math.tanh(z / a.finalSoftcap))
        : logits,
      layers: seen,
    };
  });
}

const headDim = (c) => c.head_dim ?? c.hidden_size / c.num_attention_heads;
const rope = (c, theta = c.rope_theta) => frequenciesOf(headDim(c), theta, c.rope_scaling);

/** By config.model_type. Biases are found by their names. */
const architectures = {
  llama: (c) => ({ activation: silu, frequencies: rope(c) }),
  qwen2: (c) => ({ activation: silu, frequencies: rope(c) }),
  qwen3: (c) => ({ activation: silu, frequencies: rope(c), qkNorm: true }),
  gemma3_text: (c) => ({
    activation: geluTanh,
    frequencies: rope(c),
    localFrequencies: frequenciesOf(headDim(c), c.rope_local_base_freq),
    sliding: (layer) => (layer + 1) % c.sliding_window_pattern !== 0,
    scale: c.query_pre_attn_scalar ** -0.5,
    softcap: c.attn_logit_softcapping,
    finalSoftcap: c.final_logit_softcapping,
    embeddingScale: Math.sqrt(c.hidden_size),
    onePlus: true,
    qkNorm: true,
    postNorms: true,
  }),
};

/**
 * @param {{ config: any, tensors: Record<string, { shape: number[], data: Float32Array }> }} model
 * @param {ArrayLike<number>} tokens
 */
export const forward = (model, tokens, options) =>
  run(model, tokens, architectures[model.config.model_type](model.config), options);
