import { describe, refuse } from '../../errors.js';
import { ARCHITECTURES, everyNth, ratio, unsupported } from './architectures.js';

/**
 * The configuration in config.json, as transformers reads it: what is left out has the default of
 * its architecture. Both spellings of rotary settings are understood, `rope_theta` beside
 * `rope_scaling`, and the newer `rope_parameters`, one set for all layers or one for each kind.
 */

/** @type {Record<string, keyof typeof ARCHITECTURES>} */
const MODEL_TYPES = { llama: 'llama', qwen2: 'qwen2', qwen3: 'qwen3', gemma3_text: 'gemma3' };

/** The defaults that differ. @type {Record<string, any>} */
const DEFAULTS = {
  llama: { tie: false, eps: 1e-6, theta: 10000, context: 2048 },
  qwen2: { tie: false, eps: 1e-6, theta: 10000, context: 32768 },
  qwen3: { tie: false, eps: 1e-6, theta: 10000, context: 32768, headDim: 128 },
  gemma3: {
    tie: true,
    eps: 1e-6,
    theta: 1e6,
    context: 131072,
    headDim: 256,
    window: 4096,
    act: 'gelu_pytorch_tanh',
  },
};

/**
 * @param {import('../types.d.ts').ModelFile} file
 * @returns {import('../types.d.ts').ModelConfig}
 */
export function fromJson({ json: { config } }) {
  /** @param {string} key @param {any} [otherwise] @returns {any} */
  const get = (key, otherwise) =>
    (Object.hasOwn(config, key) ? config[key] : undefined) ?? otherwise;
  const name = get('model_type', 'not given');
  if (typeof name !== 'string') refuse('FORMAT', 'model_type', describe(name), 'a name');
  if (!Object.hasOwn(MODEL_TYPES, name)) unsupported(name);
  const architecture = MODEL_TYPES[name];
  const usual = DEFAULTS[architecture];
  const gemma = architecture === 'gemma3';
  if (get('num_local_experts') || get('num_experts')) unsupported(`${name}, experts (moe)`);
  for (const bias of architecture === 'qwen2' ? ['mlp_bias'] : ['attention_bias', 'mlp_bias'])
    if (get(bias, false) !== false)
      refuse('FORMAT', bias, describe(get(bias)), 'false: such biases are not supported');
  if (get('quantization_config'))
    refuse('FORMAT', 'quantization_config', 'there', 'weights in F32, F16 or BF16, or GGUF');
  const activation = get('hidden_activation', get('hidden_act', usual.act ?? 'silu'));
  const wanted = gemma ? /^gelu_(pytorch_)?tanh$/ : /^(silu|swish)$/;
  if (typeof activation !== 'string' || !wanted.test(activation))
    refuse('FORMAT', 'hidden_act', describe(activation), gemma ? 'gelu_pytorch_tanh' : 'silu');

  const modelDim = get('hidden_size');
  const heads = get('num_attention_heads');
  const layers = get('num_hidden_layers');
  const headDim = get('head_dim', usual.headDim ?? ratio(modelDim, heads));
  const context = get('max_position_embeddings', usual.context);
  const local = localLayers(get, layers, gemma);
  const windowed = local.some(Boolean);
  const full = ropeOf(get, 'full_attention', usual.theta);
  const sliding = gemma ? localRope(get) : { ...full, scaling: { type: 'none' } };
  if (sliding.scaling.type !== 'none')
    refuse(
      'FORMAT',
      'the rope scaling of layers with a window',
      describe(sliding.scaling.type),
      'none',
    );
  return {
    architecture,
    ...ARCHITECTURES[architecture],
    vocab: get('vocab_size'),
    layers,
    modelDim,
    heads,
    kvHeads: get('num_key_value_heads', heads),
    headDim,
    ffnDim: get('intermediate_size'),
    context,
    normEps: get('rms_norm_eps', usual.eps),
    normOffset: gemma ? 1 : 0,
    ropeTheta: full.theta,
    ropeLocalTheta: sliding.theta,
    ropeScaling: scalingOf(full.fields, context),
    ropeLayout: get('rope_interleaved') === true ? 'interleaved' : 'half',
    tiedOutput: get('tie_word_embeddings', usual.tie) === true,
    slidingWindow: windowed ? get('sliding_window', usual.window) : 0,
    localLayers: local,
    embeddingScale: gemma ? Math.fround(Math.sqrt(ratio(modelDim, 1))) : 1,
    attnSoftcap: gemma ? get('attn_logit_softcapping', 0) : 0,
    finalSoftcap: gemma ? get('final_logit_softcapping', 0) : 0,
    attnScale: 1 / Math.sqrt(ratio(gemma ? get('query_pre_attn_scalar', 256) : headDim, 1)),
  };
}

