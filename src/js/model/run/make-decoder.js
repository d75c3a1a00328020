import { ATTN_GELU_TANH, ATTN_SILU } from '../../engine/constants.js';
import { checkStatus } from '../../engine/status.js';
import { writeFrequencies, writeTable } from '../../layers/rotary-table.js';

/**
 * Builds the decoder of decoder.h from a configuration and the addresses of its weights.
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {{ allocate(bytes: number): number }} Owner of memory
 */

const ACTIVATIONS = { silu: ATTN_SILU, gelu_tanh: ATTN_GELU_TANH };

/**
 * @param {Memory} memory
 * @param {ModelConfig} config
 * @param {import('../types.d.ts').ModelTensors<number>} weights
 * @param {Owner} owner
 * @param {number} context positions of the rotary tables
 * @returns {number} address
 */
export function makeDecoder(memory, config, weights, owner, context) {
  const { c } = memory;
  const { layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab, normEps } = config;
  const at = owner.allocate(c.attn_decoder_bytes(layers, heads));
  const check = (/** @type {number} */ status) =>
    checkStatus(
      status,
      'the model',
      `of ${layers} layers, ${heads}/${kvHeads} heads of ${headDim}, ` +
        `${modelDim} and ${ffnDim} channels`,
      'sizes that fit',
    );
  check(c.attn_decoder_init(at, layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab, normEps));
  const output = weights.output || weights.embedding;
  check(c.attn_decoder_set_embedding(at, weights.embedding, config.embeddingScale));
  check(c.attn_decoder_set_output(at, weights.outputNorm, output, config.finalSoftcap));
  check(c.attn_decoder_set_scores(at, config.attnScale, config.attnSoftcap));
  check(c.attn_decoder_set_activation(at, ACTIVATIONS[config.activation]));

  const global = ropeTable(
    memory,
    owner,
    headDim,
    context,
    config.ropeTheta,
    scalingOf(config.ropeScaling, weights.ropeFactors),
  );
  const local = config.localLayers.some(Boolean)
    ? ropeTable(memory, owner, headDim, context, config.ropeLocalTheta, {
        type: 'none',
        attentionScale: config.ropeScaling.attentionScale,
      })
    : global;
  const interleaved = config.ropeLayout === 'interleaved' ? 1 : 0;
  weights.layers.forEach((w, layer) => {
    const isLocal = config.localLayers[layer];
    const { cos, sin } = isLocal ? local : global;
    const left = isLocal && config.slidingWindow ? config.slidingWindow - 1 : -1;
    check(c.attn_decoder_set_attention(at, layer, w.attnNorm, w.q, w.k, w.v, w.attnOut));
    check(c.attn_decoder_set_feed_forward(at, layer, w.ffnNorm, w.gate, w.up, w.down));
    check(
      c.attn_decoder_set_biases(
        at,
        layer,
        w.qBias ?? 0,
        w.kBias ?? 0,
        w.vBias ?? 0,
        w.attnOutBias ?? 0,
      ),
    );
    check(
      c.attn_decoder_set_feed_forward_biases(
        at,
        layer,
        w.gateBias ?? 0,
        w.upBias ?? 0,
        w.downBias ?? 0,
      ),
    );
    check(c.attn_decoder_set_head_norms(at, layer, w.qNorm ?? 0, w.kNorm ?? 0));
    check(c.attn_decoder_set_post_norms(at, layer, w.attnPostNorm ?? 0, w.ffnPostNorm ?? 0));
    check(c.attn_decoder_set_rope(at, layer, cos, sin, context, interleaved));
    check(c.attn_decoder_set_window(at, layer, left));
  });
  return at;
}

/**
 * Bytes of the rotary tables.
 * @param {ModelConfig} config
 * @param {number} positions
 */
export const tableBytes = ({ headDim, localLayers }, positions) =>
  (localLayers.some(Boolean) ? 2 : 1) * positions * headDim * 4;

/**
 * cos and sin of every position.
 * @param {Memory} memory
 * @param {Owner} owner
 * @param {number} dim
 * @param {number} positions
 * @param {number} base
 * @param {import('../../layers/rotary-table.js').Scaling} scaling
 */
function ropeTable(memory, owner, dim, positions, base, scaling) {
  const cos = owner.allocate(positions * dim * 2);
  const sin = owner.allocate(positions * dim * 2);
  memory.scope(() => {
    const frequencies = memory.pushArray('float64', dim / 2);
    writeFrequencies(memory, frequencies, dim, base, scaling);
    writeTable(memory, { cos, sin, frequencies }, dim, scaling, 0, positions);
  });
  return { cos, sin };
}

/**
 * The scaling of a configuration in the words of the rotary table.
 * @param {import('../types.d.ts').RopeScaling} scaling
 * @param {number | null} divisors address of the tensor ropeFactors
 * @returns {import('../../layers/rotary-table.js').Scaling}
 */
function scalingOf(scaling, divisors) {
  switch (scaling.type) {
    case 'llama3':
    case 'yarn':
      return { ...scaling, original: scaling.originalContext };
    case 'factors':
      return divisors ? { ...scaling, divisors } : { type: 'none' };
    default:
      return scaling;
  }
}
