import { describe, refuse } from '../../errors.js';
import { fromGguf } from './config-gguf.js';
import { fromJson } from './config-json.js';
import { MAX_LAYERS } from './values.js';

/**
 * The configuration of a model, whatever file it comes from. All supported architectures are one
 * transformer with different settings; everything else is refused by name before a weight is read.
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 */

/**
 * Minimum and maximum of each count. A file beyond them is refused before memory is allocated.
 * @type {Record<string, [number, number]>}
 */
const COUNTS = {
  vocab: [1, 2 ** 22],
  layers: [1, MAX_LAYERS],
  modelDim: [1, 2 ** 16],
  heads: [1, 1024],
  kvHeads: [1, 1024],
  headDim: [2, 1024],
  ffnDim: [1, 2 ** 20],
  context: [1, 2 ** 26],
  slidingWindow: [0, 2 ** 26],
};

/** Numbers above 0, up to these. @type {Record<string, number>} */
const POSITIVE = {
  normEps: 1,
  ropeTheta: 1e12,
  ropeLocalTheta: 1e12,
  embeddingScale: 1e6,
  attnScale: 1e6,
  factor: 1e6,
  lowFreqFactor: 1e6,
  highFreqFactor: 1e6,
  originalContext: 2 ** 26,
  betaFast: 1e6,
  betaSlow: 1e6,
  attentionFactor: 1e6,
  attentionScale: 1e6,
};

/** Numbers of which 0 is none. @type {Record<string, number>} */
const OPTIONAL = {
  attnSoftcap: Number.MAX_VALUE,
  finalSoftcap: Number.MAX_VALUE,
  mscale: 1e6,
  mscaleAllDim: 1e6,
};

/** @param {import('../types.d.ts').ModelFile} file @returns {ModelConfig} */
export const readConfig = (file) =>
  checked(file.format === 'gguf' ? fromGguf(file) : fromJson(file));

/** @param {ModelConfig} config */
function checked(config) {
  const values = Object.entries({ ...config, ...config.ropeScaling });
  for (const [name, [min, max]] of Object.entries(COUNTS)) {
    const x = /** @type {Record<string, unknown>} */ ({ ...config })[name];
    if (!(typeof x === 'number' && Number.isInteger(x) && x >= min && x <= max))
      refuse('FORMAT', `${name} of the model`, shown(x), `an integer from ${min} to ${max}`);
  }
  for (const [name, x] of values) {
    const max = Object.hasOwn(POSITIVE, name) ? POSITIVE[name] : 0;
    if (max && !(typeof x === 'number' && x > 0 && x <= max))
      refuse('FORMAT', `${name} of the model`, shown(x), `a number above 0, at most ${max}`);
    if (Object.hasOwn(OPTIONAL, name) && !(typeof x === 'number' && x >= 0 && x <= OPTIONAL[name]))
      refuse('FORMAT', `${name} of the model`, shown(x), 'a number, 0 for none');
  }
  const { heads, kvHeads, headDim, ropeScaling: scaling } = config;
  if (heads % kvHeads)
    refuse('FORMAT', 'kvHeads of the model', kvHeads, `a divisor of heads, ${heads}`);
  if (headDim % 2)
    refuse('FORMAT', 'headDim of the model', headDim, 'an even number, for rotary pairs');
  if (scaling.type === 'llama3' && scaling.lowFreqFactor >= scaling.highFreqFactor)
    refuse(
      'FORMAT',
      'lowFreqFactor',
      scaling.lowFreqFactor,
      `less than highFreqFactor, ${scaling.highFreqFactor}`,
    );
  return Object.freeze({ ...config, context: contextOf(config) });
}

/**
 * With YaRN some files give the context before it is extended, and some the extended one. With
 * other scalings the given context is all there is.
 * @param {ModelConfig} config
 */
function contextOf({ context, ropeScaling: scaling }) {
  if (scaling.type !== 'yarn') return context;
  const extended = Math.floor(scaling.originalContext * scaling.factor);
  return Math.max(context, Math.min(COUNTS.context[1], extended));
}

/** @param {unknown} x */
const shown = (x) => (x === undefined ? 'not given' : describe(x));
