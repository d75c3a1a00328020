import { ClearheadError } from '../../errors.js';

/**
 * Which tensor does what, in both naming schemes, and the shape it must have. Every tensor of the
 * file must have its place and every place its tensor, before a weight is read.
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 */

/**
 * @typedef {{ role: string, gguf: string, json: string, shape: (keyof ModelConfig | number |
 *   'queries' | 'keys' | 'pairs')[], when?: (config: ModelConfig) => boolean }} Place
 */

/**
 * @param {string} role
 * @param {string} gguf
 * @param {string} json
 * @param {Place['shape']} shape
 * @param {Place['when']} [when]
 * @returns {Place}
 */
const place = (role, gguf, json, shape, when) => ({ role, gguf, json, shape, when });

const biased = (/** @type {ModelConfig} */ c) => c.qkvBias;
const normed = (/** @type {ModelConfig} */ c) => c.qkNorm;

/** Once in a model. */
const MODEL = [
  place('embedding', 'token_embd.weight', 'model.embed_tokens.weight', ['vocab', 'modelDim']),
  place('outputNorm', 'output_norm.weight', 'model.norm.weight', ['modelDim']),
  place('output', 'output.weight', 'lm_head.weight', ['vocab', 'modelDim'], (c) => !c.tiedOutput),
  place('ropeFactors', 'rope_freqs.weight', '', ['pairs'], (c) => c.ropeScaling.type === 'factors'),
];

/**
 * Once in each layer. Gemma's norms have names that mean something else elsewhere.
 * @param {ModelConfig} config
 */
const layerPlaces = ({ postNorms }) => [
  place('attnNorm', 'attn_norm.weight', 'input_layernorm.weight', ['modelDim']),
  place('q', 'attn_q.weight', 'self_attn.q_proj.weight', ['queries', 'modelDim']),
  place('k', 'attn_k.weight', 'self_attn.k_proj.weight', ['keys', 'modelDim']),
  place('v', 'attn_v.weight', 'self_attn.v_proj.weight', ['keys', 'modelDim']),
  place('qBias', 'attn_q.bias', 'self_attn.q_proj.bias', ['queries'], biased),
  place('kBias', 'attn_k.bias', 'self_attn.k_proj.bias', ['keys'], biased),
  place('vBias', 'attn_v.bias', 'self_attn.v_proj.bias', ['keys'], biased),
  place('qNorm', 'attn_q_norm.weight', 'self_attn.q_norm.weight', ['headDim'], normed),
  place('kNorm', 'attn_k_norm.weight', 'self_attn.k_norm.weight', ['headDim'], normed),
  place('attnOut', 'attn_output.weight', 'self_attn.o_proj.weight', ['modelDim', 'queries']),
  place(
    'attnPostNorm',
    'post_attention_norm.weight',
    'post_attention_layernorm.weight',
    ['modelDim'],
    () => postNorms,
  ),
  place(
    'ffnNorm',
    'ffn_norm.weight',
    postNorms ? 'pre_feedforward_layernorm.weight' : 'post_attention_layernorm.weight',
    ['modelDim'],
  ),
  place('gate', 'ffn_gate.weight', 'mlp.gate_proj.weight', ['ffnDim', 'modelDim']),
  place('up', 'ffn_up.weight', 'mlp.up_proj.weight', ['ffnDim', 'modelDim']),
  place('down', 'ffn_down.weight', 'mlp.down_proj.weight', ['modelDim', 'ffnDim']),
  place(
    'ffnPostNorm',
    'post_ffw_norm.weight',
    'post_feedforward_layernorm.weight',
    ['modelDim'],
    () => postNorms,
  ),
];

/** Tensors that some files have and nothing needs: tables that follow from the configuration. */
const NEEDLESS = /(^|\.)rotary_emb\.inv_freq$|\.attn_rot_embd$|\.rope_freqs\.weight$/;

/**
 * Finds every tensor its place.
 * @param {ModelConfig} config
 * @param {import('../types.d.ts').ModelFile} file
 * @returns {import('../types.d.ts').ModelTensors<TensorInfo>}
 */
export function matchTensors(config, file) {
  const free = new Map(file.tensors.map((tensor) => [tensor.name, tensor]));
  const gguf = file.format === 'gguf';
  const sizes = {
    ...config,
    queries: config.heads * config.headDim,
    keys: config.kvHeads * config.headDim,
    pairs: config.headDim / 2,
  };
  /** @param {Place[]} places @param {string} prefix @returns {any} */
  const match = (places, prefix) =>
    Object.fromEntries(
      places.map((one) => {
        if (one.when && !one.when(config)) return [one.role, null];
        const name = prefix + one[gguf ? 'gguf' : 'json'];
        const tensor = free.get(name);
        const shape = one.shape.map((size) =>
          typeof size === 'number' ? size : /** @type {any} */ (sizes)[size],
        );
        if (!tensor)
          throw new ClearheadError(
            'FORMAT',
            `the tensor ${name} is missing; expected it, of shape (${shape})`,
          );
        if (String(tensor.shape) !== String(shape))
          throw new ClearheadError(
            'FORMAT',
            `the tensor ${name} is of (${tensor.shape}); expected (${shape}), which are ${one.shape.join(', ')}`,
          );
        if (shape.length === 1 && !/^B?F(32|16)$/.test(tensor.type))
          throw new ClearheadError(
            'FORMAT',
            `the tensor ${name} is ${tensor.type}; expected F32, F16 or BF16`,
          );
        free.delete(name);
        return [one.role, tensor];
      }),
    );
  const whole = match(MODEL, '');
  const places = layerPlaces(config);
  whole.layers = Array.from({ length: config.layers }, (_, layer) =>
    match(places, gguf ? `blk.${layer}.` : `model.layers.${layer}.`),
  );
  // a tied model may have the embedding a second time
  if (config.tiedOutput) free.delete('lm_head.weight');
  for (const name of free.keys())
    if (!NEEDLESS.test(name))
      throw new ClearheadError(
        'FORMAT',
        `the tensor ${name.slice(0, 80)} is there; expected none of that name in ${config.architecture} of ${config.layers} layers`,
      );
  return whole;
}
