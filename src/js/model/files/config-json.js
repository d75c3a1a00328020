import { describe, refuse } from '../../errors.js';
import { architectureOf, unsupported } from './architectures.js';
import { localRopeOf, ropeOf } from './rope-json.js';
import { checkedPeriod, embeddingScale, everyNth, optional, ratio } from './values.js';

/**
 * The configuration in config.json, as transformers reads it. A value that the file leaves out is
 * the default of its architecture.
 * @typedef {import('./values.js').Get} Get
 * @typedef {import('./architectures.js').Windows} Windows
 */

/** The names of each activation; the first is the usual one. */
const ACTIVATIONS = {
  silu: ['silu', 'swish'],
  gelu_tanh: ['gelu_pytorch_tanh', 'gelu_tanh'],
};

/**
 * @param {import('../types.d.ts').ModelFile} file
 * @returns {import('../types.d.ts').ModelConfig}
 */
export function fromJson({ json: { config } }) {
  /** @type {Get} */
  const get = (key, otherwise) =>
    (Object.hasOwn(config, key) ? config[key] : undefined) ?? otherwise;
  const name = get('model_type', 'not given');
  if (typeof name !== 'string') refuse('FORMAT', 'model_type', describe(name), 'a name');
  const { architecture, row } = architectureOf('json', name);
  const format = row.json;
  if (get('num_local_experts') || get('num_experts')) unsupported(`${name}, experts (moe)`);
  for (const bias of row.parts.qkvBias ? ['mlp_bias'] : ['attention_bias', 'mlp_bias'])
    if (get(bias, false) !== false)
      refuse('FORMAT', bias, describe(get(bias)), 'false: such biases are not supported');
  if (get('quantization_config'))
    refuse('FORMAT', 'quantization_config', 'there', 'weights in F32, F16 or BF16, or GGUF');
  const activations = ACTIVATIONS[row.parts.activation];
  const activation = get('hidden_activation', get('hidden_act', activations[0]));
  if (!activations.includes(activation))
    refuse('FORMAT', 'hidden_act', describe(activation), activations[0]);

  const modelDim = get('hidden_size');
  const heads = get('num_attention_heads');
  const layers = get('num_hidden_layers');
  const headDim = get('head_dim', format.headDim({ layers, modelDim, heads, headDim: NaN }));
  const context = get('max_position_embeddings', format.context);
  const { windows } = format;
  const local = localLayers(get, layers, windows);
  const rope = ropeOf(get, format.ropeTheta, context);
  return {
    architecture,
    ...row.parts,
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
    slidingWindow: local.some(Boolean) ? get('sliding_window', windows?.size) : 0,
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
