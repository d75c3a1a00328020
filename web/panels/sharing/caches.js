/** The cache of published models: numbers of their configuration files, and the bytes they make. */

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {number} layers
 * @property {number} heads query heads
 * @property {number} kvHeads
 * @property {number} headDim
 * @property {number} [latent] numbers a token in place of keys and values
 * @property {string} source its place on Hugging Face
 */

/** @type {readonly Model[]} */
export const MODELS = [
  {
    name: 'GPT-2',
    layers: 12,
    heads: 12,
    kvHeads: 12,
    headDim: 64,
    source: 'openai-community/gpt2',
  },
  {
    name: 'Llama 2 7B',
    layers: 32,
    heads: 32,
    kvHeads: 32,
    headDim: 128,
    source: 'meta-llama/Llama-2-7b-hf',
  },
  {
    name: 'Qwen3 0.6B',
    layers: 28,
    heads: 16,
    kvHeads: 8,
    headDim: 128,
    source: 'Qwen/Qwen3-0.6B',
  },
  {
    name: 'Llama 3.1 8B',
    layers: 32,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    source: 'meta-llama/Llama-3.1-8B',
  },
  {
    name: 'Llama 3.2 1B',
    layers: 16,
    heads: 32,
    kvHeads: 8,
    headDim: 64,
    source: 'meta-llama/Llama-3.2-1B',
  },
  {
    name: 'SmolLM2 135M',
    layers: 30,
    heads: 9,
    kvHeads: 3,
    headDim: 64,
    source: 'HuggingFaceTB/SmolLM2-135M',
  },
  {
    name: 'Qwen2.5 0.5B',
    layers: 24,
    heads: 14,
    kvHeads: 2,
    headDim: 64,
    source: 'Qwen/Qwen2.5-0.5B',
  },
  { name: 'Gemma 2B', layers: 18, heads: 8, kvHeads: 1, headDim: 256, source: 'google/gemma-2b' },
  {
    name: 'DeepSeek-V2',
    layers: 60,
    heads: 128,
    kvHeads: 128,
    headDim: 128,
    latent: 512 + 64,
    source: 'deepseek-ai/DeepSeek-V2',
  },
];

/** Of a number in a cache: 16 bits. */
const BYTES = 2;

/** Keys and values of one token in all layers, as the model keeps them. @param {Model} model */
export const cacheBytes = ({ layers, kvHeads, headDim, latent }) =>
  BYTES * layers * (latent ?? 2 * kvHeads * headDim);

/** The same, if every query head had keys and values of its own. @param {Model} model */
export const unsharedBytes = ({ layers, heads, headDim }) => BYTES * layers * 2 * heads * headDim;

/** Where the numbers stand. @param {Model} model */
export const configOf = ({ source }) => `https://huggingface.co/${source}/blob/main/config.json`;

/** @param {Model} model */
export const kindOf = ({ heads, kvHeads, latent }) =>
  latent
    ? 'MLA: one short vector'
    : kvHeads === heads
      ? 'MHA: nothing shared'
      : kvHeads === 1
        ? 'MQA: all heads share'
        : `GQA: ${heads / kvHeads} heads share`;
