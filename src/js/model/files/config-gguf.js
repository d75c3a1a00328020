import { describe, refuse } from '../../errors.js';
import { ARCHITECTURES, everyNth, named, ratio, unsupported } from './architectures.js';

/**
 * The configuration in the metadata of a GGUF file. Keys are ggml's (docs/gguf.md); what a file
 * leaves out has the value that llama.cpp gives it. Files of the llama architecture hold the rows
 * of q and k so that rotary pairs lie side by side, and those of Gemma hold 1 + w for each norm
 * (both is done when they are converted).
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
  const architecture = named(name);
  /** @param {string} key @param {any} [otherwise] @returns {any} */
  const get = (key, otherwise) => {
    const value = metadata.get(`${architecture}.${key}`) ?? otherwise;
    // some converters write one value per layer; what is too large for a number is too large for
    // anything here
    const one =
      ArrayBuffer.isView(value) && new Set(/** @type {any} */ (value)).size === 1
        ? /** @type {any} */ (value)[0]
        : value;
    return typeof one === 'bigint' ? Number(one) : one;
  };
  if (get('expert_count', 0) !== 0)
    unsupported(`${architecture}, ${get('expert_count')} experts (moe)`);
  const splits = metadata.get('split.count') ?? 0;
  if (splits !== 0 && splits !== 1)
    refuse('FORMAT', 'split.count', describe(splits), 'a model in one file');

  const modelDim = get('embedding_length');
  const heads = get('attention.head_count');
  const layers = get('block_count');
  const headDim = get('attention.key_length', ratio(modelDim, heads));
  const gemma = architecture === 'gemma3';
  if (get('attention.value_length', headDim) !== headDim)
    refuse(
      'FORMAT',
      'attention.value_length',
      describe(get('attention.value_length')),
      `${headDim}, as that of keys`,
    );
  if (get('rope.dimension_count', headDim) !== headDim)
    refuse(
      'FORMAT',
      'rope.dimension_count',
      describe(get('rope.dimension_count')),
      `${headDim}, whole heads`,
    );
  const window = gemma ? get('attention.sliding_window', 0) : 0;
  const theta = get('rope.freq_base', 10000);
  const has = new Set(tensors.map((tensor) => tensor.name));
  return {
    architecture,
    ...ARCHITECTURES[architecture],
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
    normOffset: 0,
    ropeTheta: theta,
    ropeLocalTheta: gemma ? get('rope.freq_base_swa', 10000) : theta,
    ropeScaling: has.has('rope_freqs.weight') ? { type: 'factors' } : scalingOf(get),
    ropeLayout: architecture === 'llama' ? 'interleaved' : 'half',
    tiedOutput: !has.has('output.weight'),
    slidingWindow: window,
    localLayers: window
      ? patternOf(get('attention.sliding_window_pattern', 6), layers)
      : everyNth(layers, 1),
    embeddingScale: gemma ? Math.fround(Math.sqrt(ratio(modelDim, 1))) : 1,
    attnSoftcap: 0,
    finalSoftcap: gemma ? get('final_logit_softcapping', 0) : 0,
    // Gemma 3 27B, told by its 62 layers, has a scale of its own
    attnScale: 1 / Math.sqrt(gemma && layers === 62 ? ratio(modelDim, heads) : ratio(headDim, 1)),
  };
}

/** @param {any} tokens */
const lengthOf = (tokens) => (Array.isArray(tokens) ? tokens.length : undefined);

/**
 * A period, or which layers see the window only.
 * @param {any} pattern
 * @param {number} layers
 * @returns {boolean[]}
 */
function patternOf(pattern, layers) {
  if (
    Array.isArray(pattern) &&
    pattern.length === layers &&
    pattern.every((local) => typeof local === 'boolean')
  )
    return pattern;
  if (ArrayBuffer.isView(pattern) && /** @type {any} */ (pattern).length === layers)
    return Array.from(/** @type {any} */ (pattern), Boolean);
  return Number.isInteger(pattern) && pattern > 0
    ? everyNth(layers, pattern)
    : refuse(
        'FORMAT',
        'attention.sliding_window_pattern',
        describe(pattern),
        'a period or one truth value per layer',
      );
}

/**
 * @param {(key: string, otherwise?: any) => any} get
 * @returns {import('../types.d.ts').RopeScaling}
 */
function scalingOf(get) {
  const type = get('rope.scaling.type', 'linear');
  const factor = get('rope.scaling.factor', get('rope.scale_linear', 1));
  // llama.cpp takes a factor of 0 for none
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
