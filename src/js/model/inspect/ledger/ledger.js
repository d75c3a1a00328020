/**
 * The ledger of a logit: a sum over everything that was added to the residual stream.
 *
 * The last norm divides the stream x by its scale s and multiplies it by g. So a row w of the
 * output matrix has the logit ⟨u, x⟩ with u = w ⊙ g / s. The stream x is the embedding plus the
 * results of all blocks and the changes by interventions. A norm behind a block is carried the same
 * way, by its scale and its factors. For two tokens w is the difference of their rows. A softcap is
 * undone first: c·artanh(logit/c).
 *
 * The output matrix multiplies rounded inputs x' instead, with quantised weights of 8 bits. The
 * difference ⟨w, x' − g·x/s⟩ is a part of its own, so that all others stay linear in the stream.
 */
import { F32 } from '../../../engine/tensor.js';
import { allowedDifference } from './bounds.js';
import { changesOf } from './changes.js';
import { outputOf, rowOf, vectorOf } from './weights.js';

/**
 * @typedef {import('../../run/decoder.js').Decoder} Decoder
 * @typedef {import('../types.d.ts').Ledger} Ledger
 *
 * @typedef {object} Recorded one position of a pass
 * @property {Float32Array} resid_pre (modelDim) of the first layer, perhaps with others behind
 * @property {Float32Array} z (layers, heads, headDim)
 * @property {Float32Array} attn_out (layers, modelDim)
 * @property {Float32Array} mlp_out (layers, modelDim)
 * @property {Float32Array} resid_post (modelDim) of the last layer, perhaps with others before
 */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} [from] of b */
export function dot(a, b, from = 0) {
  let sum = 0;
  for (let c = 0; c < a.length; c++) sum += a[c] * b[from + c];
  return sum;
}

/** A logit before the softcap. @param {number} logit @param {number} cap 0: none */
const uncapped = (logit, cap) => (cap ? cap * Math.atanh(logit / cap) : logit);

/**
 * The inputs of the output matrix, as its product multiplies them.
 * @param {Decoder} decoder
 * @param {Float32Array} last the residual stream behind the last layer
 */
const lastInputs = ({ memory, config, at }, last) =>
  memory.scope(() => {
    const { c } = memory;
    const x = memory.put(last, F32);
    const inputs = memory.pushArray(F32, config.modelDim);
    const scratch = memory.push(c.attn_decoder_last_inputs_bytes(at));
    c.attn_decoder_last_inputs(at, x, inputs, scratch);
    return memory.copy(F32, inputs, config.modelDim);
  });

/**
 * The direction of a logit in the residual stream at the last norm's scale. With it come the inputs
 * of the output matrix, its rows, and the part of the inputs' rounding.
 * @param {Decoder} decoder
 * @param {Float32Array} last the residual stream behind the last layer
 * @param {readonly number[]} tokens one, or two whose difference is taken
 */
function directionOf(decoder, last, tokens) {
  const { memory, config, weights } = decoder;
  const { modelDim, normEps } = config;
  const norm = /** @type {Float32Array} */ (vectorOf(memory, weights.outputNorm, modelDim));
  const scale = Math.sqrt(dot(last, last) / modelDim + normEps);
  const rows = tokens.map((token) => rowOf(memory, outputOf(weights), token));
  const inputs = lastInputs(decoder, last);
  const u = new Float64Array(modelDim);
  let rounding = 0;
  for (let c = 0; c < modelDim; c++) {
    const weight = rows[0][c] - (rows[1]?.[c] ?? 0);
    u[c] = (weight * norm[c]) / scale;
    rounding += weight * inputs[c] - u[c] * last[c];
  }
  return { u, scale, rows, inputs, rounding };
}

/**
 * The direction of each layer's W_o. A norm behind it has its factors here, and its scale not yet.
 * @param {Decoder} decoder
 * @param {Float64Array} u
 */
const directionsOf = ({ memory, config, weights }, u) =>
  weights.layers.map(({ attnPostNorm }) => {
    const gain = vectorOf(memory, attnPostNorm, config.modelDim);
    return gain ? u.map((x, c) => x * gain[c]) : u;
  });

/**
 * The parts of all heads and the mean squares of the results of attention before their norms.
 * @param {Decoder} decoder
 * @param {Float64Array[]} directions
 * @param {Float32Array} z
 */
