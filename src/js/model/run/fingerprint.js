import { checksum, textChecksum } from '../inside/checksum.js';

/** Matrices that every layer has. */
const MATRICES = /** @type {const} */ (['q', 'k', 'v', 'attnOut', 'gate', 'up', 'down']);

/**
 * Tells apart models whose caches have one shape: a checksum of the configuration and the middle
 * row of each matrix, as the numbers it stands for. All of the weights would take as long as
 * reading a token.
 * @param {import('../../engine/memory.js').Memory} memory
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {import('../types.d.ts').ModelTensors<number>} weights addresses
 */
export function fingerprint(memory, config, weights) {
  let sum = textChecksum(JSON.stringify(config));
  for (const at of [
    weights.embedding,
    ...weights.layers.flatMap((layer) => MATRICES.map((name) => layer[name])),
  ])
    memory.scope(() => {
      const columns = memory.c.attn_matrix_columns(at);
      const row = memory.pushArray('float32', columns);
      memory.c.attn_matrix_row(at, memory.c.attn_matrix_rows(at) >> 1, row);
      sum = checksum(memory.view('int32', row, columns), sum);
    });
  return sum;
}
