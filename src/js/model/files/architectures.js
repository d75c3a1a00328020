import { ClearheadError, describe } from '../../errors.js';

/** What each architecture is, apart from its sizes. */
export const ARCHITECTURES = {
  llama: {
    qkvBias: false,
    qkNorm: false,
    postNorms: false,
    activation: /** @type {const} */ ('silu'),
  },
  qwen2: {
    qkvBias: true,
    qkNorm: false,
    postNorms: false,
    activation: /** @type {const} */ ('silu'),
  },
  qwen3: {
    qkvBias: false,
    qkNorm: true,
    postNorms: false,
    activation: /** @type {const} */ ('silu'),
  },
  gemma3: {
    qkvBias: false,
    qkNorm: true,
    postNorms: true,
    activation: /** @type {const} */ ('gelu_tanh'),
  },
};

/**
 * Other architectures that are met, and what they need that is not there.
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
  throw new ClearheadError(
    'FORMAT',
    `the architecture is ${describe(name)}${needs ? ` (${needs})` : ''}; expected ${Object.keys(ARCHITECTURES).join(', ')}`,
  );
}

/** @param {string} name @returns {keyof typeof ARCHITECTURES} */
export function named(name) {
  return Object.hasOwn(ARCHITECTURES, name)
    ? /** @type {keyof typeof ARCHITECTURES} */ (name)
    : unsupported(name);
}

/** Most layers a model may have. */
export const LAYERS = 1024;

/**
 * Every `period`-th layer sees everything, those between only the window.
 * @param {any} layers
 * @param {number} period
 * @returns {boolean[]}
 */
export const everyNth = (layers, period) =>
  Array.from(
    { length: Number.isInteger(layers) && layers > 0 && layers <= LAYERS ? layers : 0 },
    (_, layer) => (layer + 1) % period !== 0,
  );

/** A quotient of what a file says, which may be no numbers. @param {any} a @param {any} b */
export const ratio = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a / b : NaN);