function headParts({ memory, config, at }, directions, z) {
  const { layers, heads, modelDim } = config;
  const { c } = memory;
  return memory.scope(() => {
    const from = memory.pushArray(F32, layers * modelDim);
    let floats = new Float32Array();
    directions.forEach((u, layer) => {
      if (u !== directions[layer - 1]) floats = Float32Array.from(u);
      memory.view(F32, from + 4 * layer * modelDim, modelDim).set(floats);
    });
    const results = memory.put(z, F32);
    const parts = memory.pushArray('float64', layers * heads);
    const squares = memory.pushArray('float64', layers);
    const scratch = memory.push(c.attn_decoder_head_parts_bytes(at));
    c.attn_decoder_head_parts(at, from, results, parts, squares, scratch);
    return {
      parts: memory.copy('float64', parts, layers * heads),
      squares: memory.copy('float64', squares, layers),
    };
  });
}

/** @param {Float64Array} list */
const total = (list) => list.reduce((a, b) => a + b, 0);

/**
 * @param {Decoder} decoder
 * @param {Recorded} recorded
 * @param {object} of
 * @param {number} of.position
 * @param {readonly number[]} of.tokens one or two
 * @param {readonly number[]} of.logits theirs
 * @returns {{ ledger: Ledger, directions: Float64Array[] }} and the direction of each layer's W_o
 */
export function ledgerOf(decoder, recorded, { position, tokens, logits }) {
  const { memory, config, weights } = decoder;
  const { layers, heads: count, modelDim, normEps, finalSoftcap } = config;
  const last = recorded.resid_post.subarray(-modelDim);
  const direction = directionOf(decoder, last, tokens);
  const { u, scale, rounding } = direction;
  const unscaled = directionsOf(decoder, u);
  const { parts: heads, squares } = headParts(decoder, unscaled, recorded.z);
  const feedForward = new Float64Array(layers);
  const biases = new Float64Array(layers);
  const interventions = new Float64Array(layers);
  const changes = changesOf(decoder, recorded, position);
  const part = (/** @type {Float64Array} */ of, /** @type {number | null | undefined} */ bias) => {
    const values = vectorOf(memory, bias, modelDim);
    return values ? dot(values, of) : 0;
  };
  const change = (/** @type {Float64Array | undefined} */ by) => (by ? dot(u, by) : 0);
  const directions = weights.layers.map((w, layer) => {
    const factor = w.attnPostNorm ? 1 / Math.sqrt(squares[layer] + normEps) : 1;
    for (let at = layer * count; at < (layer + 1) * count; at++) heads[at] *= factor;
    // behind the feed-forward, the scale of a norm is not known here: its bias stays inside
    const down = w.ffnPostNorm ? 0 : part(u, w.downBias);
    const out = factor * part(unscaled[layer], w.attnOutBias);
    biases[layer] = out + down;
    feedForward[layer] = dot(u, recorded.mlp_out, layer * modelDim) - down;
    const by = changes?.[layer];
    if (by) {
      const ofHeads = total(heads.subarray(layer * count, (layer + 1) * count)) + out;
      interventions[layer] = by.replaced
        ? dot(u, recorded.attn_out, layer * modelDim) - ofHeads
        : change(by.attn);
      feedForward[layer] -= change(by.mlp);
      for (const each of [by.pre, by.mid, by.mlp, by.post]) interventions[layer] += change(each);
    }
    return factor === 1 ? u : unscaled[layer].map((x) => x * factor);
  });
  const embedding = dot(u, recorded.resid_pre) - change(changes?.[0].pre);
  const left = logits.map((logit) => uncapped(logit, finalSoftcap)).reduce((a, b) => a - b);
  const parts = total(heads) + total(feedForward) + total(biases) + total(interventions);
  const right = embedding + parts + rounding;
  const allowed = allowedDifference(decoder, recorded, direction, { logits, squares, changes });
  const difference = Math.abs(left - right);
  const identity = { left, right, difference, allowed, holds: difference <= allowed };
  const rest = left - right;
  return {
    ledger: {
      position,
      tokens: [...tokens],
      softcap: finalSoftcap,
      scale,
      embedding,
      heads,
      feedForward,
      biases,
      interventions,
      rounding,
      rest,
      identity,
    },
    directions,
  };
}
