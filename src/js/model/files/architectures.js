import { ClearheadError, describe } from '../../errors.js';
import { ratio } from './values.js';

/**
 * Every supported architecture is one row of this table. All of them are one transformer, and the
 * code that reads a model asks the row and never the name. A new architecture of known parts needs
 * its row here, its name in types.d.ts and a line in docs/models.md.
 *
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 *
 * @typedef {{ layers: number, modelDim: number, heads: number, headDim: number }} Sizes
 *   as the file gives them, before they are checked
 *
 * @typedef {object} Windows some layers see only a sliding window
 * @property {number} size of the window, where the file gives none
 * @property {number} period every period-th layer sees everything, where the file does not say
 * @property {number} theta rotary base of the layers with a window, where the file gives none
 *
 * @typedef {object} Format how one file format describes the architecture
 * @property {string} name of the architecture in this format
 * @property {Windows | null} windows null: every layer sees everything
 * @property {0 | 1} normOffset added to the weights of a norm
 * @property {string | null} attnSoftcap the key of the value, null where the format has none
 * @property {string | null} finalSoftcap likewise
 * @property {(sizes: Sizes) => number} scoreDim logits are divided by its square root, where the
 *   file does not say
 * @property {Readonly<Record<string, string>>} tensorNames those that differ from tensors.js, by
 *   role and without the layer's prefix
 *
 * @typedef {object} GgufExtras
 * @property {'half' | 'interleaved'} ropeLayout order of the rows of q and k
 *
 * @typedef {object} JsonExtras what config.json may leave out
 * @property {boolean} tiedOutput
 * @property {number} normEps
 * @property {number} ropeTheta
 * @property {number} context
 * @property {(sizes: Sizes) => number} headDim
 * @property {string | null} scoreDimKey the key of scoreDim, null where files have none
 * @property {{ attention: boolean, ffn: boolean }} acceptsBias whether attention_bias and mlp_bias
 *   may be true
 * @property {boolean} namesWindow whether files name a window that is off unless
 *   use_sliding_window is true
 *
 * @typedef {object} Architecture
 * @property {Pick<ModelConfig, 'qkvBias' | 'qkNorm' | 'postNorms' | 'activation'>} parts
 * @property {boolean} scaledEmbedding embeddings are multiplied by √modelDim
 * @property {Format & GgufExtras} gguf
 * @property {Format & JsonExtras} json
 */

/** @param {Sizes} sizes */
const headDim = (sizes) => ratio(sizes.headDim, 1);

/** @param {Sizes} sizes */
const equalShares = ({ modelDim, heads }) => ratio(modelDim, heads);

/** @type {Format} */
const PLAIN = {
  name: '',
  windows: null,
  normOffset: 0,
  attnSoftcap: null,
  finalSoftcap: null,
  scoreDim: headDim,
  tensorNames: {},
};

/** @type {Format & GgufExtras} */
const GGUF = { ...PLAIN, ropeLayout: 'half' };

/** @type {Format & JsonExtras} */
const CONFIG_JSON = {
  ...PLAIN,
  tiedOutput: false,
  normEps: 1e-6,
  ropeTheta: 10000,
  context: 32768,
  headDim: equalShares,
  scoreDimKey: null,
  acceptsBias: { attention: true, ffn: false },
  namesWindow: false,
};

/** @type {Record<ModelConfig['architecture'], Architecture>} */
export const ARCHITECTURES = {
  llama: {
    parts: { qkvBias: false, qkNorm: false, postNorms: false, activation: 'silu' },
    scaledEmbedding: false,
    // converters put the two rows of a rotary pair side by side
    gguf: { ...GGUF, name: 'llama', ropeLayout: 'interleaved' },
    json: {
      ...CONFIG_JSON,
      name: 'llama',
      context: 2048,
      acceptsBias: { attention: true, ffn: true },
    },
  },
  qwen2: {
    parts: { qkvBias: true, qkNorm: false, postNorms: false, activation: 'silu' },
    scaledEmbedding: false,
    gguf: { ...GGUF, name: 'qwen2' },
    json: { ...CONFIG_JSON, name: 'qwen2', namesWindow: true },
  },
  qwen3: {
    parts: { qkvBias: false, qkNorm: true, postNorms: false, activation: 'silu' },
    scaledEmbedding: false,
    gguf: { ...GGUF, name: 'qwen3' },
    json: { ...CONFIG_JSON, name: 'qwen3', headDim: () => 128, namesWindow: true },
  },
  gemma3: {
    parts: { qkvBias: false, qkNorm: true, postNorms: true, activation: 'gelu_tanh' },
    scaledEmbedding: true,
    gguf: {
      ...GGUF,
      name: 'gemma3',
      windows: { size: 0, period: 6, theta: 10000 },
      finalSoftcap: 'final_logit_softcapping',
      // the 27B model, known by its 62 layers, has a scale of its own
      scoreDim: (sizes) => (sizes.layers === 62 ? equalShares(sizes) : headDim(sizes)),
    },
    json: {
      ...CONFIG_JSON,
      name: 'gemma3_text',
      windows: { size: 4096, period: 6, theta: 10000 },
      // GGUF files hold 1 + w, config.json goes with w
      normOffset: 1,
      attnSoftcap: 'attn_logit_softcapping',
      finalSoftcap: 'final_logit_softcapping',
      scoreDim: () => 256,
      scoreDimKey: 'query_pre_attn_scalar',
      tiedOutput: true,
      ropeTheta: 1e6,
      context: 131072,
      headDim: () => 256,
      tensorNames: { ffnNorm: 'pre_feedforward_layernorm.weight' },
    },
  },
};

/**
 * Architectures that are not supported, and the part they would need.
 * @type {[RegExp, string][]}
 */
const OTHERS = [
  [/moe|mixtral|dbrx|gpt.?oss|deepseek|grok|olmoe|llama4|arctic|minimax/, 'a mixture of experts'],
  [/qwen3.?(next|5)|kimi|rwkv|linear_attention/, 'a recurrent state (gated delta net or the like)'],
  [
    /mamba|jamba|falcon.?h1|granite.?hybrid|plamo2|nemotron.?h|zamba|bamba|recurrent|griffin/,
    'a state-space model',
  ],
  [/lfm|conv/, 'short convolutions'],
  [/vl$|vision|llava|mllama|^gemma3$|conditional|omni|audio|whisper/, 'images or sound'],
  [/bert|t5|bart|encoder|embedding/, 'an encoder'],
];

/** @param {string} name @returns {never} */
export function unsupported(name) {
  const needs = OTHERS.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1];
  const supported = Object.keys(ARCHITECTURES).join(', ');
  throw new ClearheadError(
    'FORMAT',
    `the architecture is ${describe(name)}${needs ? ` (${needs})` : ''}; expected ${supported}`,
  );
}

/**
 * The architecture that a file format calls by this name.
 * @param {'gguf' | 'json'} format
 * @param {string} name
 */
export function architectureOf(format, name) {
  const found = Object.entries(ARCHITECTURES).find(([, row]) => row[format].name === name);
  const [architecture, row] = found ?? unsupported(name);
  return { architecture: /** @type {ModelConfig['architecture']} */ (architecture), row };
}
