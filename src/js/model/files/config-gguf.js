import { describe, refuse } from '../../errors.js';
import { architectureOf, unsupported } from './architectures.js';
import { GGUF_RULES } from './settings-gguf.js';
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
  checkWhole(metadata);
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
  const prefix = `${name}.`;
  const { get, checkOthers } = settingsOf(
    {
      value: (key) => single(metadata.get(prefix + key)),
      keys: () =>
        [...metadata.keys()].flatMap((key) =>
          key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
        ),
      prefix,
    },
    GGUF_RULES,
  );
  if (get('expert_count', 0) !== 0) unsupported(`${name}, ${get('expert_count')} experts (moe)`);
  checkActivation(`${prefix}hidden_activation`, get('hidden_activation'), row.parts.activation);

  const modelDim = get('embedding_length');
  const heads = get('attention.head_count');
  const layers = get('block_count');
  const context = get('context_length');
  const headDim = get('attention.key_length', ratio(modelDim, heads));
  for (const [key, expected] of HEAD_SIZES)
    if (get(key, headDim) !== headDim)
      refuse('FORMAT', prefix + key, describe(get(key)), `${headDim}, ${expected}`);
  const { windows } = format;
  const slidingWindow = get('attention.sliding_window', windows?.size ?? 0);
  if (!windows) checkNoWindow(`${prefix}attention.sliding_window`, slidingWindow, context);
  const theta = get('rope.freq_base', 10000);
  const has = new Set(tensors.map((tensor) => tensor.name));
  /** @type {import('../types.d.ts').ModelConfig} */
  const config = {
    architecture,
    ...row.parts,
    qkvBias: row.parts.qkvBias || has.has('blk.0.attn_q.bias'),
    outBias: has.has('blk.0.attn_output.bias'),
    ffnBias: has.has('blk.0.ffn_gate.bias'),
    vocab:
      tensors.find((tensor) => tensor.name === 'token_embd.weight')?.shape[0] ??
      get('vocab_size', lengthOf(metadata.get('tokenizer.ggml.tokens'))),
    layers,
    modelDim,
    heads,
    kvHeads: get('attention.head_count_kv', heads),
    headDim,
    ffnDim: get('feed_forward_length'),
    context,
    normEps: get('attention.layer_norm_rms_epsilon'),
    normOffset: format.normOffset,
    ropeTheta: theta,
    ropeLocalTheta: windows ? get('rope.freq_base_swa', windows.theta) : theta,
    ropeScaling: scalingOf(get, prefix, has.has('rope_freqs.weight')),
    ropeLayout: format.ropeLayout,
    tiedOutput: !has.has('output.weight'),
    slidingWindow: windows ? slidingWindow : 0,
    localLayers:
      windows && slidingWindow
        ? patternOf(get('attention.sliding_window_pattern', windows.period), layers)
        : everyNth(layers, 1),
    embeddingScale: embeddingScale(row.scaledEmbedding, modelDim),
    attnSoftcap: optional(get, format.attnSoftcap, 0),
    finalSoftcap: optional(get, format.finalSoftcap, 0),
    attnScale: 1 / Math.sqrt(format.scoreDim({ layers, modelDim, heads, headDim })),
  };
  checkOthers();
  return config;
}

/** Sizes that are those of a key's head in every supported model. @type {[string, string][]} */
const HEAD_SIZES = [
  ['attention.value_length', 'as that of keys'],
  ['attention.key_length_swa', 'as in the other layers'],
  ['attention.value_length_swa', 'as in the other layers'],
  ['rope.dimension_count', 'whole heads'],
  ['rope.dimension_count_swa', 'whole heads'],
];

/**
 * Refuses a part of a model in several files. Only the first part has a description.
 * @param {import('../types.d.ts').ModelFile['metadata']} metadata
 */
function checkWhole(metadata) {
  const type = metadata.get('general.type') ?? 'model';
  if (type !== 'model') refuse('FORMAT', 'general.type', describe(type), '"model"');
  const count = metadata.get('split.count') ?? 0;
  if (count === 0 || count === 1) return;
  const number = metadata.get('split.no');
  const part = typeof number === 'number' ? `part ${number + 1}` : 'a part';
  refuse(
    'FORMAT',
    'the file of split.count',
    typeof count === 'number' ? `${part} of ${count}` : `${part} of ${describe(count)}`,
    'a model in one file, as llama-gguf-split --merge makes it',
  );
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
 * @param {string} prefix of names in errors
 * @param {boolean} hasFactors whether the file divides frequencies by a tensor
 * @returns {import('../types.d.ts').RopeScaling}
 */
function scalingOf(get, prefix, hasFactors) {
  const type = get('rope.scaling.type', 'linear');
  const factor = get('rope.scaling.factor', get('rope.scale_linear', 1));
  const attentionScale = get('rope.scaling.attn_factor', 1);
  const yarn = type === 'yarn';
  const extrapolation = get('rope.scaling.yarn_ext_factor', -1);
  if (extrapolation !== -1 && extrapolation !== Number(yarn))
    refuse(
      'FORMAT',
      `${prefix}rope.scaling.yarn_ext_factor`,
      describe(extrapolation),
      `${Number(yarn)}, or -1 for that`,
    );
  if (hasFactors && (yarn || type === 'longrope'))
    refuse(
      'FORMAT',
      `${prefix}rope.scaling.type`,
      describe(type),
      'none or linear beside rope_freqs.weight',
    );
  if (yarn)
    return {
      type,
      factor,
      originalContext: get('rope.scaling.original_context_length', get('context_length')),
      betaFast: get('rope.scaling.yarn_beta_fast', 32),
      betaSlow: get('rope.scaling.yarn_beta_slow', 1),
      truncate: true,
      mscale: 0,
      mscaleAllDim: 0,
      attentionScale,
    };
  const own = attentionScale === 1 ? {} : { attentionScale };
  // for llama.cpp a factor of 0 means no scaling
  const unscaled = factor === 1 || factor === 0;
  if (type === 'none' || ((type === 'linear' || type === 'longrope') && unscaled))
    return { type: hasFactors ? 'factors' : 'none', ...own };
  if (type === 'linear') return { type: hasFactors ? 'factors' : 'linear', factor, ...own };
  return refuse('FORMAT', `${prefix}rope.scaling.type`, describe(type), 'none, linear or yarn');
}
