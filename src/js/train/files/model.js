import { namedPlaces } from '../../model/files/tensors.js';
import { everyNth } from '../../model/files/values.js';

/**
 * A trained model as its files describe it: a Llama, whatever parts it lacks.
 * @typedef {import('../../model/types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('../../model/types.d.ts').ModelTensors<Float32Array>} Parameters
 *
 * @typedef {object} Sizes
 * @property {number} vocab
 * @property {number} layers
 * @property {number} modelDim
 * @property {number} heads
 * @property {number} kvHeads
 * @property {number} headDim
 * @property {number} ffnDim 0: attention alone
 * @property {number} context
 * @property {number} normEps
 * @property {number} ropeTheta
 * @property {boolean} tiedOutput
 *
 * @typedef {object} SavedTensor
 * @property {string} role
 * @property {string} name in the file
 * @property {number[]} shape
 * @property {Float32Array} data
 */

/**
 * Files of Llama have a feed-forward block in every layer. A model without one gets one of this
 * width that adds nothing. It is a whole block of Q8_0.
 */
const IDLE_WIDTH = 32;

/** The configuration that a reader of the file gets. @param {Sizes} sizes @returns {ModelConfig} */
export const savedConfig = (sizes) => ({
  ...sizes,
  architecture: 'llama',
  ffnDim: sizes.ffnDim || IDLE_WIDTH,
  normOffset: 0,
  ropeLocalTheta: sizes.ropeTheta,
  ropeScaling: { type: 'none' },
  ropeLayout: 'half',
  qkvBias: false,
  outBias: false,
  ffnBias: false,
  qkNorm: false,
  slidingWindow: 0,
  localLayers: everyNth(sizes.layers, 1),
  embeddingScale: 1,
  activation: 'silu',
  postNorms: false,
  attnSoftcap: 0,
  finalSoftcap: 0,
  attnScale: 1 / Math.sqrt(sizes.headDim),
});

/**
 * Every tensor of the file, those of an idle feed-forward block among them.
 * @param {ModelConfig} config
 * @param {Parameters} parameters
 * @param {'gguf' | 'json'} format
 * @returns {SavedTensor[]}
 */
export function savedTensors(config, parameters, format) {
  const { layers: layerPlaces, ...places } = namedPlaces(config, format);
  const { layers, ...whole } = parameters;
  /** @param {object} named @param {object} values @returns {SavedTensor[]} */
  const list = (named, values) =>
    Object.entries(named).flatMap(([role, place]) => {
      if (!place) return [];
      const { name, shape } = place;
      const data = /** @type {Record<string, Float32Array | null>} */ (values)[role];
      return [{ role, name, shape, data: data ?? idle(role, shape) }];
    });
  return [
    ...list(places, whole),
    ...layerPlaces.flatMap((named, layer) => list(named, layers[layer])),
  ];
}

/**
 * Weights of a feed-forward block that adds nothing.
 * @param {string} role
 * @param {number[]} shape
 */
const idle = (role, shape) =>
  new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(role === 'ffnNorm' ? 1 : 0);
