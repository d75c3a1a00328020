import { describe, refuse } from '../../errors.js';
import { architectureOf, unsupported } from './architectures.js';
import { localRopeOf, ropeOf } from './rope-json.js';
import { JSON_RULES } from './settings-json.js';
import { checkNoWindow, settingsOf } from './settings.js';
import {
  checkActivation,
  checkedPeriod,
  embeddingScale,
  everyNth,
  optional,
  ratio,
} from './values.js';

/**
 * The configuration in config.json, as transformers reads it. A value that the file leaves out is
 * the default of its architecture.
 * @typedef {import('./values.js').Get} Get
 * @typedef {import('./architectures.js').Windows} Windows
 */

/**
 * @param {import('../types.d.ts').ModelFile} file
 * @returns {import('../types.d.ts').ModelConfig}
 */
export function fromJson({ json: { config } }) {
  const { get, checkOthers } = settingsOf(
    {
      value: (key) => (Object.hasOwn(config, key) ? config[key] : undefined),
      keys: () => Object.keys(config),
      prefix: '',
    },
    JSON_RULES,
  );
  const name = get('model_type', 'not given');
  if (typeof name !== 'string') refuse('FORMAT', 'model_type', describe(name), 'a name');
  const { architecture, row } = architectureOf('json', name);
  const format = row.json;
  if (Object.keys(config).some((key) => /(^|_)experts$/.test(key) && get(key)))
    unsupported(`${name}, experts (moe)`);
  const attentionBias = flagOf(get, 'attention_bias', format.acceptsBias.attention);
  const ffnBias = flagOf(get, 'mlp_bias', format.acceptsBias.ffn);
  for (const [key, is] of /** @type {const} */ ([
    ['qkv_bias', row.parts.qkvBias || attentionBias],
    ['use_qk_norm', row.parts.qkNorm],
  ]))
    if (get(key, is) !== is)
      refuse('FORMAT', key, describe(get(key)), `${is} for this architecture`);
  if (get('quantization_config'))
    refuse('FORMAT', 'quantization_config', 'there', 'weights in F32, F16 or BF16, or GGUF');
  const activation = get('hidden_activation', get('hidden_act'));
  checkActivation('hidden_act', activation, row.parts.activation);

  const modelDim = get('hidden_size');
  const heads = get('num_attention_heads');
  const layers = get('num_hidden_layers');
  const headDim = get('head_dim', format.headDim({ layers, modelDim, heads, headDim: NaN }));
  const context = get('max_position_embeddings', format.context);
  const { windows } = format;
  const local = localLayers(get, layers, windows);
  const window = get('sliding_window', windows?.size ?? 0);
  if (!windows && !format.namesWindow && get('use_sliding_window') !== false)
    checkNoWindow('sliding_window', window, context);
  const rope = ropeOf(get, format.ropeTheta, context);
  /** @type {import('../types.d.ts').ModelConfig} */
  const read = {
    architecture,
    ...row.parts,
    qkvBias: row.parts.qkvBias || attentionBias,
    // in Qwen2 the key says nothing new
    outBias: attentionBias && !row.parts.qkvBias,
    ffnBias,
    vocab: get('vocab_size'),
    layers,
    modelDim,
    heads,
    kvHeads: get('num_key_value_heads', heads),
    headDim,
    ffnDim: get('intermediate_size'),
    context,
    normEps: get('rms_norm_eps', format.normEps),
    normOffset: format.normOffset,
    ropeTheta: rope.theta,
    ropeLocalTheta: windows ? localRopeOf(get, windows.theta) : rope.theta,
    ropeScaling: rope.scaling,
    ropeLayout: get('rope_interleaved') === true ? 'interleaved' : 'half',
    tiedOutput: get('tie_word_embeddings', format.tiedOutput) === true,
    slidingWindow: local.some(Boolean) ? window : 0,
    localLayers: local,
    embeddingScale: embeddingScale(row.scaledEmbedding, modelDim),
    attnSoftcap: optional(get, format.attnSoftcap, 0),
    finalSoftcap: optional(get, format.finalSoftcap, 0),
    attnScale:
      1 /
      Math.sqrt(
        ratio(
          optional(get, format.scoreDimKey, format.scoreDim({ layers, modelDim, heads, headDim })),
          1,
        ),
      ),
  };
  checkOthers();
  return read;
}

/**
 * A key that is true or false.
 * @param {Get} get
 * @param {string} key
 * @param {boolean} allowed whether the architecture may have it
 * @returns {boolean}
 */
function flagOf(get, key, allowed) {
  const value = get(key, false);
  return value === false || (allowed && value === true)
    ? value
    : refuse('FORMAT', key, describe(value), allowed ? 'true or false' : 'false: not supported');
}

/**
 * Which layers see the window only.
 * @param {Get} get
 * @param {number} layers
 * @param {Windows | null} windows
 * @returns {boolean[]}
 */
function localLayers(get, layers, windows) {
  const kinds = get('layer_types');
  if (kinds === undefined) {
    if (!windows && get('use_sliding_window'))
      refuse('FORMAT', 'use_sliding_window', 'true', 'false for this architecture');
    if (!windows) return everyNth(layers, 1);
    const period = get('sliding_window_pattern', get('_sliding_window_pattern', windows.period));
    return everyNth(layers, checkedPeriod('sliding_window_pattern', period, 'a period'));
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
    if (kind !== 'full_attention' && !(windows && kind === 'sliding_attention'))
      unsupported(`${kind} in layer_types`);
    return kind === 'sliding_attention';
  });
}