/**
 * @param {(key: string, otherwise?: any) => any} get
 * @param {number} layers
 * @param {boolean} gemma
 * @returns {boolean[]}
 */
function localLayers(get, layers, gemma) {
  const kinds = get('layer_types');
  if (kinds === undefined) {
    if (!gemma && get('use_sliding_window'))
      refuse('FORMAT', 'use_sliding_window', 'true', 'false for this architecture');
    const period = gemma ? get('sliding_window_pattern', get('_sliding_window_pattern', 6)) : 1;
    return Number.isInteger(period) && period > 0
      ? everyNth(layers, period)
      : refuse('FORMAT', 'sliding_window_pattern', describe(period), 'a period');
  }
  if (!Array.isArray(kinds) || kinds.length !== layers)
    refuse('FORMAT', 'layer_types', describe(kinds), `one for each of ${layers} layers`);
  return kinds.map((kind) => {
    if (typeof kind !== 'string')
      refuse(
        'FORMAT',
        'a kind in layer_types',
        describe(kind),
        'full_attention or sliding_attention',
      );
    if (kind !== 'full_attention' && !(gemma && kind === 'sliding_attention'))
      unsupported(`${kind} in layer_types`);
    return kind === 'sliding_attention';
  });
}

/**
 * A set of rotary settings, empty where there is none.
 * @param {string} name
 * @param {any} x
 * @returns {Record<string, any>}
 */
const settings = (name, x = {}) =>
  typeof x === 'object' && x && !Array.isArray(x)
    ? x
    : refuse('FORMAT', name, describe(x), 'an object');

/**
 * The set for one kind of layer, or for all.
 * @param {(key: string, otherwise?: any) => any} get
 * @param {string} kind
 * @returns {Record<string, any> | undefined}
 */
function parametersOf(get, kind) {
  const own = settings('rope_parameters', get('rope_parameters'))[kind] ?? undefined;
  return own === undefined ? undefined : settings(`${kind} of rope_parameters`, own);
}

/**
 * Base and scaling of one kind of layer.
 * @param {(key: string, otherwise?: any) => any} get
 * @param {string} kind
 * @param {number} theta where none is given
 */
function ropeOf(get, kind, theta) {
  const own = parametersOf(get, kind) ?? settings('rope_parameters', get('rope_parameters'));
  const fields = {
    partial_rotary_factor: get('partial_rotary_factor'),
    ...settings('rope_scaling', get('rope_scaling')),
    ...own,
  };
  return {
    theta: own.rope_theta ?? get('rope_theta', theta),
    fields,
    scaling: { type: typeOf(fields) },
  };
}

/** Gemma's layers with a window. @param {(key: string, otherwise?: any) => any} get */
function localRope(get) {
  const own = parametersOf(get, 'sliding_attention') ?? {};
  const type = typeOf(own);
  return {
    theta: own.rope_theta ?? get('rope_local_base_freq', 10000),
    scaling: { type: type === 'default' ? 'none' : type },
  };
}

/** What kind of scaling it is, of whole heads. @param {Record<string, any>} fields */
function typeOf({ rope_type: type, type: old, factor, partial_rotary_factor: part }) {
  if ((part ?? 1) !== 1) refuse('FORMAT', 'partial_rotary_factor', describe(part), '1');
  const kind = type ?? old ?? undefined;
  if (kind === undefined && (factor ?? 1) !== 1)
    refuse(
      'FORMAT',
      'rope_type',
      'not given',
      `the kind of scaling that the factor ${describe(factor)} is for`,
    );
  return kind ?? 'default';
}

/** @param {any} fields @param {number} context @returns {import('../types.d.ts').RopeScaling} */
function scalingOf(fields, context) {
  const type = typeOf(fields);
  const factor = ratio(fields.factor, 1);
  const originalContext = fields.original_max_position_embeddings ?? context;
  switch (type) {
    // the dynamic kind changes nothing up to max_position_embeddings, which is the context here
    case 'default':
    case 'dynamic':
      return { type: 'none' };
    case 'linear':
      return { type, factor };
    case 'llama3':
      return {
        type,
        factor,
        lowFreqFactor: fields.low_freq_factor,
        highFreqFactor: fields.high_freq_factor,
        originalContext,
      };
    case 'yarn':
      return {
        type,
        factor,
        originalContext,
        betaFast: fields.beta_fast ?? 32,
        betaSlow: fields.beta_slow ?? 1,
        truncate: fields.truncate ?? true,
        ...((fields.attention_factor ?? undefined) === undefined
          ? { mscale: fields.mscale ?? 0, mscaleAllDim: fields.mscale_all_dim ?? 0 }
          : { attentionFactor: fields.attention_factor }),
      };
    default:
      return refuse(
        'FORMAT',
        'rope_type',
        describe(type),
        'default, linear, dynamic, llama3 or yarn',
      );
  }
}
