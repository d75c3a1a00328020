import { describe, refuse } from '../../errors.js';
import { architectureOf, unsupported } from './architectures.js';
import { checkedPeriod, embeddingScale, everyNth, optional, ratio } from './values.js';

/**
 * The configuration in the metadata of a GGUF file. The keys are those of ggml (docs/gguf.md). A
 * value that the file leaves out is the one llama.cpp takes.
 * @typedef {import('../types.d.ts').MetadataValue} MetadataValue
 * @typedef {import('./values.js').Get} Get
 */

/**
 * @param {import('../types.d.ts').ModelFile} file
 * @returns {import('../types.d.ts').ModelConfig}
 */
export function fromGguf({ metadata, tensors }) {
  const name = metadata.get('general.architecture');
  if (typeof name !== 'string')
    refuse(
      'FORMAT',
      'general.architecture',
      name === undefined ? 'not given' : describe(name),
      'a name',
    );
  const { architecture, row } = architectureOf('gguf', name);
  const format = row.gguf;
  /** @type {Get} */
  const get = (key, otherwise) => single(metadata.get(`${name}.${key}`) ?? otherwise);
  if (get('expert_count', 0) !== 0) unsupported(`${name}, ${get('expert_count')} experts (moe)`);
  const splits = metadata.get('split.count') ?? 0;
  if (splits !== 0 && splits !== 1)
    refuse('FORMAT', 'split.count', describe(splits), 'a model in one file');

  const modelDim = get('embedding_length');
  const heads = get('attention.head_count');
  const layers = get('block_count');
  const headDim = get('attention.key_length', ratio(modelDim, heads));
  for (const [key, expected] of [
    ['attention.value_length', `${headDim}, as that of keys`],
    ['rope.dimension_count', `${headDim}, whole heads`],
  ])
    if (get(key, headDim) !== headDim) refuse('FORMAT', key, describe(get(key)), expected);
  const { windows } = format;
  const slidingWindow = windows ? get('attention.sliding_window', windows.size) : 0;
  const theta = get('rope.freq_base', 10000);
  const has = new Set(tensors.map((tensor) => tensor.name));
  return {
    architecture,
    ...row.parts,
    vocab:
      tensors.find((tensor) => tensor.name === 'token_embd.weight')?.shape[0] ??
      get('vocab_size', lengthOf(metadata.get('tokenizer.ggml.tokens'))),
    layers,
    modelDim,
    heads,
    kvHeads: get('attention.head_count_kv', heads),
    headDim,
    ffnDim: get('feed_forward_length'),
    context: get('context_length'),
    normEps: get('attention.layer_norm_rms_epsilon'),
    normOffset: format.normOffset,
    ropeTheta: theta,
    ropeLocalTheta: windows ? get('rope.freq_base_swa', windows.theta) : theta,
    ropeScaling: has.has('rope_freqs.weight') ? { type: 'factors' } : scalingOf(get),
    ropeLayout: format.ropeLayout,
    tiedOutput: !has.has('output.weight'),
    slidingWindow,
    localLayers:
      windows && slidingWindow
        ? patternOf(get('attention.sliding_window_pattern', windows.period), layers)
        : everyNth(layers, 1),
    embeddingScale: embeddingScale(row.scaledEmbedding, modelDim),
    attnSoftcap: optional(get, format.attnSoftcap, 0),
    finalSoftcap: optional(get, format.finalSoftcap, 0),
    attnScale: 1 / Math.sqrt(format.scoreDim({ layers, modelDim, heads, headDim })),
  };
}

/**
 * Some converters write one value per layer; if all are the same it is the value. An integer too
 * large for a number is too large for anything here.
 * @param {unknown} value
 */
function single(value) {
  const all = ArrayBuffer.isView(value)
    ? new Set(/** @type {Iterable<unknown>} */ (/** @type {unknown} */ (value)))
    : undefined;
  const one = all?.size === 1 ? [...all][0] : value;
  return typeof one === 'bigint' ? Number(one) : one;
}

/** @param {MetadataValue | undefined} tokens */
const lengthOf = (tokens) => (Array.isArray(tokens) ? tokens.length : undefined);

/**
 * Which layers see the window only: the file gives that, or a period.
 * @param {unknown} pattern
 * @param {number} layers
 * @returns {boolean[]}
 */
function patternOf(pattern, layers) {
  const given = ArrayBuffer.isView(pattern)
    ? Array.from(/** @type {Iterable<unknown>} */ (/** @type {unknown} */ (pattern)), Boolean)
    : pattern;
  if (
    Array.isArray(given) &&
    given.length === layers &&
    given.every((local) => typeof local === 'boolean')
  )
    return given;
  const period = checkedPeriod(
    'attention.sliding_window_pattern',
    pattern,
    'a period or one truth value per layer',
  );
  return everyNth(layers, period);
}

/**
 * @param {Get} get
 * @returns {import('../types.d.ts').RopeScaling}
 */
function scalingOf(get) {
  const type = get('rope.scaling.type', 'linear');
  const factor = get('rope.scaling.factor', get('rope.scale_linear', 1));
  // for llama.cpp a factor of 0 means no scaling
  if (
    type === 'none' ||
    ((type === 'linear' || type === 'longrope') && (factor === 1 || factor === 0))
  )
    return { type: 'none' };
  if (type === 'linear') return { type, factor };
  if (type !== 'yarn')
    return refuse('FORMAT', 'rope.scaling.type', describe(type), 'none, linear or yarn');
  return {
    type,
    factor,
    originalContext: get('rope.scaling.original_context_length', get('context_length')),
    betaFast: get('rope.scaling.yarn_beta_fast', 32),
    betaSlow: get('rope.scaling.yarn_beta_slow', 1),
    truncate: true,
    mscale: 0,
    mscaleAllDim: 0,
    attentionScale: get('rope.scaling.attn_factor', 1),
  };
}
