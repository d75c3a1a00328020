import { ClearheadError } from '../../errors.js';
import { ARCHITECTURES } from './architectures.js';

/**
 * The role of each tensor, its name in both file formats, and the shape it must have. Every tensor
 * of the file must have a place and every place a tensor, before a weight is read.
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 */

/**
 * @typedef {object} Place
 * @property {string} role
 * @property {string} gguf name in GGUF files
 * @property {string} json name in safetensors files
 * @property {(keyof ModelConfig | 'queries' | 'keys' | 'pairs')[]} shape
 * @property {(config: ModelConfig) => boolean} [when] whether a model has it, default always
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

/** @typedef {(config: ModelConfig) => boolean} When */
/** @type {When} */
const biased = (c) => c.qkvBias;
/** @type {When} */
const biasedOutput = (c) => c.outBias;
/** @type {When} */
const biasedFfn = (c) => c.ffnBias;
/** @type {When} */
const normed = (c) => c.qkNorm;
/** @type {When} */
const postNormed = (c) => c.postNorms;

/** Once in a model. */
const MODEL = [
  place('embedding', 'token_embd.weight', 'model.embed_tokens.weight', ['vocab', 'modelDim']),
  place('outputNorm', 'output_norm.weight', 'model.norm.weight', ['modelDim']),
  place('output', 'output.weight', 'lm_head.weight', ['vocab', 'modelDim'], (c) => !c.tiedOutput),
  place('ropeFactors', 'rope_freqs.weight', '', ['pairs'], (c) => c.ropeScaling.type === 'factors'),
];

/** Once in each layer. Names that an architecture has of its own are in its row. */
const LAYER = [
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
  place('attnOutBias', 'attn_output.bias', 'self_attn.o_proj.bias', ['modelDim'], biasedOutput),
  place(
    'attnPostNorm',
    'post_attention_norm.weight',
    'post_attention_layernorm.weight',
    ['modelDim'],
    postNormed,
  ),
  place('ffnNorm', 'ffn_norm.weight', 'post_attention_layernorm.weight', ['modelDim']),
  place('gate', 'ffn_gate.weight', 'mlp.gate_proj.weight', ['ffnDim', 'modelDim']),
  place('up', 'ffn_up.weight', 'mlp.up_proj.weight', ['ffnDim', 'modelDim']),
  place('down', 'ffn_down.weight', 'mlp.down_proj.weight', ['modelDim', 'ffnDim']),
  place('gateBias', 'ffn_gate.bias', 'mlp.gate_proj.bias', ['ffnDim'], biasedFfn),
  place('upBias', 'ffn_up.bias', 'mlp.up_proj.bias', ['ffnDim'], biasedFfn),
  place('downBias', 'ffn_down.bias', 'mlp.down_proj.bias', ['modelDim'], biasedFfn),
  place(
    'ffnPostNorm',
    'post_ffw_norm.weight',
    'post_feedforward_layernorm.weight',
    ['modelDim'],
    postNormed,
  ),
];

/** Some files also store tables that follow from the configuration; they are not read. */
const NEEDLESS = /(^|\.)rotary_emb\.inv_freq$|\.attn_rot_embd$|\.rope_freqs\.weight$/;

/** Both formats call their layers by number. */
const LAYER_PREFIX = { gguf: 'blk.', json: 'model.layers.' };

/**
 * Name and shape of every tensor that a model has, by role.
 * @typedef {{ name: string, shape: number[], axes: string[] }} NamedPlace
 * @param {ModelConfig} config
 * @param {'gguf' | 'json'} format
 * @returns {import('../types.d.ts').ModelTensors<NamedPlace>}
 */
export function namedPlaces(config, format) {
  const { tensorNames } = ARCHITECTURES[config.architecture][format];
  const sizes = /** @type {Record<string, unknown>} */ ({
    ...config,
    queries: config.heads * config.headDim,
    keys: config.kvHeads * config.headDim,
    pairs: config.headDim / 2,
  });
  /** @param {Place[]} places @param {string} prefix @returns {Record<string, NamedPlace | null>} */
  const named = (places, prefix) =>
    Object.fromEntries(
      places.map(({ role, [format]: usual, shape: axes, when }) => [
        role,
        when && !when(config)
          ? null
          : {
              name: prefix + (tensorNames[role] ?? usual),
              shape: /** @type {number[]} */ (axes.map((axis) => sizes[axis])),
              axes,
            },
      ]),
    );
  const layers = Array.from({ length: config.layers }, (_, layer) =>
    named(LAYER, `${LAYER_PREFIX[format]}${layer}.`),
  );
  return /** @type {import('../types.d.ts').ModelTensors<NamedPlace>} */ (
    /** @type {unknown} */ ({ ...named(MODEL, ''), layers })
  );
}

/**
 * Finds the place of every tensor.
 * @param {ModelConfig} config
 * @param {import('../types.d.ts').ModelFile} file
 * @returns {import('../types.d.ts').ModelTensors<TensorInfo>}
 */
export function matchTensors(config, file) {
  const unmatched = new Map(file.tensors.map((tensor) => [tensor.name, tensor]));
  const { layers: layerPlaces, ...places } = namedPlaces(
    config,
    file.format === 'gguf' ? 'gguf' : 'json',
  );
  const match = (/** @type {object} */ named) =>
    Object.fromEntries(
      Object.entries(named).map(([role, place]) => {
        if (!place) return [role, null];
        const tensor = checkTensor(unmatched.get(place.name), place);
        unmatched.delete(place.name);
        return [role, tensor];
      }),
    );
  const whole = match(places);
  const layers = layerPlaces.map(match);
  // a tied model may store the embedding a second time
  if (config.tiedOutput) unmatched.delete('lm_head.weight');
  for (const name of unmatched.keys())
    if (!NEEDLESS.test(name))
      throw new ClearheadError(
        'FORMAT',
        `the tensor ${name.slice(0, 80)} is there; expected none of that name in ` +
          `${config.architecture} of ${config.layers} layers`,
      );
  return /** @type {import('../types.d.ts').ModelTensors<TensorInfo>} */ (
    /** @type {unknown} */ ({ ...whole, layers })
  );
}

/**
 * Refuses a tensor that is missing, or that has another shape or type than its place.
 * @param {TensorInfo | undefined} tensor
 * @param {NamedPlace} place
 */
function checkTensor(tensor, { name, shape, axes }) {
  if (!tensor)
    throw new ClearheadError(
      'FORMAT',
      `the tensor ${name} is missing; expected it, of shape (${shape})`,
    );
  if (String(tensor.shape) !== String(shape))
    throw new ClearheadError(
      'FORMAT',
      `the tensor ${name} is of (${tensor.shape}); ` +
        `expected (${shape}), which are ${axes.join(', ')}`,
    );
  if (shape.length === 1 && !/^B?F(32|16)$/.test(tensor.type))
    throw new ClearheadError(
      'FORMAT',
      `the tensor ${name} is ${tensor.type}; expected F32, F16 or BF16`,
    );
  return tensor;
}
