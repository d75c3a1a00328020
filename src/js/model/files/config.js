import { describe, refuse } from '../../errors.js';
import { LAYERS } from './architectures.js';
import { fromGguf } from './config-gguf.js';
import { lost } from './missing.js';

/**
 * The configuration of a model, whatever file it comes from. All supported architectures are one
 * transformer with different settings; everything else is refused by name before a weight is read.
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 */

/**
 * Least and most of each count: beyond it a file is refused, before anything of that size is made.
 * @type {Record<string, [number, number]>}
 */
const COUNTS = {
  vocab: [1, 2 ** 22],
  layers: [1, LAYERS],
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

/** @param {import('../types.d.ts').ModelFile} file @returns {Promise<ModelConfig>} */
export async function readConfig(file) {
  if (file.format === 'gguf') return checked(fromGguf(file));
  const { fromJson } = await import('./config-json.js').catch(lost('config-json.js'));
  return checked(fromJson(file));
}

/** @param {ModelConfig} config */
function checked(config) {
  /** @type {any} */
  const of = config;
  for (const [name, [least, most]] of Object.entries(COUNTS))
    if (!Number.isInteger(of[name]) || of[name] < least || of[name] > most)
      refuse(
        'FORMAT',
        `${name} of the model`,
        shown(of[name]),
        `an integer from ${least} to ${most}`,
      );
  for (const [name, x] of Object.entries({ ...config, ...config.ropeScaling })) {
    const most = Object.hasOwn(POSITIVE, name) ? POSITIVE[name] : 0;
    if (most && !(typeof x === 'number' && x > 0 && x <= most))
      refuse('FORMAT', `${name} of the model`, shown(x), `a number above 0, at most ${most}`);
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
  // some files give the context before YaRN, some that after it; with other scalings what they give
  // is all there is
  if (scaling.type === 'yarn')
    of.context = Math.max(
      of.context,
      Math.min(COUNTS.context[1], Math.floor(scaling.originalContext * scaling.factor)),
    );
  return Object.freeze(config);
}

/** @param {any} x */
const shown = (x) => (x === undefined ? 'not given' : describe(x));
