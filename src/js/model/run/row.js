/** Computes one row of attention again, from the keys and values in the cache. */
import { integer } from '../../check.js';
import { describe, refuse } from '../../errors.js';

/**
 * The weights of one row of attention, with its query, keys and values.
 * @param {import('./decoder.js').Decoder} decoder
 * @param {import('./sequence.js').Sequence} sequence
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {number} layer
 * @param {number} head
 * @param {number} position
 */
export function readRow(decoder, sequence, config, layer, head, position) {
  const { layers, heads, kvHeads, headDim } = config;
  integer('layer', layer, 0, layers - 1);
  integer('head', head, 0, heads - 1);
  if (!sequence.length)
    refuse('RANGE', 'position', describe(position), 'a call after something has been read');
  integer('position', position, 0, sequence.length - 1);
  const kvHead = Math.floor(head / (heads / kvHeads));
  const n = position + 1;
  const { k, v } = sequence.caches[layer].read(0, n);
  const of = (/** @type {Float32Array} */ x) =>
    x.slice(kvHead * n * headDim, (kvHead + 1) * n * headDim);
  return decoder.again(
    sequence.token(position),
    { position, layer },
    sequence.length,
    { stats: false, heads: [[layer, head]] },
    (pass) => ({
      weights: pass.weights()[0].weights.slice(0, n),
      q: pass.queries().slice(head * headDim, (head + 1) * headDim),
      k: of(k),
      v: of(v),
    }),
  );
}
