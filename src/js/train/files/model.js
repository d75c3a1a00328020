import { describe, refuse } from '../../errors.js';
import { namedPlaces } from '../../model/files/tensors.js';
import { everyNth } from '../../model/files/values.js';

/**
 * A trained model as its files describe it: a Llama, whatever parts it lacks.
 * @typedef {import('../../model/types.d.ts').ModelConfig} ModelConfig
 *
 * @typedef {object} Sizes of a trainer, and the positions it was trained for
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
 * @property {string} activation
 * @property {boolean} tiedOutput
 *
 * @typedef {{ name: string, data: Float32Array }} Parameter by its name in Hugging Face's Llama
 *
 * @typedef {object} SavedTensor
 * @property {string} role
 * @property {string} name in the file
 * @property {number[]} shape
 * @property {Float32Array} data
 */

/**
 * Files of Llama have a feed-forward block in every layer. A model without one gets one of this
 * width that adds nothing. llama.cpp multiplies 64 columns of Q8_0 at a time on processors with
 * AMX, and gets other numbers for fewer.
 */
const IDLE_WIDTH = 64;

/**
 * The configuration that a reader of the file gets.
 * @param {Sizes} sizes
 * @returns {ModelConfig}
 */
export function savedConfig({ activation, ...sizes }) {
  if (activation !== 'silu' && sizes.ffnDim)
    refuse('FORMAT', 'activation', describe(activation), '"silu", as files of Llama have it');
  if (!sizes.normEps) refuse('FORMAT', 'normEps', 0, 'a number above 0, as readers of files do');
  return {
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
  };
}

/**
 * Every tensor of the file, those of an idle feed-forward block among them.
 * @param {ModelConfig} config
 * @param {readonly Parameter[]} parameters
 * @param {'gguf' | 'json'} format
 * @returns {SavedTensor[]}
 */
export function savedTensors(config, parameters, format) {
  const given = new Map(parameters.map(({ name, data }) => [name, data]));
  const [places, json] = [namedPlaces(config, format), namedPlaces(config, 'json')];
  /** @param {object} named @param {object} original as its parameter is called */
  const list = (named, original) =>
    Object.entries(named).flatMap(([role, place]) => {
      if (!place?.name) return [];
      const { name } = /** @type {Record<string, Parameter>} */ (original)[role];
      const data = given.get(name) ?? idle(role, place.shape);
      return [{ role, name: place.name, shape: place.shape, data }];
    });
  return [
    ...list(places, json),
    ...places.layers.flatMap((named, layer) => list(named, json.layers[layer])),
  ];
}

/**
 * Weights of a feed-forward block that adds nothing.
 * @param {string} role
 * @param {number[]} shape
 */
const idle = (role, shape) =>
  new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(role === 'ffnNorm' ? 1 : 0);
